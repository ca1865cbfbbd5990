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

// RemoveKeys deletes the API keys of a user, and their tokens with them.
func (c *Catalogue) RemoveKeys(ctx context.Context, account, user, by string) error {
	at := core.Scope{Account: account}
	rows, _, err := c.List(ctx, Query{Kind: core.EntityAPIKey, Scope: at, Parent: core.UserParent(user)})
	if err != nil {
		return err
	}
	return c.removeAll(ctx, refs(core.EntityAPIKey, rows), Change{By: by})
}

func refs(kind core.EntityKind, rows []Listed) []core.EntityRef {
	var out []core.EntityRef
	for _, r := range rows {
		out = append(out, r.Ref(kind))
	}
	return out
}
