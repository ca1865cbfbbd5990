package ng

import (
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// v1EntityRoutes are organizations, projects, services and environments as Harness's v1
// routes have them.
func (d *door) v1EntityRoutes() httpio.Routes {
	routes := httpio.Routes{}
	d.v1Routes(routes, "/v1/orgs", resource{kind: core.EntityOrganization, read: v1Read(core.EntityOrganization), show: v1Show("org")})
	d.v1Routes(routes, "/v1/orgs/{org}/projects", resource{kind: core.EntityProject, read: v1Read(core.EntityProject), show: v1Show("project")})
	for _, path := range v1Paths("services") {
		d.v1Routes(routes, path, resource{kind: core.EntityService, read: v1Read(core.EntityService), show: v1Show("service")})
	}
	for _, path := range v1Paths("environments") {
		d.v1Routes(routes, path, resource{kind: core.EntityEnvironment, read: v1Read(core.EntityEnvironment), show: v1Show("environment")})
	}
	return routes
}

func (d *door) v1Routes(routes httpio.Routes, path string, r resource) {
	routes["GET "+path] = request.V1Scoped(local(d.v1List(r), "has_module", "module_type", "repo_name"))
	routes["POST "+path] = request.V1Scoped(local(bare(http.StatusCreated, d.create(r))))
	routes["GET "+path+"/{id}"] = request.V1Scoped(local(bare(http.StatusOK, d.get(r))))
	routes["PUT "+path+"/{id}"] = request.V1Scoped(local(bare(http.StatusOK, d.update(r))))
	routes["DELETE "+path+"/{id}"] = request.V1Scoped(d.v1Remove(r))
}

// v1List answers with a page of bodies, without an envelope around them.
func (d *door) v1List(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		ng, err := inNG(c, v1Fields)
		if err != nil {
			return httpio.Answer{}, err
		}
		rows, total, p, err := d.rows(ng, r, listing{fallback: 30})
		if err != nil {
			return httpio.Answer{}, err
		}
		items, err := d.shown(ng, r, rows)
		return v1Page(items, total, p), err
	}
}

// v1Remove answers with what was there.
func (d *door) v1Remove(r resource) request.Handler {
	get, remove := bare(http.StatusOK, d.get(r)), d.remove(r)
	return func(c *request.Call) (httpio.Answer, error) {
		if err := c.Allow(govern.Delete, r.ref(c)); err != nil {
			return httpio.Answer{}, err
		}
		was, err := get(c)
		if err != nil {
			return httpio.Answer{}, err
		}
		if c.Q.Get("force_delete") == "true" {
			c.Q.Set("forceDelete", "true")
		}
		_, err = remove(c)
		return was, httpio.Plainly(err)
	}
}

// v1Entity is what the bodies of these kinds say.
type v1Entity struct {
	Identifier  string            `json:"identifier"`
	Slug        string            `json:"slug"` // as older clients call it
	Org         string            `json:"org"`
	Project     string            `json:"project"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Tags        map[string]string `json:"tags"`
	Color       string            `json:"color"`
	Modules     []string          `json:"modules"`
	Type        string            `json:"type"`
	YAML        string            `json:"yaml"`
	Git         map[string]any    `json:"git_details"`
}

// v1Keys are the keys that the bodies of some kinds stand below.
var v1Keys = map[core.EntityKind]string{core.EntityOrganization: "org", core.EntityProject: "project"}

func v1Read(kind core.EntityKind) func(*request.Call) (sent, error) {
	return func(c *request.Call) (sent, error) {
		in, err := v1Body(c, v1Keys[kind])
		if err == nil {
			err = request.Inline(in.Git)
		}
		if err == nil {
			err = in.agrees(c)
		}
		if err != nil {
			return sent{}, err
		}
		return in.sent(c, kind)
	}
}

func v1Body(c *request.Call, key string) (in v1Entity, err error) {
	if key == "" {
		return in, httpio.JSON(c.Request, httpio.MaxBody, &in)
	}
	below := map[string]json.RawMessage{}
	if err := httpio.JSON(c.Request, httpio.MaxBody, &below); err != nil {
		return in, err
	}
	if json.Unmarshal(below[key], &in) != nil {
		return in, fault.New(fault.Invalid, "the body is {%q: {…}}", key)
	}
	return in, nil
}

func (in v1Entity) sent(c *request.Call, kind core.EntityKind) (sent, error) {
	n := named{Identifier: cmp.Or(in.Identifier, in.Slug, c.PathValue("id")), Org: c.At.Org, Project: c.At.Project,
		Name: in.Name, Description: in.Description, Tags: in.Tags}
	text := withYAML{named: n, YAML: in.YAML}
	switch kind {
	case core.EntityEnvironment:
		return environmentBody{withYAML: text, Color: in.Color, Type: in.Type}.environment(c)
	case core.EntityService:
		return text.sent(c, kind, n)
	case core.EntityOrganization:
		text, err := yamlOf(kind, n)
		return sent{at: core.Scope{Account: c.At.Account}, text: text}, err
	default:
		text, err := yamlOf(kind, project{Org: c.At.Org, Identifier: n.Identifier, Name: n.Name, Color: in.Color, Modules: in.Modules,
			Description: n.Description, Tags: n.Tags})
		return sent{at: c.At, text: text}, err
	}
}

// agrees holds the scope of a body to the path's.
func (in v1Entity) agrees(c *request.Call) error {
	for _, f := range []struct{ name, body, path string }{{"org", in.Org, c.At.Org}, {"project", in.Project, c.At.Project}} {
		if f.body != "" && f.body != f.path {
			return fault.New(fault.Invalid, "%s is %q in the body and %q in the path", f.name, f.body, f.path)
		}
	}
	return nil
}

// v1Show shows an entity below a key.
func v1Show(key string) func(core.Entity) (any, error) {
	return func(e core.Entity) (any, error) {
		m := map[string]any{"identifier": e.Identifier, "slug": e.Identifier, "name": e.Name, "description": e.Description, "tags": tagsOf(e.Tags)}
		out := map[string]any{key: m, "created": e.Created, "updated": e.Updated}
		switch e.Kind {
		case core.EntityOrganization:
			out["harness_managed"] = e.Identifier == core.DefaultOrg
			return out, nil
		case core.EntityProject:
			in, err := body(e)
			m["org"], m["color"], m["modules"] = e.Scope.Org, e.Facts["color"], in["modules"]
			return out, err
		case core.EntityEnvironment:
			m["color"], m["type"] = cmp.Or(e.Facts["color"], plainColor), e.Type
		default: // services have nothing of their own
		}
		m["account"], m["yaml"] = e.Scope.Account, e.YAML
		if e.Scope.Org != "" {
			m["org"] = e.Scope.Org
		}
		if e.Scope.Project != "" {
			m["project"] = e.Scope.Project
		}
		return out, nil
	}
}
