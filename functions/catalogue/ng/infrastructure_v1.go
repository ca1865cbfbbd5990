package ng

import (
	"net/http"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// v1InfrastructureRoutes are infrastructures below their environments, as Harness's v1
// routes have them.
func (d *door) v1InfrastructureRoutes() httpio.Routes {
	routes := httpio.Routes{}
	r := resource{kind: core.EntityInfrastructure, read: v1ReadInfrastructure, show: v1ShowInfrastructure,
		locate: func(c *request.Call, ref core.EntityRef) core.EntityRef {
			ref.Parent = c.PathValue("environment")
			return ref
		}}
	refused := []string{"infra_identifiers", "is_access_list", "service_refs", "template_identifier", "template_version", "deployment_type"}
	for _, path := range v1Paths("environments/{environment}/infrastructures") {
		d.v1Routes(routes, path, r)
		routes["GET "+path] = request.V1Scoped(local(d.v1List(r), refused...))
		routes["DELETE "+path+"/{id}"] = request.V1Scoped(d.v1RemoveSilently(r))
	}
	return routes
}

// v1RemoveSilently answers with nothing.
func (d *door) v1RemoveSilently(r resource) request.Handler {
	remove := d.v1Remove(r)
	return func(c *request.Call) (httpio.Answer, error) {
		_, err := remove(c)
		return httpio.Answer{Status: http.StatusNoContent}, err
	}
}

func v1ReadInfrastructure(c *request.Call) (sent, error) {
	in, err := v1Body(c, "")
	if err == nil {
		err = in.agrees(c)
	}
	if err == nil {
		err = request.Inline(in.Git)
	}
	if err != nil {
		return sent{}, err
	}
	n := named{Identifier: in.Identifier, Org: c.At.Org, Project: c.At.Project, Name: in.Name, Description: in.Description, Tags: in.Tags}
	text := withYAML{named: n, YAML: in.YAML}
	environment := c.PathValue("environment")
	s, err := text.sent(c, core.EntityInfrastructure, infrastructureBody{withYAML: text, Environment: environment, Type: in.Type})
	s.amend = func(e *core.Entity) error {
		n.over(e)
		if e.Parent != environment || e.Scope != c.At {
			return fault.New(fault.Invalid, "environmentRef is %q in the document and %q in the path: make them agree", e.Facts["environmentRef"], environment)
		}
		return same("type", e.Type, in.Type)
	}
	return s, err
}

// v1ShowInfrastructure is Harness's InfrastructureResponse of these routes.
func v1ShowInfrastructure(e core.Entity) (any, error) {
	m := map[string]any{"account": e.Scope.Account, "identifier": e.Identifier, "name": e.Name, "environment": e.Parent, "type": e.Type,
		"description": e.Description, "tags": tagsOf(e.Tags), "yaml": e.YAML}
	if e.Scope.Org != "" {
		m["org"] = e.Scope.Org
	}
	if e.Scope.Project != "" {
		m["project"] = e.Scope.Project
	}
	return map[string]any{"infrastructure": m, "created": e.Created, "updated": e.Updated}, nil
}
