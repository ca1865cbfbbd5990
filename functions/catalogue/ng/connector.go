package ng

import (
	"cmp"
	"net/http"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) connectorRoutes() httpio.Routes {
	const path = "/ng/api/connectors"
	r := resource{kind: core.EntityConnector, read: d.readConnector, show: showConnector}
	repositories := []string{"Git", "Github", "Gitlab", "Bitbucket", "AzureRepo", "Codecommit", "Harness"}
	return httpio.Routes{
		"GET " + path:                                  request.Scoped(d.listConnectors(r)),
		"POST " + path + "/listV2":                     request.Scoped(d.listConnectorsBy(r)),
		"POST " + path + "/listbyfqn":                  request.Scoped(d.connectorsNamed(r)),
		"GET " + path + "/catalogue":                   request.Scoped(connectorCategories),
		"GET " + path + "/stats":                       request.Scoped(d.countConnectors(r)),
		"GET " + path + "/validateUniqueIdentifier":    request.Scoped(d.unique(r)),
		"POST " + path:                                 request.Scoped(d.create(r)),
		"PUT " + path:                                  request.Scoped(d.update(r)),
		"GET " + path + "/{id}":                        request.Scoped(d.getConnector(r)),
		"DELETE " + path + "/{id}":                     request.Scoped(d.remove(r)),
		"GET " + path + "/fieldValues":                 request.Scoped(unsupported("the values that fields of a connector may have")),
		"POST " + path + "/getceawstemplateurl":        request.Scoped(unsupported("templates for the costs of AWS")),
		"GET " + path + "/{id}/gcp-projects":           request.Scoped(unsupported("the Google Cloud projects that a connector reaches")),
		"POST " + path + "/testConnection/{id}":        request.Scoped(d.testConnection(r)),
		"POST " + path + "/testGitRepoConnection/{id}": request.Scoped(d.testConnection(r, repositories...)),
	}
}

func (d *door) readConnector(c *request.Call) (sent, error) {
	s, err := readWrapped(core.EntityConnector)(c)
	s.amend = func(e *core.Entity) error { return cmp.Or(ownManager(e), d.sameType(c, e)) }
	return s, err
}

// ownManager refuses what would hide the secret manager that is always there.
func ownManager(e *core.Entity) error {
	if e.Identifier == document.BuiltInSecretManager {
		return fault.New(fault.Invalid, "connector %s is Slipway's own: use another identifier", e.Identifier)
	}
	return nil
}

// sameType refuses an update that would make another type of what is there, which who
// refers to it counts on, or would look for a secret's value elsewhere.
func (d *door) sameType(c *request.Call, e *core.Entity) error {
	if c.Method != http.MethodPut {
		return nil
	}
	if err := c.Allow(govern.Edit, e.EntityRef); err != nil {
		return err
	}
	old, err := d.Catalogue.Get(c.Ctx, e.EntityRef)
	switch {
	case fault.Is(err, fault.NotFound): // told when it is replaced
		return nil
	case err != nil:
		return err
	case old.Type != e.Type:
		return fault.New(fault.Invalid, "%s is of type %s, which cannot be changed to %s: delete it first, or use another identifier", e.EntityRef, old.Type, e.Type)
	}
	if was, is := old.Facts["secretManagerIdentifier"], e.Facts["secretManagerIdentifier"]; was != is {
		return fault.New(fault.Invalid, "%s is kept by secret manager %s, which cannot be changed to %s: delete it first, or use another identifier", e.EntityRef, was, is)
	}
	return nil
}

// showConnector is Harness's ConnectorResponse.
func showConnector(e core.Entity) (any, error) {
	in, err := body(e)
	if err != nil {
		return nil, err
	}
	spec, _ := in["spec"].(map[string]any)
	return connectorResponse(e, complete(e.Type, spec)), nil
}

// signingIn are the fields whose values say by type how to sign in, and by spec with what.
var signingIn = []string{"credential", "auth", "authentication", "apiAccess"}

// complete adds to a connector's spec what Harness's clients read without asking
// whether it is there: the spec of each way to sign in, null where it has none, and
// tickets' auth when the document has the older form.
func complete(typ string, spec map[string]any) map[string]any {
	if spec == nil {
		return map[string]any{}
	}
	for _, name := range signingIn {
		withSpec(spec[name])
	}
	if _, ok := spec["auth"]; !ok && (typ == "Jira" || typ == "ServiceNow") && spec["passwordRef"] != nil {
		login := map[string]any{}
		for _, name := range []string{"username", "usernameRef", "passwordRef"} {
			login[name] = spec[name]
		}
		spec["auth"] = map[string]any{"type": "UsernamePassword", "spec": login}
	}
	return spec
}

func withSpec(v any) {
	way, ok := v.(map[string]any)
	if !ok {
		return
	}
	inner, ok := way["spec"]
	if !ok && way["type"] != nil {
		way["spec"] = nil
	}
	withSpec(inner) // as http's, which has a type of its own
	if m, ok := inner.(map[string]any); ok {
		withSpec(m["auth"])
	}
}

func connectorResponse(e core.Entity, spec any) map[string]any {
	return map[string]any{
		"connector": map[string]any{"name": e.Name, "identifier": e.Identifier, "description": orNil(e.Description), "accountIdentifier": e.Scope.Account,
			"orgIdentifier": orNil(e.Scope.Org), "projectIdentifier": orNil(e.Scope.Project), "tags": tagsOf(e.Tags), "type": e.Type, "spec": spec},
		"createdAt": e.Created, "lastModifiedAt": e.Updated, "status": nil, "activityDetails": map[string]any{"lastActivityTime": e.Updated},
		"harnessManaged": e.Identifier == document.BuiltInSecretManager, "gitDetails": nil, "entityValidityDetails": map[string]any{"valid": true, "invalidYaml": nil},
	}
}

// getConnector knows the secret manager that every scope has, beside what is kept.
func (d *door) getConnector(r resource) request.Handler {
	get := d.get(r)
	return func(c *request.Call) (httpio.Answer, error) {
		if c.PathValue("id") != document.BuiltInSecretManager {
			return get(c)
		}
		ref := r.ref(c)
		if err := c.Allow(govern.View, ref); err != nil {
			return httpio.Answer{}, err
		}
		return httpio.OK(c.Request, connectorResponse(core.Entity{EntityRef: ref, Name: "Slipway's secret manager", Type: "Local"}, map[string]any{"default": true})), nil
	}
}

// listConnectors filters by query parameters.
func (d *door) listConnectors(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if err := httpio.Unsupported(c.Q, "source_category", "version"); err != nil {
			return httpio.Answer{}, err
		}
		f := connectorFilter{Types: httpio.Values(c.Q, "type"), Categories: httpio.Values(c.Q, "category")}
		return d.connectorsBy(c, r, f)
	}
}

// listConnectorsBy filters by a body, Harness's ConnectorFilterProperties, or by a saved
// filter.
func (d *door) listConnectorsBy(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		var f connectorFilter
		c, err := d.filterOf(c, "Connector", &f)
		if err != nil {
			return httpio.Answer{}, err
		}
		return d.connectorsBy(c, r, f)
	}
}

func (d *door) connectorsBy(c *request.Call, r resource, f connectorFilter) (httpio.Answer, error) {
	if err := f.check(); err != nil {
		return httpio.Answer{}, err
	}
	l := listing{page: "pageIndex", size: "pageSize", fallback: 100, passes: f.passes, refused: []string{"onlyFavorites", "pageToken", "version"}}
	return d.list(r, l)(c)
}
