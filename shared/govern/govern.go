// Package govern knows users, groups and tokens, and says who a request comes
// from. Tokens are stored by digest only.
package govern

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Govern answers from the store.
type Govern struct {
	store core.Store
	clock core.Clock
	// AllowAs lets an admin act as another user (examples on a laptop only).
	AllowAs bool
	// Account is the deployment's, that of its first admin; core.DefaultAccount when empty.
	Account string
}

// New returns a Govern over the store; the clock ends tokens.
func New(s core.Store, c core.Clock) *Govern { return &Govern{store: s, clock: c} }

// Authenticate says who a token belongs to. as, when not empty, is the user an
// admin wants to act as. fault.Unauthenticated for an unknown, revoked or
// expired token, fault.Forbidden when acting as another is not allowed.
func (g *Govern) Authenticate(ctx context.Context, token, as string) (core.Principal, error) {
	var t core.Token
	if token == "" {
		return core.Principal{}, fault.New(fault.Unauthenticated, "a token is needed: send it as x-api-key or Authorization: Bearer")
	}
	if err := g.get(ctx, core.TokenKey(token), &t); fault.Is(err, fault.NotFound) || t.Revoked {
		return core.Principal{}, errUnknown()
	} else if err != nil {
		return core.Principal{}, err
	}
	if t.Until != 0 && core.Millis(g.clock.Now()) >= t.Until {
		return core.Principal{}, errUnknown()
	}
	if t.Kind == core.PrincipalDelegate {
		return core.Principal{Kind: t.Kind, Account: t.Account, Scope: t.Scope, Actor: core.Actor{ID: "delegate:" + t.Name, Name: t.Name}}, nil
	}
	u, err := core.User{}, error(nil)
	if t.Born != "" {
		var service core.Principal
		if service, u, err = g.entitled(ctx, t); err != nil || service.Kind != "" {
			return service, err
		}
	} else if u, err = g.User(ctx, t.Account, t.User); err != nil {
		return core.Principal{}, err
	}
	if as != "" && as != u.ID {
		if !g.AllowAs || !u.Admin {
			return core.Principal{}, fault.New(fault.Forbidden, "acting as another user is for examples on a laptop, by an admin")
		}
		if u, err = g.User(ctx, t.Account, as); err != nil {
			return core.Principal{}, err
		}
	}
	at := t.Scope
	if t.Of.Scope.Org != "" { // what the token lives in is all that it opens
		at = t.Of.Scope
	}
	return core.Principal{Kind: core.PrincipalUser, Account: t.Account, Admin: u.Admin && at == core.Scope{}, Scope: at,
		Actor: Actor(u)}, nil
}

// FirstAdmin is who a deployment begins with: the user "admin" as stored, or an
// admin of that name in the group approvers while there is none.
func (g *Govern) FirstAdmin(ctx context.Context) (core.Principal, error) {
	u, err := g.User(ctx, g.account(), firstAdmin.ID)
	if fault.Is(err, fault.NotFound) {
		u, err = firstAdmin, nil
	}
	return core.Principal{Kind: core.PrincipalUser, Account: g.account(), Admin: true, Actor: Actor(u)}, err
}

// account is that of the deployment.
func (g *Govern) account() string { return cmp.Or(g.Account, core.DefaultAccount) }

// accountForm takes Harness's own accounts' identifiers, too.
var accountForm = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// CheckAccount refuses what cannot be an account's identifier.
func CheckAccount(id string) error {
	if !accountForm.MatchString(id) {
		return fault.New(fault.Invalid, "%q cannot be the identifier of an account: use letters, digits, _ and -, at most 64", id)
	}
	return nil
}

var firstAdmin = core.User{ID: "admin", Name: "Admin", Groups: []string{"approvers"}, Admin: true}

// User returns a user; fault.NotFound when there is none.
func (g *Govern) User(ctx context.Context, account, id string) (core.User, error) {
	var u core.User
	err := g.get(ctx, core.UserKey(account, id), &u)
	if fault.Is(err, fault.NotFound) {
		return u, fault.New(fault.NotFound, "there is no user %q: an admin makes one, with slipway users set", id)
	}
	return u, err
}

// PutUser stores a user, replacing an older one.
func (g *Govern) PutUser(ctx context.Context, account string, u core.User) error {
	return g.put(ctx, core.UserKey(account, u.ID), u)
}

// PutToken stores what a token stands for.
func (g *Govern) PutToken(ctx context.Context, token string, t core.Token) error {
	return g.put(ctx, core.TokenKey(token), t)
}

func (g *Govern) get(ctx context.Context, key core.Key, v any) error {
	item, err := g.store.Get(ctx, key, false)
	if err != nil {
		return err
	}
	return json.Unmarshal(item.Body, v)
}

func (g *Govern) put(ctx context.Context, key core.Key, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return g.store.Write(ctx, core.Put{Item: core.Item{Key: key, Body: body, Version: 1}})
}
