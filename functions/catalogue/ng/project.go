package ng

import (
	"slices"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) projectRoutes() httpio.Routes {
	const path = "/ng/api/projects"
	r := resource{kind: core.EntityProject, read: readProject, show: showProject}
	return httpio.Routes{
		"GET " + path:              request.Scoped(d.listProjects(r)),
		"GET " + path + "/list":    request.Account(d.listProjects(r)),
		"POST " + path:             request.Scoped(d.create(r)),
		"GET " + path + "/{id}":    request.Scoped(d.get(r)),
		"PUT " + path + "/{id}":    request.Scoped(d.update(r)),
		"DELETE " + path + "/{id}": request.Scoped(d.remove(r)),
	}
}

// listProjects lists the projects of an organization, of several (orgIdentifiers), or
// those of all.
func (d *door) listProjects(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		l := listing{order: "name,ASC", refused: []string{"moduleType", "onlyFavorites"}}
		if c.At.Org == "" {
			orgs, _, err := d.Catalogue.List(c.Ctx, entity.Query{Kind: core.EntityOrganization, Scope: c.At})
			if err != nil {
				return httpio.Answer{}, err
			}
			wanted := httpio.Values(c.Q, "orgIdentifiers")
			for _, o := range orgs {
				if len(wanted) > 0 && !slices.Contains(wanted, o.Identifier) {
					continue
				}
				l.include = append(l.include, core.Scope{Account: c.At.Account, Org: o.Identifier})
			}
		}
		return d.list(r, l)(c)
	}
}

// project is Harness's Project.
type project struct {
	Org         string            `json:"orgIdentifier,omitempty"`
	Identifier  string            `json:"identifier,omitempty"`
	Name        string            `json:"name,omitempty"`
	Color       string            `json:"color,omitempty"`
	Modules     []string          `json:"modules,omitempty"`
	Description string            `json:"description,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
}

func readProject(c *request.Call) (sent, error) {
	var in struct {
		Project project `json:"project"`
	}
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	if err := (named{Identifier: in.Project.Identifier, Name: in.Project.Name}).called(core.EntityProject); err != nil && in.Project.Identifier != "" {
		return sent{}, err
	}
	at, err := named{Org: in.Project.Org}.home(c)
	if err == nil && at.Org == "" {
		err = fault.New(fault.Invalid, "a project needs an organization: orgIdentifier")
	}
	if err != nil {
		return sent{}, err
	}
	in.Project.Org = at.Org
	text, err := yamlOf(core.EntityProject, in.Project)
	return sent{at: core.Scope{Account: at.Account, Org: at.Org}, text: text}, err
}

// showProject is Harness's ProjectResponse.
func showProject(e core.Entity) (any, error) {
	in, err := body(e)
	modules := in["modules"]
	if modules == nil {
		modules = []string{}
	}
	return map[string]any{
		"project": map[string]any{"orgIdentifier": e.Scope.Org, "identifier": e.Identifier, "name": e.Name, "color": orNil(e.Facts["color"]),
			"modules": modules, "description": e.Description, "tags": tagsOf(e.Tags)},
		"createdAt": e.Created, "lastModifiedAt": e.Updated, "isFavorite": false,
	}, err
}
