package door

import (
	"cmp"
	"net/http"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// maxAdmin bounds a body of these routes but for secrets, in bytes.
const maxAdmin = 64 << 10

// admin are routes of Slipway's own that are for admins.
func admin(h request.Handler) httpio.Handler {
	return request.Own(func(c *request.Call) (httpio.Answer, error) {
		if !c.Who.Admin {
			return httpio.Answer{}, fault.New(fault.Forbidden, "this route is for admins, and %s is none: ask one", c.Who.Actor.ID)
		}
		return h(c)
	})
}

// adminRoutes is how a deployment is looked after.
func (d *door) adminRoutes() httpio.Routes {
	return httpio.Routes{
		"POST /slipway/v1/delegate-tokens":            admin(d.makeToken),
		"GET /slipway/v1/delegate-tokens":             admin(d.listTokens),
		"DELETE /slipway/v1/delegate-tokens/{name}":   admin(d.revokeToken),
		"GET /slipway/v1/users":                       admin(d.listUsers),
		"PUT /slipway/v1/users/{id}":                  admin(d.setUser),
		"DELETE /slipway/v1/users/{id}":               admin(d.removeUser),
		"POST /slipway/v1/users/{id}/tokens":          admin(d.makeToken),
		"GET /slipway/v1/users/{id}/tokens":           admin(d.listTokens),
		"DELETE /slipway/v1/users/{id}/tokens/{name}": admin(d.revokeToken),
		"GET /slipway/v1/secrets":                     admin(d.listSecrets),
		"PUT /slipway/v1/secrets/{ref}":               admin(d.setSecret),
		"DELETE /slipway/v1/secrets/{ref}":            admin(d.removeSecret),
	}
}

// tokenEntry is a token as lists show it: nothing in it leads to its text.
type tokenEntry struct {
	Name      string `json:"name"`
	User      string `json:"user,omitempty"`
	Created   int64  `json:"created"` // ms
	By        string `json:"by"`
	Revoked   int64  `json:"revoked,omitempty"` // ms
	RevokedBy string `json:"revokedBy,omitempty"`
}

func entryOf(e core.TokenEntry) tokenEntry {
	return tokenEntry{Name: e.Name, User: e.User, Created: e.Created, By: e.By, Revoked: e.Revoked, RevokedBy: e.RevokedBy}
}

// token is the token that a path names: a user's where it names one, else a
// delegate's.
func token(c *request.Call) core.TokenEntry {
	e := core.TokenEntry{Kind: core.PrincipalDelegate, User: c.PathValue("id"), Name: c.PathValue("name")}
	if e.User != "" {
		e.Kind = core.PrincipalUser
	}
	return e
}

func (d *door) makeToken(c *request.Call) (httpio.Answer, error) {
	var req struct {
		Name string `json:"name"`
	}
	if err := httpio.StrictJSON(c.Request, maxAdmin, &req); err != nil {
		return httpio.Answer{}, err
	}
	if req.Name == "" {
		return httpio.Answer{}, fault.New(fault.Invalid, "field name is needed: what the token is called in lists")
	}
	e := token(c)
	e.Name = req.Name
	text, e, err := d.directory.MakeToken(c.Ctx, c.Who.Account, c.Who.Actor, e)
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.Answer{Status: http.StatusCreated, Header: map[string]string{"Cache-Control": "no-store"}, Body: struct {
		tokenEntry
		Token string `json:"token"` // said once
	}{entryOf(e), text}}, nil
}

func (d *door) listTokens(c *request.Call) (httpio.Answer, error) {
	of := token(c)
	found, err := d.directory.Tokens(c.Ctx, c.Who.Account, of.Kind, of.User)
	listed := make([]tokenEntry, len(found))
	for i, e := range found {
		listed[i] = entryOf(e)
	}
	return httpio.Answer{Body: map[string]any{"tokens": listed}}, err
}

func (d *door) revokeToken(c *request.Call) (httpio.Answer, error) {
	e, err := d.directory.Revoke(c.Ctx, c.Who.Account, c.Who.Actor, token(c))
	return httpio.Answer{Body: entryOf(e)}, err
}

func (d *door) listUsers(c *request.Call) (httpio.Answer, error) {
	users, err := d.directory.Users(c.Ctx, c.Who.Account)
	return httpio.Answer{Body: map[string]any{"users": users}}, err
}

func (d *door) setUser(c *request.Call) (httpio.Answer, error) {
	var req struct {
		Name   string   `json:"name"`
		Email  string   `json:"email"`
		Groups []string `json:"groups"`
		Admin  bool     `json:"admin"`
	}
	if err := httpio.StrictJSON(c.Request, maxAdmin, &req); err != nil {
		return httpio.Answer{}, err
	}
	u, err := d.directory.SetUser(c.Ctx, c.Who.Account, c.Who.Actor,
		core.User{ID: c.PathValue("id"), Name: req.Name, Email: req.Email, Groups: req.Groups, Admin: req.Admin})
	return httpio.Answer{Body: u}, err
}

func (d *door) removeUser(c *request.Call) (httpio.Answer, error) {
	if err := d.Catalogue.RemoveKeys(c.Ctx, c.Who.Account, c.PathValue("id"), c.Who.Actor.ID); err != nil {
		return httpio.Answer{}, err
	}
	err := d.directory.RemoveUser(c.Ctx, c.Who.Account, c.Who.Actor, c.PathValue("id"))
	return httpio.Answer{Body: map[string]any{"id": c.PathValue("id"), "removed": true}}, err
}

func (d *door) listSecrets(c *request.Call) (httpio.Answer, error) {
	at, err := home(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	found, err := d.Catalogue.Secrets(c.Ctx, at)
	return httpio.Answer{Body: map[string]any{"secrets": found}}, err
}

// setSecret takes the value as the body, as it is. No route reads it back.
func (d *door) setSecret(c *request.Call) (httpio.Answer, error) {
	at, err := home(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	value, err := httpio.Bytes(c.Request, entity.MaxSecret)
	if err != nil {
		return httpio.Answer{}, err
	}
	e, err := d.Catalogue.SetSecret(c.Ctx, at, c.PathValue("ref"), value, c.Who.Actor.ID)
	return httpio.Answer{Body: e}, request.Told(err)
}

func (d *door) removeSecret(c *request.Call) (httpio.Answer, error) {
	at, err := home(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	err = d.Catalogue.RemoveSecret(c.Ctx, at, c.PathValue("ref"), c.Who.Actor.ID)
	return httpio.Answer{Body: map[string]any{"ref": c.PathValue("ref"), "removed": true}}, err
}

// home is the project of the query, the default one where it names none.
func home(c *request.Call) (core.Scope, error) {
	err := c.In(cmp.Or(c.Q.Get("orgIdentifier"), core.DefaultOrg), cmp.Or(c.Q.Get("projectIdentifier"), core.DefaultProject))
	return c.At, err
}
