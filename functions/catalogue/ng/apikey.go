package ng

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) apiKeyRoutes() httpio.Routes {
	const path = "/ng/api/apikey"
	r := resource{kind: core.EntityAPIKey, read: d.readAPIKey, show: showAPIKey, locate: ofOwner}
	a := r
	a.show = aggregateAPIKey
	pages := listing{page: "pageIndex", size: "pageSize", order: "name,ASC"}
	list := func(c *request.Call) (httpio.Answer, error) { l := pages; l.passes = below(c); return d.list(a, l)(c) }
	return httpio.Routes{
		"GET " + path:                     request.Scoped(owned(d.keysOf(r))),
		"POST " + path:                    request.Scoped(d.create(r)),
		"PUT " + path + "/{id}":           request.Scoped(d.update(r)),
		"DELETE " + path + "/{id}":        request.Scoped(owned(d.remove(r))),
		"GET " + path + "/aggregate":      request.Scoped(owned(list)),
		"GET " + path + "/aggregate/{id}": request.Scoped(owned(d.get(a))),
	}
}

// apiKey is Harness's ApiKey.
type apiKey struct {
	named
	Account string `json:"accountIdentifier,omitempty"`
	Type    string `json:"apiKeyType,omitempty"`
	Parent  string `json:"parentIdentifier,omitempty"`
	TTL     int64  `json:"defaultTimeToExpireToken,omitempty"`
}

// owner is the Parent of the API keys that a request means.
func owner(typ, parent string) string {
	if typ == document.KeyOfUser {
		return core.UserParent(parent)
	}
	return parent
}

// owned holds requests to saying whose API keys they mean, and senders to those they may
// see.
func owned(h request.Handler) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		typ, parent := c.Q.Get("apiKeyType"), c.Q.Get("parentIdentifier")
		switch {
		case typ != document.KeyOfUser && typ != document.KeyOfService:
			return httpio.Answer{}, fault.New(fault.Invalid, "query parameter apiKeyType is %q: expected %s or %s", typ, document.KeyOfUser, document.KeyOfService)
		case parent == "":
			return httpio.Answer{}, fault.New(fault.Invalid, "query parameter parentIdentifier is needed: whose API keys are meant")
		}
		if err := c.Allow(govern.View, core.EntityRef{Kind: core.EntityAPIKey, Scope: c.At, Parent: owner(typ, parent)}); err != nil {
			return httpio.Answer{}, err
		}
		return h(c)
	}
}

func ofOwner(c *request.Call, ref core.EntityRef) core.EntityRef {
	ref.Parent = owner(c.Q.Get("apiKeyType"), c.Q.Get("parentIdentifier"))
	return ref
}

// below passes what belongs to the parent that a request names.
func below(c *request.Call) func(core.EntityRow) bool {
	parent := owner(c.Q.Get("apiKeyType"), c.Q.Get("parentIdentifier"))
	return func(r core.EntityRow) bool { return r.Parent == parent }
}

// keysOf lists the API keys of an owner, in no pages.
func (d *door) keysOf(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		rows, _, _, err := d.rows(c, r, listing{fallback: maxPage, order: "name,ASC", passes: below(c)})
		if err != nil {
			return httpio.Answer{}, err
		}
		items, err := d.shown(c, r, rows)
		return httpio.OK(c.Request, items), err
	}
}

func (d *door) readAPIKey(c *request.Call) (sent, error) {
	var in apiKey
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	if in.TTL < 0 {
		return sent{}, fault.New(fault.Invalid, "defaultTimeToExpireToken is %d: expected ms", in.TTL)
	}
	at, err := d.keyHome(c, in.named, in.Account, in.Type, in.Parent)
	if err != nil {
		return sent{}, err
	}
	text, err := yamlOf(core.EntityAPIKey, in)
	return sent{at: at, text: text}, err
}

// keyHome is where an API key or token lives. A user who is to have it has to be there.
func (d *door) keyHome(c *request.Call, in named, account, typ, parent string) (core.Scope, error) {
	if err := ownAccount(c, account); err != nil {
		return c.At, err
	}
	at, err := in.home(c)
	if err == nil && typ == document.KeyOfUser {
		if _, err = d.Govern.User(c.Ctx, c.Who.Account, parent); fault.Is(err, fault.NotFound) {
			err = fault.New(fault.Invalid, "there is no user %q", parent)
		}
	}
	return at, err
}

// ownerName is what a client calls the owner of a key: its type says the rest.
func ownerName(e core.Entity, owner string) string {
	if e.Type == document.KeyOfUser {
		return owner[len(core.UserParent("")):]
	}
	return owner
}

// showAPIKey is Harness's ApiKey.
func showAPIKey(e core.Entity) (any, error) {
	out := map[string]any{"identifier": e.Identifier, "name": e.Name, "description": e.Description, "tags": tagsOf(e.Tags), "apiKeyType": e.Type,
		"parentIdentifier": ownerName(e, e.Parent), "accountIdentifier": e.Scope.Account, "orgIdentifier": orNil(e.Scope.Org), "projectIdentifier": orNil(e.Scope.Project)}
	if ttl := number(e.Facts["defaultTimeToExpireToken"]); ttl != 0 {
		out["defaultTimeToExpireToken"] = ttl
	}
	return out, nil
}

// aggregateAPIKey is Harness's ApiKeyAggregate.
func aggregateAPIKey(e core.Entity) (any, error) {
	key, err := showAPIKey(e)
	return map[string]any{"apiKey": key, "createdAt": e.Created, "lastModifiedAt": e.Updated}, err
}
