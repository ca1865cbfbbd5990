package govern

import (
	"context"
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// MakeToken makes the token that e names: of a delegate, or of a user that exists.
// The text is returned here and never again. fault.AlreadyExists when one of that
// name is in use; the name of a revoked one is free.
func (d *Directory) MakeToken(ctx context.Context, account string, by core.Actor, e core.TokenEntry) (string, core.TokenEntry, error) {
	if err := checkToken(e); err != nil {
		return "", e, err
	}
	if e.Kind == core.PrincipalUser {
		if _, err := d.ports.Store.Get(ctx, core.UserKey(account, e.User), true); fault.Is(err, fault.NotFound) {
			return "", e, errNoUser(e.User)
		} else if err != nil {
			return "", e, err
		}
	}
	old, version, err := d.entry(ctx, account, e)
	when := core.IfVersion(version)
	switch {
	case fault.Is(err, fault.NotFound):
		when = core.IfAbsent()
	case err != nil:
		return "", e, err
	case !old.Over(core.Millis(d.ports.Clock.Now())):
		return "", e, errTaken(e)
	}
	text := d.ports.IDs.Token()
	key := core.TokenKey(text)
	e.Created, e.By, e.Digest = core.Millis(d.ports.Clock.Now()), by.ID, key.PK
	listed := put(core.TokenEntryKey(account, e), e, when)
	listed.Item.Version = version + 1
	err = d.write(ctx, put(key, core.Token{Kind: e.Kind, Account: account, User: e.User, Name: e.Name, Scope: e.Scope, Until: e.Until}, core.IfAbsent()), listed)
	if fault.Is(err, fault.Conflict) { // it was our own write, told twice, or another's
		now, _, again := d.entry(ctx, account, e)
		if again == nil && now.Digest == e.Digest {
			return text, e, nil
		}
		return "", e, errTaken(e)
	}
	return text, e, err
}

func errTaken(e core.TokenEntry) error {
	return fault.New(fault.AlreadyExists, "a token named %q is in use: choose another name, or revoke it first", e.Name)
}

// Tokens lists the tokens of an owner, as core.TokenEntry has it, by name, those that
// were revoked included.
func (d *Directory) Tokens(ctx context.Context, account string, kind core.PrincipalKind, owner string) ([]core.TokenEntry, error) {
	return list[core.TokenEntry](ctx, d.ports.Store, core.TokenEntryKey(account, core.TokenEntry{}).PK, core.TokenEntryPrefix(kind, owner))
}

// Revoke ends the token that e names; once more is no error. fault.NotFound when
// there is none.
func (d *Directory) Revoke(ctx context.Context, account string, by core.Actor, e core.TokenEntry) (core.TokenEntry, error) {
	found, version, err := d.entry(ctx, account, e)
	if fault.Is(err, fault.NotFound) {
		return e, fault.New(fault.NotFound, "there is no token named %q", e.Name)
	}
	if err != nil || found.Revoked != 0 {
		return found, err
	}
	e = found
	e.Revoked, e.RevokedBy = core.Millis(d.ports.Clock.Now()), by.ID
	listed := put(core.TokenEntryKey(account, e), e, core.IfVersion(version))
	listed.Item.Version = version + 1
	revoked := put(core.Key{PK: e.Digest, SK: core.TokenKey("").SK},
		core.Token{Kind: e.Kind, Account: account, User: e.User, Name: e.Name, Revoked: true}, core.Always())
	err = d.write(ctx, revoked, listed)
	if fault.Is(err, fault.Conflict) {
		if now, _, again := d.entry(ctx, account, e); again == nil && now.Digest == e.Digest && now.Revoked != 0 {
			return now, nil
		}
		return e, fault.New(fault.Conflict, "token %q was changed by somebody else: look again", e.Name)
	}
	return e, err
}

// Forget ends the token that e names and lists it no more. fault.NotFound when there is
// none.
func (d *Directory) Forget(ctx context.Context, account string, by core.Actor, e core.TokenEntry) error {
	e, err := d.Revoke(ctx, account, by, e)
	if err != nil {
		return err
	}
	return d.ports.Store.Delete(ctx, core.TokenEntryKey(account, e))
}

// Disband ends the tokens of the delegates of an organization or project, which is gone.
func (d *Directory) Disband(ctx context.Context, at core.Scope, by core.Actor) error {
	all, err := d.Tokens(ctx, at.Account, core.PrincipalDelegate, at.Path())
	for _, e := range all {
		if err := d.Forget(ctx, at.Account, by, e); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return err
}

// entry reads the entry that e names, and its version.
func (d *Directory) entry(ctx context.Context, account string, e core.TokenEntry) (core.TokenEntry, int64, error) {
	var found core.TokenEntry
	item, err := d.ports.Store.Get(ctx, core.TokenEntryKey(account, e), true)
	if err != nil {
		return found, 0, err
	}
	return found, item.Version, json.Unmarshal(item.Body, &found)
}
