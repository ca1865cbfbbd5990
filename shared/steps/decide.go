package steps

import (
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Decider is who answers an approval.
type Decider struct {
	ID, Email string
	Groups    []string
	Service   bool // a service account
	Executor  bool // started the run
	// Scope is where the run is: groups of it and of its organization count.
	Scope core.Scope
}

// Allows reports whether somebody may answer (BEHAVIOUR §17.1); fault.Forbidden
// says why not. The account's groups are compared without a scope prefix, "account." or
// "org.": those of an organization are named with "org." alone, a project's with none.
func (a Approval) Allows(d Decider) error {
	switch {
	case d.Executor && a.DisallowPipelineExecutor:
		return fault.New(fault.Forbidden, "%s started this run, and who starts a run may not approve it", d.ID)
	case d.Email != "" && slices.ContainsFunc(a.DisallowedUserEmails, func(e string) bool { return strings.EqualFold(e, d.Email) }):
		return fault.New(fault.Forbidden, "%s is excluded from approving", d.Email)
	}
	mine, here := make(map[string]bool, len(d.Groups)), map[string]bool{}
	for _, g := range d.Groups {
		if ref, scoped := d.called(g); scoped {
			here[ref] = true
		} else {
			mine[unscoped(g)] = true
		}
	}
	for _, g := range a.UserGroups {
		if mine[unscoped(g)] || here[g] {
			return nil
		}
	}
	if d.Service && slices.ContainsFunc(a.ServiceAccounts, func(s string) bool { return unscoped(s) == d.ID }) {
		return nil
	}
	return fault.New(fault.Forbidden, "%s is in none of the user groups that may approve: %s", d.ID, strings.Join(a.UserGroups, ", "))
}

// called is how the run calls a group of an organization or project (core.Membership), ""
// for one of another scope. scoped is false for the account's groups.
func (d Decider) called(membership string) (ref string, scoped bool) {
	parts := strings.Split(membership, "/")
	if len(parts) != 3 {
		return "", false
	}
	switch org, project, id := parts[0], parts[1], parts[2]; {
	case org != d.Scope.Org:
		return "", true
	case project == "":
		return "org." + id, true
	case project != d.Scope.Project:
		return "", true
	default:
		return id, true
	}
}

func unscoped(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "account."), "org.")
}

// CheckInputs validates an approver's values, the defaults standing in for those
// not given (BEHAVIOUR §17.1); the error's kind is fault.Invalid.
func (a Approval) CheckInputs(values map[string]string) error {
	known := make(map[string]bool, len(a.Inputs))
	for _, in := range a.Inputs {
		known[in.Name] = true
		v, given := values[in.Name]
		if !given {
			v = in.DefaultValue
		}
		if err := in.check(v); err != nil {
			return err
		}
	}
	for name := range values {
		if !known[name] {
			return fault.New(fault.Invalid, "the approval asks for no input %q", name)
		}
	}
	return nil
}

func (in ApproverInput) check(v string) error {
	if v == "" {
		if in.Required {
			return fault.New(fault.Invalid, "input %q is required", in.Name)
		}
		return nil
	}
	one := in.AllowedValues
	if len(one) == 0 {
		one = in.SelectOneFrom
	}
	if len(one) > 0 && !slices.Contains(one, v) {
		return fault.New(fault.Invalid, "input %q is %q: expected one of %s", in.Name, v, strings.Join(one, ", "))
	}
	if len(in.SelectManyFrom) > 0 {
		for w := range strings.SplitSeq(v, ",") {
			if w = strings.TrimSpace(w); !slices.Contains(in.SelectManyFrom, w) {
				return fault.New(fault.Invalid, "input %q holds %q: expected some of %s", in.Name, w, strings.Join(in.SelectManyFrom, ", "))
			}
		}
	}
	if in.Regex != "" {
		re, err := regexp.Compile(`\A(?:` + in.Regex + `)\z`)
		if err != nil {
			return fault.New(fault.Invalid, "input %q: its regex %s cannot be used: %v", in.Name, in.Regex, err)
		}
		if !re.MatchString(v) {
			return fault.New(fault.Invalid, "input %q is %q: it does not match %s", in.Name, v, in.Regex)
		}
	}
	return nil
}
