package stack

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// rule is something that every template has to keep to. breach is a change that
// breaks it, to see that it would be noticed.
type rule struct {
	name   string
	check  func(t template) []string
	breach func(t template)
}

var rules = slices.Concat(permissionRules, dataRules, apiRules, runRules)

func TestRules(t *testing.T) {
	for name, context := range map[string]map[string]any{"default": nil, "everything": everything} {
		for _, r := range rules {
			t.Run(name+"/"+r.name, func(t *testing.T) {
				for _, problem := range r.check(synth(t, context)) {
					t.Error(problem)
				}
			})
		}
	}
}

// TestRulesFail breaks each rule once.
func TestRulesFail(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			broken := synth(t, nil)
			r.breach(broken)
			if len(r.check(broken)) == 0 {
				t.Error("the rule is broken and does not say so")
			}
		})
	}
}

// problems collects what a rule finds.
type problems []string

func (p *problems) when(bad bool, format string, args ...any) {
	if bad {
		*p = append(*p, fmt.Sprintf(format, args...))
	}
}

// one returns the id of some resource of a type.
func one(t template, kind string) string {
	ids := slices.Sorted(maps.Keys(t.all(kind)))
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}

// named returns the id of the resource whose id begins so.
func named(t template, kind, prefix string) string {
	for id := range t.all(kind) {
		if strings.HasPrefix(id, prefix) {
			return id
		}
	}
	return ""
}

// statements are those of a role's own policies.
func statements(r resource) (out []map[string]any) {
	for _, p := range list(r.Properties["Policies"]) {
		for _, s := range list(get(p, "PolicyDocument", "Statement")) {
			out = append(out, s.(map[string]any))
		}
	}
	return out
}
