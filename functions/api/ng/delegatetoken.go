package ng

import (
	"github.com/slipway-cd/slipway/functions/api/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
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

// byAdmin is for admins, on tokens of the account: there are no others yet.
func byAdmin(h request.Handler) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if !c.Who.Admin || c.Who.Scope.Org != "" {
			return httpio.Answer{}, fault.New(fault.Forbidden, "this route is for admins, and %s is none: ask one", c.Who.Actor.ID)
		}
		if c.At.Org != "" {
			return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: tokens for the delegates of an organization or project")
		}
		if err := httpio.Unsupported(c.Q, "revokeAfter"); err != nil {
			return httpio.Answer{}, err
		}
		return h(c)
	}
}

// delegateToken is the token that a request names.
func delegateToken(c *request.Call) core.TokenEntry {
	return core.TokenEntry{Kind: core.PrincipalDelegate, Name: c.Q.Get("tokenName")}
}

// showDelegateToken is Harness's DelegateTokenDetails, with the token itself when it has
// just been made.
func showDelegateToken(account string, e core.TokenEntry, text string) map[string]any {
	status := "ACTIVE"
	if e.Revoked != 0 {
		status = "REVOKED"
	}
	return map[string]any{"uuid": e.Name, "accountId": account, "name": e.Name, "createdBy": map[string]any{"name": e.By}, "createdAt": e.Created,
		"status": status, "value": orNil(text), "ownerIdentifier": nil}
}

func (d *door) makeDelegateToken(c *request.Call) (httpio.Answer, error) {
	text, e, err := d.Directory.MakeToken(c.Ctx, c.Who.Account, c.Who.Actor, delegateToken(c))
	return secretly(httpio.OK(c.Request, showDelegateToken(c.Who.Account, e, text))), err
}

func (d *door) listDelegateTokens(c *request.Call) (httpio.Answer, error) {
	all, err := d.Directory.Tokens(c.Ctx, c.Who.Account, core.PrincipalDelegate, "")
	name, status := c.Q.Get("name"), c.Q.Get("status")
	items := []any{}
	for _, e := range all {
		shown := showDelegateToken(c.Who.Account, e, "")
		if (name == "" || name == e.Name) && (status == "" || status == shown["status"]) {
			items = append(items, shown)
		}
	}
	return httpio.OK(c.Request, items), err
}

func (d *door) revokeDelegateToken(c *request.Call) (httpio.Answer, error) {
	e, err := d.Directory.Revoke(c.Ctx, c.Who.Account, c.Who.Actor, delegateToken(c))
	return httpio.OK(c.Request, showDelegateToken(c.Who.Account, e, "")), err
}

func (d *door) removeDelegateToken(c *request.Call) (httpio.Answer, error) {
	err := d.Directory.Forget(c.Ctx, c.Who.Account, c.Who.Actor, delegateToken(c))
	return httpio.OK(c.Request, err == nil), err
}
