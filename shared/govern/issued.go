package govern

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// ServiceActor begins the ids of service accounts as authors of what they do; no user's
// id has a slash.
const ServiceActor = "serviceAccount/"

// issued is where the token is that was made last for an entity.
type issued struct {
	Digest string `json:"digest"` // the partition of its core.Token
}

// Issue makes the text of a token that is an entity: `pat.` or `sat.`, the account, which
// entity of its name it is, and what nobody guesses. It is returned here and never again.
func (d *Directory) Issue(ctx context.Context, form string, of core.EntityRef, born string) (string, error) {
	text := strings.Join([]string{form, of.Scope.Account, born, d.ports.IDs.Token()}, ".")
	key := core.TokenKey(text)
	return text, d.write(ctx,
		put(key, core.Token{Kind: core.PrincipalUser, Account: of.Scope.Account, Name: of.Identifier, Of: of, Born: born}, core.IfAbsent()),
		put(core.IssuedKey(of.Scope.Account, born), issued{key.PK}, core.Always()))
}

// Rotate makes another text for a token; the old one is good until a time, ms.
func (d *Directory) Rotate(ctx context.Context, form string, of core.EntityRef, born string, until int64) (string, error) {
	item, err := d.ports.Store.Get(ctx, core.IssuedKey(of.Scope.Account, born), true)
	if err != nil {
		return "", err
	}
	var last issued
	if err := json.Unmarshal(item.Body, &last); err != nil {
		return "", err
	}
	old := core.Token{Kind: core.PrincipalUser, Account: of.Scope.Account, Name: of.Identifier, Of: of, Born: born, Until: until}
	// First the end of the old: cut short in between, the token is rotated again.
	if err := d.write(ctx, put(core.Key{PK: last.Digest, SK: core.TokenKey("").SK}, old, core.Always())); err != nil {
		return "", err
	}
	return d.Issue(ctx, form, of, born)
}

// entitled says who a token speaks for that is an entity: a user, or a service account
// within its scope. fault.Unauthenticated when the entity, its API key or its service
// account is gone, or its time has not come or is over.
func (g *Govern) entitled(ctx context.Context, t core.Token) (core.Principal, core.User, error) {
	owner, key, _ := strings.Cut(t.Of.Parent, "/")
	e, err := g.living(ctx, t.Of)
	if err != nil {
		return core.Principal{}, core.User{}, err
	}
	if e.Facts[core.FactBorn] != t.Born {
		return core.Principal{}, core.User{}, errUnknown()
	}
	if err := g.inTime(t, e.Facts); err != nil {
		return core.Principal{}, core.User{}, err
	}
	if _, err := g.living(ctx, core.EntityRef{Kind: core.EntityAPIKey, Scope: t.Of.Scope, Parent: owner, Identifier: key}); err != nil {
		return core.Principal{}, core.User{}, err
	}
	if user, ok := strings.CutPrefix(owner, core.UserParent("")); ok {
		u, err := g.User(ctx, t.Account, user)
		return core.Principal{}, u, err
	}
	sa, err := g.living(ctx, core.EntityRef{Kind: core.EntityServiceAccount, Scope: t.Of.Scope, Identifier: owner})
	if err != nil {
		return core.Principal{}, core.User{}, err
	}
	p := core.Principal{Kind: core.PrincipalUser, Account: t.Account,
		Actor: core.Actor{ID: ServiceActor + strings.TrimLeft(t.Of.Scope.Path()+"/", "/") + owner, Name: sa.Name, Email: sa.Facts["email"]}}
	if t.Of.Scope.Org != "" {
		p.Scope = t.Of.Scope
	}
	return p, core.User{}, nil
}

// living reads an entity that has not been deleted.
func (g *Govern) living(ctx context.Context, r core.EntityRef) (core.Entity, error) {
	var e core.Entity
	item, err := g.store.Get(ctx, core.EntityKey(r), true)
	if err == nil {
		err = json.Unmarshal(item.Body, &e)
	}
	if fault.Is(err, fault.NotFound) || e.Deleted {
		return e, errUnknown()
	}
	return e, err
}

func errUnknown() error {
	return fault.New(fault.Unauthenticated, "the token is not known or was revoked")
}

// inTime refuses a token before its time and after it.
func (g *Govern) inTime(t core.Token, facts map[string]string) error {
	now := core.Millis(g.clock.Now())
	if from := millis(facts[core.FactFrom]); now < from {
		return fault.New(fault.Unauthenticated, "the token is not valid yet: it will be at %s", stamp(from))
	}
	for _, until := range []int64{millis(facts[core.FactUntil]), millis(facts[core.FactEnd]), t.Until} {
		if until != 0 && now >= until {
			return fault.New(fault.Unauthenticated, "the token has expired, at %s: make another, or rotate it in time", stamp(until))
		}
	}
	return nil
}

// millis is a time of an entity's facts, 0 for none.
func millis(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }
