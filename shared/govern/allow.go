package govern

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Action is what somebody wants to do with a resource (BEHAVIOUR §22.3).
type Action string

// Actions.
const (
	View    Action = "view"
	Edit    Action = "edit"
	Delete  Action = "delete"
	Execute Action = "execute"
)

// forAdmins are the kinds that only admins change.
var forAdmins = map[core.EntityKind]bool{
	core.EntityOrganization: true, core.EntityUserGroup: true,
	core.EntityServiceAccount: true, core.EntityAPIKey: true, core.EntityToken: true,
}

// Allow decides whether a principal may do something with a resource:
// fault.Forbidden when not, fault.NotFound for what is another account's. Whoever is
// let in may do everything in the scope of their credential, except what is for admins;
// their API keys are users' own. Roles take this function's place.
func Allow(p core.Principal, a Action, r core.EntityRef) error {
	switch {
	case r.Scope.Account != p.Account:
		return fault.New(fault.NotFound, "there is no %s", r)
	case a == View && isHome(r, p.Scope):
		return nil
	case !within(r.Scope, p.Scope):
		return fault.New(fault.Forbidden, "%s may not %s %s: the credential is for %s alone", p.Actor.ID, a, r, place(p.Scope))
	case mine(p, r):
		return nil
	case (forAdmins[r.Kind] && a != View || keyOf(r) != "") && !p.Admin:
		return fault.New(fault.Forbidden, "%s may not %s %s: that is for admins", p.Actor.ID, a, r)
	}
	return nil
}

// isHome reports whether a resource is the organization or project that a credential is for.
func isHome(r core.EntityRef, s core.Scope) bool {
	switch r.Kind {
	case core.EntityOrganization:
		return s.Org != "" && r.Identifier == s.Org
	case core.EntityProject:
		return s.Project != "" && r.Identifier == s.Project && r.Scope.Org == s.Org
	default:
		return false
	}
}

// mine reports whether somebody's own API key, or a token of it, is meant.
func mine(p core.Principal, r core.EntityRef) bool {
	return p.Scope.Org == "" && keyOf(r) != "" && keyOf(r) == p.Actor.ID
}

// keyOf is the user whose API key or token is meant, "" for others.
func keyOf(r core.EntityRef) string {
	if r.Kind != core.EntityAPIKey && r.Kind != core.EntityToken {
		return ""
	}
	owner, _, _ := strings.Cut(r.Parent, "/")
	user, ok := strings.CutPrefix(owner, core.UserParent(""))
	if !ok {
		return ""
	}
	return user
}

// within reports whether a scope is another or below it. A zero scope is the account.
func within(s, of core.Scope) bool {
	return (of.Org == "" || of.Org == s.Org) && (of.Project == "" || of.Project == s.Project)
}

func place(s core.Scope) string {
	if s.Project != "" {
		return "project " + s.Project + " of organization " + s.Org
	}
	return "organization " + s.Org
}
