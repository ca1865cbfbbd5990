package ng

import (
	"cmp"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// plainColor is the colour of what was given none.
const plainColor = "#0063F7"

func (d *door) environmentRoutes() httpio.Routes {
	const path = "/ng/api/environmentsV2"
	r := resource{kind: core.EntityEnvironment, read: readEnvironment, show: showEnvironment}
	l := listing{fallback: 100, ids: []string{"envIdentifiers"}, facts: []string{"type"}}
	access := l
	access.refused = []string{"envGroupIdentifier"}
	return httpio.Routes{
		"GET " + path:                  request.Scoped(d.list(r, l)),
		"GET " + path + "/list/access": request.Scoped(d.listAll(r, access)),
		"POST " + path:                 request.Scoped(d.create(r)),
		"PUT " + path:                  request.Scoped(d.update(r)),
		"PUT " + path + "/upsert":      request.Scoped(d.upsert(r)),
		"GET " + path + "/{id}":        request.Scoped(d.get(r)),
		"DELETE " + path + "/{id}":     request.Scoped(d.remove(r)),
	}
}

// environmentBody is Harness's EnvironmentRequest.
type environmentBody struct {
	withYAML
	Color string `json:"color,omitempty"`
	Type  string `json:"type,omitempty"`
}

func readEnvironment(c *request.Call) (sent, error) {
	var in environmentBody
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	return in.environment(c)
}

func (in environmentBody) environment(c *request.Call) (sent, error) {
	fields := struct {
		named
		Type string `json:"type,omitempty"`
	}{in.named, in.Type}
	s, err := in.sent(c, core.EntityEnvironment, fields)
	s.amend = func(e *core.Entity) error {
		in.over(e)
		setFact(e, "color", in.Color)
		return same("type", e.Type, in.Type)
	}
	return s, err
}

// same refuses a field that the document and the body beside it say differently.
func same(field, document, body string) error {
	if body != "" && document != body {
		return fault.New(fault.Invalid, "%s is %q in the document and %q beside it: make them agree", field, document, body)
	}
	return nil
}

func setFact(e *core.Entity, name, value string) {
	if value == "" {
		return
	}
	if e.Facts == nil {
		e.Facts = map[string]string{}
	}
	e.Facts[name] = value
}

// showEnvironment is Harness's EnvironmentResponse.
func showEnvironment(e core.Entity) (any, error) {
	m := common(e)
	m["color"], m["type"] = cmp.Or(e.Facts["color"], plainColor), e.Type
	return map[string]any{"environment": m, "createdAt": e.Created, "lastModifiedAt": e.Updated}, nil
}

// common is what the bodies of most kinds that have their document as text say of an
// entity.
func common(e core.Entity) map[string]any {
	return map[string]any{"accountId": e.Scope.Account, "identifier": e.Identifier, "orgIdentifier": orNil(e.Scope.Org),
		"projectIdentifier": orNil(e.Scope.Project), "name": e.Name, "description": orNil(e.Description), "deleted": false,
		"tags": tagsOf(e.Tags), "yaml": e.YAML, "storeType": "INLINE", "version": e.Version}
}
