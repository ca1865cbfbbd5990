package ng

import (
	"cmp"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// defaultLife is how long a token is good when neither it nor its API key says so.
const defaultLife = 30 * 24 * time.Hour

func (d *door) tokenRoutes() httpio.Routes {
	const path = "/ng/api/token"
	r := resource{kind: core.EntityToken, read: d.readToken, show: d.showToken, locate: ofKey}
	a := r
	a.show = d.aggregateToken
	list := func(c *request.Call) (httpio.Answer, error) {
		parent := ofKey(c, core.EntityRef{}).Parent
		return d.list(a, listing{page: "pageIndex", size: "pageSize", order: "name,ASC",
			passes: func(r core.EntityRow) bool { return r.Parent == parent }})(c)
	}
	return httpio.Routes{
		"POST " + path:                  request.Scoped(d.createToken(r)),
		"PUT " + path + "/{id}":         request.Scoped(d.update(r)),
		"DELETE " + path + "/{id}":      request.Scoped(owned(d.remove(r))),
		"GET " + path + "/aggregate":    request.Scoped(owned(list)),
		"POST " + path + "/rotate/{id}": request.Scoped(owned(d.rotateToken(r))),
	}
}

// token is Harness's Token. A password, which it may have, is not kept.
type token struct {
	named
	Account string `json:"accountIdentifier,omitempty"`
	Type    string `json:"apiKeyType,omitempty"`
	Parent  string `json:"parentIdentifier,omitempty"`
	Key     string `json:"apiKeyIdentifier,omitempty"`
	From    int64  `json:"validFrom,omitempty"`
	Until   int64  `json:"validTo,omitempty"`
	End     int64  `json:"scheduledExpireTime,omitempty"`
	Email   string `json:"email,omitempty"`
	User    string `json:"username,omitempty"`
}

// ofKey puts the API key into the reference that a request makes.
func ofKey(c *request.Call, ref core.EntityRef) core.EntityRef {
	ref.Parent = owner(c.Q.Get("apiKeyType"), c.Q.Get("parentIdentifier")) + "/" + c.Q.Get("apiKeyIdentifier")
	return ref
}

// readToken takes a token with the times that hold when it says none. Which entity of
// its name it is stays as it was.
func (d *door) readToken(c *request.Call) (sent, error) {
	var in token
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	at, err := d.keyHome(c, in.named, in.Account, in.Type, in.Parent)
	if err != nil {
		return sent{}, err
	}
	ref := core.EntityRef{Kind: core.EntityToken, Scope: at, Parent: owner(in.Type, in.Parent) + "/" + in.Key, Identifier: in.Identifier}
	old, err := d.Catalogue.Get(c.Ctx, ref)
	switch {
	case err == nil:
		in.From, in.Until = cmp.Or(in.From, number(old.Facts[core.FactFrom])), cmp.Or(in.Until, number(old.Facts[core.FactUntil]))
	case fault.Is(err, fault.NotFound):
		if err := d.lifeOf(c, &in, ref); err != nil {
			return sent{}, err
		}
	default:
		return sent{}, err
	}
	if in.Until <= in.From {
		return sent{}, fault.New(fault.Invalid, "validTo %d is not after validFrom %d: both are ms since 1970", in.Until, in.From)
	}
	text, err := yamlOf(core.EntityToken, in)
	born := cmp.Or(old.Facts[core.FactBorn], d.IDs.New())
	return sent{at: at, text: text, amend: func(e *core.Entity) error {
		e.Facts = maps.Clone(e.Facts)
		e.Facts[core.FactBorn] = born
		return nil
	}}, err
}

// lifeOf gives a new token the times it does not say: from now on, for as long as its
// API key says.
func (d *door) lifeOf(c *request.Call, in *token, ref core.EntityRef) error {
	life := defaultLife.Milliseconds()
	key, err := d.Catalogue.Get(c.Ctx, core.EntityRef{Kind: core.EntityAPIKey, Scope: ref.Scope, Parent: owner(in.Type, in.Parent), Identifier: in.Key})
	if err != nil && !fault.Is(err, fault.NotFound) { // that it is not there is said when it is kept
		return err
	}
	life = cmp.Or(number(key.Facts["defaultTimeToExpireToken"]), life)
	in.From = cmp.Or(in.From, core.Millis(d.Clock.Now()))
	in.Until = cmp.Or(in.Until, in.From+life)
	return nil
}

// tokenForm begins the text of a token.
func tokenForm(typ string) string {
	if typ == document.KeyOfUser {
		return "pat"
	}
	return "sat"
}

// createToken answers with the token's text, which no other route does.
func (d *door) createToken(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		saved, err := d.keep(c, r, entity.MustCreate)
		if err != nil {
			return httpio.Answer{}, err
		}
		e := saved.Entity
		text, err := d.Directory.Issue(c.Ctx, tokenForm(e.Type), e.EntityRef, e.Facts[core.FactBorn])
		return secretly(httpio.OK(c.Request, text)), err
	}
}

// secretly keeps an answer out of caches.
func secretly(a httpio.Answer) httpio.Answer {
	a.Header = map[string]string{"Cache-Control": "no-store"}
	return a
}

// rotateToken makes another text for a token. The old one is good until rotateTimestamp,
// or no longer when there is none.
func (d *door) rotateToken(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		ref := r.ref(c)
		if err := c.Allow(govern.Edit, ref); err != nil {
			return httpio.Answer{}, err
		}
		e, err := d.Catalogue.Get(c.Ctx, ref)
		if err != nil {
			return httpio.Answer{}, err
		}
		until := core.Millis(d.Clock.Now())
		if at := c.Q.Get("rotateTimestamp"); at != "" && at != "0" {
			if until, err = strconv.ParseInt(at, 10, 64); err != nil || until < 0 {
				return httpio.Answer{}, fault.New(fault.Invalid, "query parameter rotateTimestamp is %q: expected ms since 1970", at)
			}
		}
		text, err := d.Directory.Rotate(c.Ctx, tokenForm(e.Type), e.EntityRef, e.Facts[core.FactBorn], until)
		return secretly(httpio.OK(c.Request, text)), err
	}
}

// number is a number of an entity's facts, 0 for none.
func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// showToken is Harness's Token, never its text.
func (d *door) showToken(e core.Entity) (any, error) {
	in, err := body(e)
	at := strings.LastIndex(e.Parent, "/")
	from, until, end := number(e.Facts[core.FactFrom]), number(e.Facts[core.FactUntil]), number(e.Facts[core.FactEnd])
	now := core.Millis(d.Clock.Now())
	return map[string]any{"identifier": e.Identifier, "name": e.Name, "description": e.Description, "tags": tagsOf(e.Tags), "apiKeyType": e.Type,
		"parentIdentifier": ownerName(e, e.Parent[:at]), "apiKeyIdentifier": e.Parent[at+1:], "accountIdentifier": e.Scope.Account,
		"orgIdentifier": orNil(e.Scope.Org), "projectIdentifier": orNil(e.Scope.Project), "validFrom": from, "validTo": until, "scheduledExpireTime": end,
		"valid": now >= from && now < until && (end == 0 || now < end), "email": in["email"], "username": in["username"], "encodedPassword": nil}, err
}

// aggregateToken is Harness's TokenAggregate.
func (d *door) aggregateToken(e core.Entity) (any, error) {
	t, err := d.showToken(e)
	return map[string]any{"token": t, "createdAt": e.Created, "lastModifiedAt": e.Updated, "expiryAt": number(e.Facts[core.FactUntil])}, err
}
