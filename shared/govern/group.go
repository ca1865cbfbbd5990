package govern

import (
	"context"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// Admit puts users into a group.
func (d *Directory) Admit(ctx context.Context, account string, group core.EntityRef, members []string) error {
	return d.regroup(ctx, account, func(u *core.User) bool {
		key := core.Membership(group)
		if !slices.Contains(members, u.ID) || slices.Contains(u.Groups, key) {
			return false
		}
		u.Groups = slices.Sorted(slices.Values(append(slices.Clone(u.Groups), key)))
		return true
	})
}

// Dismiss takes everybody out of a group but those who are to stay.
func (d *Directory) Dismiss(ctx context.Context, account string, group core.EntityRef, stay []string) error {
	return d.regroup(ctx, account, func(u *core.User) bool {
		i := slices.Index(u.Groups, core.Membership(group))
		if i < 0 || slices.Contains(stay, u.ID) {
			return false
		}
		u.Groups = slices.Delete(slices.Clone(u.Groups), i, i+1)
		return true
	})
}

// regroup writes the users whom change has changed.
func (d *Directory) regroup(ctx context.Context, account string, change func(*core.User) bool) error {
	users, err := d.Users(ctx, account)
	if err != nil {
		return err
	}
	for _, u := range users {
		if !change(&u) {
			continue
		}
		if err := d.write(ctx, put(core.UserKey(account, u.ID), u, core.Always())); err != nil {
			return err
		}
	}
	return nil
}

// isScoped reports whether a membership is of an organization's or project's group.
func isScoped(membership string) bool { return strings.Contains(membership, "/") }
