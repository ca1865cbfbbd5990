package ng

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) variableRoutes() httpio.Routes {
	const path = "/ng/api/variables"
	r := resource{kind: core.EntityVariable, read: readWrapped(core.EntityVariable), show: showVariable}
	return httpio.Routes{
		"GET " + path:              request.Scoped(d.listVariables(r)),
		"POST " + path:             request.Scoped(d.create(r)),
		"PUT " + path:              request.Scoped(d.update(r)),
		"GET " + path + "/{id}":    request.Scoped(absent(d.get(r), nil)),
		"DELETE " + path + "/{id}": request.Scoped(d.remove(r)),
	}
}

// showVariable is Harness's VariableResponseDTO.
func showVariable(e core.Entity) (any, error) {
	return map[string]any{
		"variable": map[string]any{"identifier": e.Identifier, "name": e.Name, "description": orNil(e.Description), "orgIdentifier": orNil(e.Scope.Org),
			"projectIdentifier": orNil(e.Scope.Project), "type": e.Type, "spec": map[string]any{"valueType": e.Facts["valueType"], "fixedValue": e.Facts["fixedValue"]}},
		"createdAt": e.Created, "lastModifiedAt": e.Updated,
	}, nil
}

func (d *door) listVariables(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if c.Q.Get("includeVariablesFromEverySubScope") == "true" {
			return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: includeVariablesFromEverySubScope: list each scope")
		}
		l := listing{page: "pageIndex", size: "pageSize", fallback: 100}
		return d.list(r, l)(c)
	}
}
