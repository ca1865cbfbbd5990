package ng

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) infrastructureRoutes() httpio.Routes {
	const path = "/ng/api/infrastructures"
	r := resource{kind: core.EntityInfrastructure, read: readInfrastructure, show: showInfrastructure,
		parent: "environmentIdentifier", locate: ofEnvironment}
	l := listing{fallback: 100, ids: []string{"infraIdentifiers"}, facts: []string{"deploymentType", "type"},
		refused: []string{"deploymentTemplateIdentifier", "versionLabel", "serviceRefs"}}
	return httpio.Routes{
		"GET " + path:              request.Scoped(needs("environmentIdentifier", d.list(r, l))),
		"POST " + path:             request.Scoped(d.create(r)),
		"PUT " + path:              request.Scoped(d.update(r)),
		"PUT " + path + "/upsert":  request.Scoped(d.upsert(r)),
		"GET " + path + "/{id}":    request.Scoped(needs("environmentIdentifier", d.get(r))),
		"DELETE " + path + "/{id}": request.Scoped(needs("environmentIdentifier", d.remove(r))),
	}
}

// needs refuses a request without a query parameter.
func needs(param string, h request.Handler) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if c.Q.Get(param) == "" {
			return httpio.Answer{}, fault.New(fault.Invalid, "query parameter %s is needed", param)
		}
		return h(c)
	}
}

// ofEnvironment finds an infrastructure where its environment lives.
func ofEnvironment(_ *request.Call, ref core.EntityRef) core.EntityRef {
	ref.Scope, ref.Parent = ref.Scope.Resolve(ref.Parent)
	return ref
}

// infrastructureBody is Harness's InfrastructureRequest.
type infrastructureBody struct {
	withYAML
	Environment string `json:"environmentRef,omitempty"`
	Type        string `json:"type,omitempty"`
	Deployment  string `json:"deploymentType,omitempty"`
}

func readInfrastructure(c *request.Call) (sent, error) {
	var in infrastructureBody
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	s, err := in.sent(c, core.EntityInfrastructure, in)
	home := s.at
	s.amend = func(e *core.Entity) error {
		in.over(e)
		if scope, env := home.Resolve(in.Environment); in.Environment != "" && (scope != e.Scope || env != e.Parent) {
			return fault.New(fault.Invalid, "environmentRef is %q in the document and %q beside it: make them agree", e.Facts["environmentRef"], in.Environment)
		}
		if err := same("deploymentType", e.Facts["deploymentType"], in.Deployment); err != nil {
			return err
		}
		return same("type", e.Type, in.Type)
	}
	return s, err
}

// showInfrastructure is Harness's InfrastructureResponse.
func showInfrastructure(e core.Entity) (any, error) {
	m := common(e)
	m["environmentRef"], m["type"], m["deploymentType"] = e.Facts["environmentRef"], e.Type, e.Facts["deploymentType"]
	return map[string]any{"infrastructure": m, "createdAt": e.Created, "lastModifiedAt": e.Updated}, nil
}
