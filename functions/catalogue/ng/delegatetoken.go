package ng

import (
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) delegateTokenRoutes() httpio.Routes {
	const path = "/ng/api/delegate-token-ng"
	return httpio.Routes{
		"GET " + path:    request.Scoped(byAdmin(d.listDelegateTokens)),
		"POST " + path:   request.Scoped(byAdmin(d.makeDelegateToken)),
		"PUT " + path:    request.Scoped(byAdmin(d.revokeDelegateToken)),
		"DELETE " + path: request.Scoped(byAdmin(d.removeDelegateToken)),
	}
}

// byAdmin is for admins of the account.
func byAdmin(h request.Handler) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if !c.Who.Admin || c.Who.Scope.Org != "" {
			return httpio.Answer{}, fault.New(fault.Forbidden, "this route is for admins, and %s is none: ask one", c.Who.Actor.ID)
		}
		return h(c)
	}
}

// rest wraps data in Harness's older envelope, RestResponse, which these routes have.
func rest(data any) httpio.Answer {
	return httpio.Answer{Body: map[string]any{"metaData": map[string]any{}, "resource": data, "responseMessages": []any{}}}
}

// delegateToken is the token that a request names.
func delegateToken(c *request.Call) core.TokenEntry {
	e := core.TokenEntry{Kind: core.PrincipalDelegate, Name: c.Q.Get("tokenName")}
	if c.At.Org != "" {
		e.Scope = c.At
	}
	return e
}

// showDelegateToken is Harness's DelegateTokenDetails, with the token itself when it has
// just been made.
func (d *door) showDelegateToken(account string, e core.TokenEntry, text string) map[string]any {
	status := "ACTIVE"
	if e.Over(core.Millis(d.Clock.Now())) {
		status = "REVOKED"
	}
	kind := "USER"
	if strings.HasPrefix(e.By, govern.ServiceActor) {
		kind = "SERVICE_ACCOUNT"
	}
	out := map[string]any{"uuid": e.Name, "accountId": account, "name": e.Name, "createdBy": map[string]any{"name": e.By}, "createdAt": e.Created,
		"createdByNgUser": map[string]any{"type": kind, "name": e.By, "jwtclaims": map[string]string{"type": kind, "name": e.By}},
		"status":          status, "value": orNil(text), "ownerIdentifier": orNil(strings.TrimSuffix(e.Owner(), "/"))}
	if e.Until != 0 {
		out["revokeAfter"] = e.Until
	}
	return out
}

func (d *door) makeDelegateToken(c *request.Call) (httpio.Answer, error) {
	if err := d.Catalogue.CheckScope(c.Ctx, c.At); err != nil {
		return httpio.Answer{}, err
	}
	e := delegateToken(c)
	if text := c.Q.Get("revokeAfter"); text != "" && text != "0" {
		until, err := strconv.ParseInt(text, 10, 64)
		if now := core.Millis(d.Clock.Now()); err != nil || until <= now {
			return httpio.Answer{}, fault.New(fault.Invalid, "query parameter revokeAfter is %q: expected a time to come, in ms since 1970", text)
		}
		e.Until = until
	}
	text, e, err := d.Directory.MakeToken(c.Ctx, c.Who.Account, c.Who.Actor, e)
	return secretly(rest(d.showDelegateToken(c.Who.Account, e, text))), err
}

func (d *door) listDelegateTokens(c *request.Call) (httpio.Answer, error) {
	name, status := c.Q.Get("name"), c.Q.Get("status")
	if status != "" && status != "ACTIVE" && status != "REVOKED" {
		return httpio.Answer{}, fault.New(fault.Invalid, "query parameter status is %q: expected ACTIVE or REVOKED", status)
	}
	all, err := d.Directory.Tokens(c.Ctx, c.Who.Account, core.PrincipalDelegate, delegateToken(c).Owner())
	items := []any{}
	for _, e := range all {
		shown := d.showDelegateToken(c.Who.Account, e, "")
		if (name == "" || name == e.Name) && (status == "" || status == shown["status"]) {
			items = append(items, shown)
		}
	}
	return rest(items), err
}

func (d *door) revokeDelegateToken(c *request.Call) (httpio.Answer, error) {
	e, err := d.Directory.Revoke(c.Ctx, c.Who.Account, c.Who.Actor, delegateToken(c))
	return rest(d.showDelegateToken(c.Who.Account, e, "")), err
}

func (d *door) removeDelegateToken(c *request.Call) (httpio.Answer, error) {
	of := delegateToken(c)
	e, err := d.Directory.Revoke(c.Ctx, c.Who.Account, c.Who.Actor, of)
	if err == nil {
		err = d.Directory.Forget(c.Ctx, c.Who.Account, c.Who.Actor, of)
	}
	return rest(d.showDelegateToken(c.Who.Account, e, "")), err
}
