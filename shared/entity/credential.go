package entity

import (
	"context"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// speaks reports whether tokens speak for entities of a kind.
func speaks(k core.EntityKind) bool { return k == core.EntityServiceAccount || k == core.EntityAPIKey }

// silence deletes what tokens speak for after its tokens, and a group after its members
// have left it: should it be cut short, nothing is left to whoever has that name next.
func (c *Catalogue) silence(ctx context.Context, r core.EntityRef, by Change, own []core.EntityRef) error {
	e, err := c.head(ctx, r)
	if err == nil {
		err = c.check(ctx, r, by, e)
	}
	if err != nil {
		return err
	}
	if r.Kind == core.EntityUserGroup {
		err = c.people.Dismiss(ctx, r.Scope.Account, r, nil)
	}
	if err == nil {
		err = c.removeAll(ctx, own, by)
	}
	if err != nil {
		return err
	}
	return c.Delete(ctx, r, by)
}

func (c *Catalogue) removeAll(ctx context.Context, refs []core.EntityRef, by Change) error {
	for _, r := range refs {
		if err := c.Remove(ctx, r, Change{By: by.By}, true); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

// RemoveKeys deletes the API keys of a user, wherever they live, and their tokens with
// them.
func (c *Catalogue) RemoveKeys(ctx context.Context, account, user, by string) error {
	scopes, err := c.scopes(ctx, account)
	if err != nil {
		return err
	}
	var keys []core.EntityRef
	for _, at := range scopes {
		rows, _, err := c.List(ctx, Query{Kind: core.EntityAPIKey, Scope: at, Parent: core.UserParent(user)})
		if err != nil {
			return err
		}
		keys = append(keys, refs(core.EntityAPIKey, rows)...)
	}
	return c.removeAll(ctx, keys, Change{By: by})
}

// scopes are the account, its organizations and their projects.
func (c *Catalogue) scopes(ctx context.Context, account string) ([]core.Scope, error) {
	all := []core.Scope{{Account: account}}
	orgs, _, err := c.List(ctx, Query{Kind: core.EntityOrganization, Scope: all[0]})
	if err != nil {
		return nil, err
	}
	for _, o := range orgs {
		at := core.Scope{Account: account, Org: o.Identifier}
		projects, _, err := c.List(ctx, Query{Kind: core.EntityProject, Scope: at})
		if err != nil {
			return nil, err
		}
		all = append(all, at)
		for _, p := range projects {
			all = append(all, core.Scope{Account: account, Org: o.Identifier, Project: p.Identifier})
		}
	}
	return all, nil
}

func refs(kind core.EntityKind, rows []Listed) []core.EntityRef {
	var out []core.EntityRef
	for _, r := range rows {
		out = append(out, r.Ref(kind))
	}
	return out
}
