package govern_test

import (
	"context"
	"testing"

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
