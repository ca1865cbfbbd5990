package ng

import (
	"cmp"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// legacyOverridesRoutes are the older routes of overrides: those of one service in one
// environment. They are the same overrides.
func (d *door) legacyOverridesRoutes() httpio.Routes {
	const path = "/ng/api/environmentsV2/serviceOverrides"
	r := resource{kind: core.EntityOverrides, read: readLegacyOverrides, show: showLegacyOverrides}
	return httpio.Routes{
		"GET " + path:    request.Scoped(needs("environmentIdentifier", d.listLegacyOverrides(r))),
		"POST " + path:   request.Scoped(d.upsert(r)),
		"DELETE " + path: request.Scoped(needs("environmentIdentifier", needs("serviceIdentifier", d.removeLegacyOverrides(r)))),
	}
}

func readLegacyOverrides(c *request.Call) (sent, error) {
	var in struct {
		named
		Env         string `json:"environmentIdentifier"`
		EnvRef      string `json:"environmentRef"`
		Service     string `json:"serviceIdentifier"`
		ServiceRef  string `json:"serviceRef"`
		YAML        string `json:"yaml"`
		Description string `json:"description"`
	}
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	at, err := in.home(c)
	if err != nil {
		return sent{}, err
	}
	text, head, err := headed(cmp.Or(in.YAML, "serviceOverrides: {}\n"), []said{{"environmentRef", cmp.Or(in.Env, in.EnvRef)}, {"serviceRef", cmp.Or(in.Service, in.ServiceRef)}})
	return sent{at: at, text: text, amend: func(e *core.Entity) error {
		setFact(e, "sent", "yaml")
		setFact(e, "head", head)
		if e.Type != string(core.OverrideService) {
			return fault.New(fault.Invalid, "this route is for overrides of a service in an environment: these are %s", e.Type)
		}
		return nil
	}}, err
}

// showLegacyOverrides is Harness's ServiceOverrideResponse.
func showLegacyOverrides(e core.Entity) (any, error) {
	return map[string]any{"accountId": e.Scope.Account, "orgIdentifier": orNil(e.Scope.Org), "projectIdentifier": orNil(e.Scope.Project),
		"environmentRef": e.Facts["environmentRef"], "serviceRef": e.Facts["serviceRef"], "yaml": headless(e.YAML, e.Facts["head"])}, nil
}

func (d *door) listLegacyOverrides(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		env, service := c.Q.Get("environmentIdentifier"), c.Q.Get("serviceIdentifier")
		return d.list(r, listing{fallback: 100, passes: func(row core.EntityRow) bool {
			return row.Type == string(core.OverrideService) && row.Facts["environmentRef"] == env && (service == "" || row.Facts["serviceRef"] == service)
		}})(c)
	}
}

func (d *door) removeLegacyOverrides(r resource) request.Handler {
	remove := d.remove(r)
	return func(c *request.Call) (httpio.Answer, error) {
		c.SetPathValue("id", document.OverridesIdentifier(c.Q.Get("environmentIdentifier"), c.Q.Get("serviceIdentifier"), ""))
		return remove(c)
	}
}
