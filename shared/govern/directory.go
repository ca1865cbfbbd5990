package govern

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Directory is where admins keep users, tokens and the values of secrets. What it
// writes says who wrote it.
type Directory struct {
	ports core.Ports
}

// NewDirectory returns the Directory over a store and its secrets.
func NewDirectory(p core.Ports) *Directory { return &Directory{p} }

// Users lists an account's users by id.
func (d *Directory) Users(ctx context.Context, account string) ([]core.User, error) {
	return list[core.User](ctx, d.ports.Store, core.UserPK(account), "")
}

// SetUser makes a user, or replaces the one of that id. Nobody takes the admin's
// right from themselves: so one admin is always left. The groups of organizations and
// projects that the user is in stay: those say who is in them.
func (d *Directory) SetUser(ctx context.Context, account string, by core.Actor, u core.User) (core.User, error) {
	u.Groups = slices.DeleteFunc(slices.Clone(u.Groups), isScoped)
	if err := checkUser(u); err != nil {
		return u, err
	}
	if u.ID == by.ID && !u.Admin {
		return u, errOneself()
	}
	var old core.User
	if item, err := d.ports.Store.Get(ctx, core.UserKey(account, u.ID), true); err == nil {
		err = json.Unmarshal(item.Body, &old)
		if err != nil {
			return u, err
		}
	} else if !fault.Is(err, fault.NotFound) {
		return u, err
	}
	u.Groups = slices.Compact(slices.Sorted(slices.Values(slices.Concat(u.Groups, slices.DeleteFunc(old.Groups, func(g string) bool { return !isScoped(g) })))))
	u.Updated, u.By = core.Millis(d.ports.Clock.Now()), by.ID
	return u, d.write(ctx, put(core.UserKey(account, u.ID), u, core.Always()))
}

// Rename gives a user another name; fault.NotFound when there is none of that id.
func (d *Directory) Rename(ctx context.Context, account string, by core.Actor, id, name string) (core.User, error) {
	var u core.User
	item, err := d.ports.Store.Get(ctx, core.UserKey(account, id), true)
	if fault.Is(err, fault.NotFound) {
		return u, errNoUser(id)
	}
	if err == nil {
		err = json.Unmarshal(item.Body, &u)
	}
	if err != nil {
		return u, err
	}
	u.Name, u.Updated, u.By = name, core.Millis(d.ports.Clock.Now()), by.ID
	if !line(name) {
		return u, fault.New(fault.Invalid, "user %s: a name is one line, at most %d characters", id, maxText)
	}
	return u, d.write(ctx, put(core.UserKey(account, id), u, core.Always()))
}

// RemoveUser removes a user and revokes their tokens; fault.NotFound when there is
// none. Nobody removes themselves.
func (d *Directory) RemoveUser(ctx context.Context, account string, by core.Actor, id string) error {
	if id == by.ID {
		return errOneself()
	}
	key := core.UserKey(account, id)
	_, err := d.ports.Store.Get(ctx, key, true)
	if fault.Is(err, fault.NotFound) {
		return errNoUser(id)
	}
	if err != nil {
		return err
	}
	tokens, err := d.Tokens(ctx, account, core.PrincipalUser, id)
	if err != nil {
		return err
	}
	for _, t := range tokens { // first: a user made again under this id must not be entered by them
		if _, err := d.Revoke(ctx, account, by, core.TokenEntry{Kind: t.Kind, User: id, Name: t.Name}); err != nil {
			return err
		}
	}
	return d.ports.Store.Delete(ctx, key)
}

func errOneself() error {
	return fault.New(fault.Conflict, "you cannot remove yourself or give up being an admin: somebody has to be left who can let people in; ask another admin")
}

func errNoUser(id string) error {
	return fault.New(fault.NotFound, "there is no user %q: slipway users list shows them", id)
}

func (d *Directory) write(ctx context.Context, puts ...core.Put) error {
	return d.ports.Store.Write(ctx, puts...)
}

// put is a write of a value; its version is always 1, as for what govern writes.
func put(key core.Key, v any, when core.Condition) core.Put {
	body, err := json.Marshal(v)
	if err != nil { // values are plain data: a bug, which the store refuses
		body = nil
	}
	return core.Put{If: when, Item: core.Item{Key: key, Body: body, Version: 1}}
}

// list reads the values below a prefix.
func list[T any](ctx context.Context, s core.Store, pk, prefix string) ([]T, error) {
	all := []T{}
	q := core.Query{PK: pk, SKPrefix: prefix, Strong: true}
	for {
		page, err := s.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range page.Items {
			var v T
			if err := json.Unmarshal(it.Body, &v); err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		if q.After = page.Cursor; q.After == "" {
			return all, nil
		}
	}
}
