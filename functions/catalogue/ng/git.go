package ng

import (
	"net/http"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// gitRoutes answer what means Git: all is kept here.
func (d *door) gitRoutes() httpio.Routes {
	routes := httpio.Routes{}
	const project = "/v1/orgs/{org}/projects/{project}"
	for _, path := range append(v1Paths("templates/{id}/import"), project+"/pipelines/{id}/import", project+"/input-sets/{id}/import",
		project+"/pipelines/{id}/move-config", project+"/input-sets/{id}/move-config") {
		routes["POST "+path] = request.V1Scoped(inGitOnly)
	}
	for _, path := range []string{"/pipeline/api/pipelines/import", "/pipeline/api/pipelines/import/{id}", "/pipeline/api/pipelines/move-config/{id}",
		"/pipeline/api/inputSets/import/{id}", "/pipeline/api/inputSets/move-config/{id}", "/template/api/templates/import/{id}",
		"/template/api/templates/move-config/{id}", "/template/api/templates/update/git-metadata/{id}/{label}"} {
		routes["POST "+path] = request.Scoped(inGitOnly)
	}
	for _, path := range []string{"/pipeline/api/pipelines/list-repos", "/template/api/templates/list-repo"} {
		routes["GET "+path] = request.Scoped(inGitOnly)
	}
	kinds := map[string]func(*request.Call) core.EntityRef{
		project + "/pipelines/{id}/git-metadata":  refer(core.EntityPipeline, ""),
		project + "/input-sets/{id}/git-metadata": refer(core.EntityInputSet, "pipeline"),
	}
	for _, path := range v1Paths("templates/git-metadata/{id}") {
		kinds[path] = referTemplate
	}
	for path, ref := range kinds {
		routes["PUT "+path] = request.V1Scoped(d.gitMetadata(ref))
	}
	return routes
}

func inGitOnly(c *request.Call) (httpio.Answer, error) {
	return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: pipelines, input sets and templates in Git")
}

// refer names an entity by the path, and its parent by a query parameter.
func refer(kind core.EntityKind, parent string) func(*request.Call) core.EntityRef {
	return resource{kind: kind, parent: parent}.ref
}

// gitMetadata takes what says nothing of Git, which Harness's Terraform provider sends
// before each change of what has git_details.
func (d *door) gitMetadata(ref func(*request.Call) core.EntityRef) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		var in struct {
			Connector string         `json:"connector_ref"`
			Repo      string         `json:"repo_name"`
			File      string         `json:"file_path"`
			Git       map[string]any `json:"git_details"`
		}
		if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
			return httpio.Answer{}, err
		}
		if in.Connector+in.Repo+in.File != "" {
			return inGitOnly(c)
		}
		if err := request.Inline(in.Git); err != nil {
			return httpio.Answer{}, err
		}
		r := ref(c)
		if err := c.Allow(govern.Edit, r); err != nil {
			return httpio.Answer{}, err
		}
		e, err := d.Catalogue.Get(c.Ctx, r)
		return httpio.Answer{Status: http.StatusOK, Body: map[string]any{"entity_identifier": e.Identifier}}, err
	}
}
