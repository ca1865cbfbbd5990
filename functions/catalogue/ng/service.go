package ng

import (
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) serviceRoutes() httpio.Routes {
	const path = "/ng/api/servicesV2"
	r := resource{kind: core.EntityService, read: readService, show: showService}
	l := listing{fallback: 100, ids: []string{"serviceIdentifiers"}, facts: []string{"type", "gitOpsEnabled"},
		refused: []string{"deploymentTemplateIdentifier", "versionLabel", "deploymentMetadataYaml", "k8sManifestType"}}
	return httpio.Routes{
		"GET " + path:                  request.Scoped(d.list(r, l)),
		"GET " + path + "/list/access": request.Scoped(d.listAll(r, l)),
		"POST " + path + "/batch":      request.Scoped(d.createServices(r)),
		"POST " + path:                 request.Scoped(d.create(r)),
		"PUT " + path:                  request.Scoped(d.update(r)),
		"PUT " + path + "/upsert":      request.Scoped(d.upsert(r)),
		"GET " + path + "/{id}":        request.Scoped(d.get(r)),
		"DELETE " + path + "/{id}":     request.Scoped(d.remove(r)),
	}
}

// withYAML is the body of kinds that have their document as text: ServiceRequest and
// alike. Without it the document is what the other fields say.
type withYAML struct {
	named
	YAML string `json:"yaml,omitempty"`
}

func readService(c *request.Call) (sent, error) {
	var in withYAML
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	return in.sent(c, core.EntityService, in.named)
}

// sent is the document of the body; fields are what it is made of when there is none.
func (w withYAML) sent(c *request.Call, kind core.EntityKind, fields any) (sent, error) {
	at, err := w.home(c)
	if err != nil {
		return sent{}, err
	}
	text := w.YAML
	if strings.TrimSpace(text) == "" {
		if text, err = yamlOf(kind, fields); err != nil {
			return sent{}, err
		}
	}
	return sent{at: at, text: text, id: w.Identifier, amend: func(e *core.Entity) error { w.over(e); return nil }}, nil
}

// showService is Harness's ServiceResponse.
func showService(e core.Entity) (any, error) {
	return map[string]any{
		"service": map[string]any{"accountId": e.Scope.Account, "identifier": e.Identifier, "orgIdentifier": orNil(e.Scope.Org),
			"projectIdentifier": orNil(e.Scope.Project), "name": e.Name, "description": orNil(e.Description), "deleted": false,
			"tags": tagsOf(e.Tags), "yaml": e.YAML, "v2Service": true, "storeType": "INLINE", "version": e.Version},
		"createdAt": e.Created, "lastModifiedAt": e.Updated,
	}, nil
}
