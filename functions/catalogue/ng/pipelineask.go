package ng

import (
	"maps"
	"net/http"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// pipelineRoutes are all there is of pipelines but running them.
func (d *door) pipelineRoutes() httpio.Routes {
	const (
		v1 = "/v1/orgs/{org}/projects/{project}/pipelines"
		ng = "/pipeline/api/pipelines"
	)
	routes := httpio.Routes{
		"GET " + ng + "/summary/{id}":   request.Project(local(d.pipelineSummary)),
		"POST " + ng + "/clone":         request.Account(local(d.clonePipeline)),
		"POST " + v1 + "/{id}/validate": request.V1(local(d.v1Validate)),
		"GET " + v1 + "/{id}/{uuid}":    request.V1(d.v1Validation),
	}
	maps.Copy(routes, pipelines{d}.routes())
	maps.Copy(routes, d.usageRoutes())
	maps.Copy(routes, d.templateUseRoutes())
	return routes
}

// pipelineSummary is Harness's PMSPipelineSummaryResponse.
func (d *door) pipelineSummary(c *request.Call) (httpio.Answer, error) {
	ref := refer(core.EntityPipeline, "")(c)
	if err := c.Allow(govern.View, ref); err != nil {
		return httpio.Answer{}, err
	}
	e, err := d.Catalogue.Get(c.Ctx, ref)
	if err != nil {
		return httpio.Answer{}, httpio.Missing(err)
	}
	stages := strings.FieldsFunc(e.Facts["stages"], func(r rune) bool { return r == '\n' })
	a := httpio.OK(c.Request, map[string]any{"name": e.Name, "identifier": e.Identifier, "description": e.Description, "tags": tagsOf(e.Tags),
		"version": e.Version, "numOfStages": len(stages), "stageNames": append([]string{}, stages...), "createdAt": e.Created, "lastUpdatedAt": e.Updated,
		"modules": []string{"cd"}, "filters": map[string]any{}, "gitDetails": map[string]any{}, "storeType": "INLINE", "yamlVersion": "0",
		"isDraft": e.Draft != "", "entityValidityDetails": map[string]any{"valid": e.Draft == "", "invalidYaml": nil}})
	a.Header = map[string]string{"ETag": request.ETag(e)}
	return a, nil
}

// validation is the part of a path that asks how a validation went, in the place of a
// pipeline's identifier.
const validation = "validate"

// v1Validate gives out an id under which the pipeline's validation can be read.
func (d *door) v1Validate(c *request.Call) (httpio.Answer, error) {
	e, err := d.viewed(c, refer(core.EntityPipeline, "")(c))
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.Answer{Body: map[string]any{"uuid": request.ValidationID(e.Identifier)}}, nil
}

// viewed reads an entity for somebody who may see it.
func (d *door) viewed(c *request.Call, ref core.EntityRef) (core.Entity, error) {
	if err := c.Allow(govern.View, ref); err != nil {
		return core.Entity{}, err
	}
	return d.Catalogue.Get(c.Ctx, ref)
}

// v1Validation is Harness's PipelineValidationResponseBody.
func (d *door) v1Validation(c *request.Call) (httpio.Answer, error) {
	if what := c.PathValue("uuid"); c.PathValue("id") != validation && (what == "inputs" || what == "inputs-schema") {
		return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: a pipeline's %s; POST /pipeline/api/inputSets/template has its inputs", what)
	}
	id, err := request.Validated(c.PathValue("uuid"))
	if c.PathValue("id") != validation {
		err = fault.New(fault.NotFound, "a pipeline has no %s", c.PathValue("uuid"))
	}
	if err != nil {
		return httpio.Answer{}, err
	}
	e, err := d.viewed(c, core.EntityRef{Kind: core.EntityPipeline, Scope: c.At, Identifier: id})
	if err != nil {
		return httpio.Answer{}, err
	}
	from := core.Millis(d.Clock.Now())
	said, err := d.Catalogue.Compiled(c.Ctx, e)
	if err != nil {
		return httpio.Answer{}, err
	}
	wrong := entity.Breaking(said)
	status := "SUCCESS"
	if len(wrong) > 0 {
		status = "FAILURE"
	}
	return httpio.Answer{Status: http.StatusOK, Body: map[string]any{"status": status, "policy_eval": map[string]any{}, "start_ts": from,
		"end_ts": core.Millis(d.Clock.Now()), "template_validation_response": map[string]any{"valid_yaml": len(wrong) == 0, "exception_message": wrong.String()},
		"diagnostics": said}}, nil
}
