package govern_test

import (
	"context"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
)

// told is a store that writes and then says, once, that a condition did not hold:
// what a write looks like that is repeated because its answer was lost.
type told struct {
	core.Store
	again bool
}

// Write implements core.Store.
func (s *told) Write(ctx context.Context, puts ...core.Put) error {
	err := s.Store.Write(ctx, puts...)
	if err == nil && s.again {
		s.again = false
		return fault.New(fault.Conflict, "told twice: %w", &core.ConflictError{Failed: []int{0}})
	}
	return err
}

var root = core.Actor{ID: "root"}

func TestATokenWhoseWriteIsToldTwice(t *testing.T) {
	p, _ := ports(t)
	s := &told{Store: p.Store}
	p.Store = s
	d, g := govern.NewDirectory(p), govern.New(s, p.Clock)
	pool := core.TokenEntry{Kind: core.PrincipalDelegate, Name: "pool"}

	s.again = true
	text, e, err := d.MakeToken(t.Context(), "acct", root, pool)
	if err != nil {
		t.Fatal(err)
	}
	if who, err := g.Authenticate(t.Context(), text, ""); err != nil || who.Actor.ID != "delegate:pool" || who.Account != "acct" {
		t.Error(who, err)
	}
	if _, _, err := d.MakeToken(t.Context(), "acct", root, pool); !fault.Is(err, fault.AlreadyExists) {
		t.Error("the name is taken: ", err)
	}
	s.again = true
	gone, err := d.Revoke(t.Context(), "acct", root, e)
	if err != nil || gone.Revoked == 0 || gone.RevokedBy != "root" {
		t.Fatal(gone, err)
	}
	if _, err := g.Authenticate(t.Context(), text, ""); !fault.Is(err, fault.Unauthenticated) {
		t.Error("revoked: ", err)
	}
	if again, err := d.Revoke(t.Context(), "acct", core.Actor{ID: "other"}, e); err != nil || again.RevokedBy != "root" {
		t.Error("who revoked it first stays: ", again, err)
	}
}

// Nobody ends their own power to let people in.
func TestOneAdminStays(t *testing.T) {
	p, _ := ports(t)
	d := govern.NewDirectory(p)
	for name, do := range map[string]func() error{
		"demoting": func() error { _, err := d.SetUser(t.Context(), "acct", root, core.User{ID: "root"}); return err },
		"removing": func() error { return d.RemoveUser(t.Context(), "acct", root, "root") },
	} {
		if err := do(); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s oneself: %v", name, err)
		}
	}
	if _, err := d.SetUser(t.Context(), "acct", root, core.User{ID: "other", Admin: true}); err != nil {
		t.Error(err)
	}
	if _, err := d.SetUser(t.Context(), "acct", root, core.User{ID: "other"}); err != nil {
		t.Error("demoting another: ", err)
	}
}

// A delegate's token is for its scope, ends when it was to, and goes with its project.
func TestATokenOfADelegatesScope(t *testing.T) {
	p, now := ports(t)
	d, g := govern.NewDirectory(p), govern.New(p.Store, p.Clock)
	at := core.Scope{Account: "acct", Org: "o", Project: "p"}
	until := core.Millis(epoch.Add(time.Hour))
	mine := core.TokenEntry{Kind: core.PrincipalDelegate, Name: "pool", Scope: at, Until: until}
	text, _, err := d.MakeToken(t.Context(), "acct", root, mine)
	if err != nil {
		t.Fatal(err)
	}
	whole, _, err := d.MakeToken(t.Context(), "acct", root, core.TokenEntry{Kind: core.PrincipalDelegate, Name: "pool"})
	if err != nil {
		t.Fatal("the account's is another: ", err)
	}
	if who, err := g.Authenticate(t.Context(), text, ""); err != nil || who.Scope != at {
		t.Error(who, err)
	}
	if all, err := d.Tokens(t.Context(), "acct", core.PrincipalDelegate, ""); err != nil || len(all) != 1 {
		t.Error("the account's alone: ", all, err)
	}
	now.Advance(time.Hour)
	if _, err := g.Authenticate(t.Context(), text, ""); !fault.Is(err, fault.Unauthenticated) {
		t.Error("it has ended: ", err)
	}
	again, _, err := d.MakeToken(t.Context(), "acct", root, core.TokenEntry{Kind: core.PrincipalDelegate, Name: "pool", Scope: at})
	if err != nil {
		t.Fatal("its name is free: ", err)
	}
	if err := d.Disband(t.Context(), at, root); err != nil {
		t.Error(err)
	}
	if _, err := g.Authenticate(t.Context(), again, ""); !fault.Is(err, fault.Unauthenticated) {
		t.Error("its project is gone: ", err)
	}
	if who, err := g.Authenticate(t.Context(), whole, ""); err != nil || who.Scope != (core.Scope{}) {
		t.Error(who, err)
	}
}
