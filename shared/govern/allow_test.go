package govern_test

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
)

func TestAllow(t *testing.T) {
	scope := func(account, org, project string) core.Scope {
		return core.Scope{Account: account, Org: org, Project: project}
	}
	service := func(s core.Scope) core.EntityRef {
		return core.EntityRef{Kind: core.EntityService, Scope: s, Identifier: "web"}
	}
	org := core.EntityRef{Kind: core.EntityOrganization, Scope: scope("a", "", ""), Identifier: "o"}
	user := core.Principal{Account: "a"}
	admin := core.Principal{Account: "a", Admin: true}
	ofOrg := core.Principal{Account: "a", Scope: scope("a", "o", "")}
	ofProject := core.Principal{Account: "a", Scope: scope("a", "o", "p")}
	alice := core.Principal{Account: "a", Actor: core.Actor{ID: "alice"}}
	key := func(of string) core.EntityRef {
		return core.EntityRef{Kind: core.EntityAPIKey, Scope: scope("a", "", ""), Parent: core.UserParent(of), Identifier: "k"}
	}
	for name, tc := range map[string]struct {
		who  core.Principal
		do   govern.Action
		what core.EntityRef
		deny fault.Kind // -1: allowed
	}{
		"own":                     {user, govern.Edit, service(scope("a", "o", "p")), -1},
		"other account":           {admin, govern.View, service(scope("b", "o", "p")), fault.NotFound},
		"org, below":              {ofOrg, govern.Edit, service(scope("a", "o", "p")), -1},
		"org, itself":             {ofOrg, govern.Edit, service(scope("a", "o", "")), -1},
		"org, another":            {ofOrg, govern.View, service(scope("a", "x", "p")), fault.Forbidden},
		"org, account":            {ofOrg, govern.View, service(scope("a", "", "")), fault.Forbidden},
		"project, itself":         {ofProject, govern.Delete, service(scope("a", "o", "p")), -1},
		"project, sibling":        {ofProject, govern.View, service(scope("a", "o", "q")), fault.Forbidden},
		"project, its org":        {ofProject, govern.View, service(scope("a", "o", "")), fault.Forbidden},
		"project, its home":       {ofProject, govern.View, core.EntityRef{Kind: core.EntityProject, Scope: scope("a", "o", ""), Identifier: "p"}, -1},
		"project, another":        {ofProject, govern.View, core.EntityRef{Kind: core.EntityProject, Scope: scope("a", "o", ""), Identifier: "q"}, fault.Forbidden},
		"project, changes itself": {ofProject, govern.Edit, core.EntityRef{Kind: core.EntityProject, Scope: scope("a", "o", ""), Identifier: "p"}, fault.Forbidden},
		"own API key":             {alice, govern.Edit, key("alice"), -1},
		"token of own API key":    {alice, govern.Delete, core.EntityRef{Kind: core.EntityToken, Scope: scope("a", "", ""), Parent: core.UserParent("alice") + "/k", Identifier: "t"}, -1},
		"another's API key":       {alice, govern.View, key("bob"), fault.Forbidden},
		"another's, by admin":     {admin, govern.Edit, key("bob"), -1},
		"a service account's key": {alice, govern.Edit, core.EntityRef{Kind: core.EntityAPIKey, Scope: scope("a", "", ""), Parent: "alice", Identifier: "k"}, fault.Forbidden},
		"organizations, user":     {user, govern.Edit, org, fault.Forbidden},
		"organizations, viewed":   {user, govern.View, org, -1},
		"organizations, by admin": {admin, govern.Delete, org, -1},
	} {
		err := govern.Allow(tc.who, tc.do, tc.what)
		if (tc.deny < 0) != (err == nil) || err != nil && !fault.Is(err, tc.deny) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
