package ng

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// v1Pipeline is the body of Harness's PipelineCreateRequestBody and
// PipelineUpdateRequestBody.
type v1Pipeline struct {
	YAML       string            `json:"pipeline_yaml"`
	Identifier string            `json:"identifier"`
	Name       string            `json:"name"`
	Desc       string            `json:"description"`
	Tags       map[string]string `json:"tags"`
	Git        map[string]any    `json:"git_details"`
}

// v1Save keeps the pipeline in the body. What the body says beside the YAML must agree
// with it, for the YAML is kept as it is.
func (d pipelines) v1Save(c *request.Call, mode entity.Mode) (core.Entity, error) {
	var in v1Pipeline
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return core.Entity{}, err
	}
	if err := request.Inline(in.Git); err != nil {
		return core.Entity{}, err
	}
	if strings.TrimSpace(in.YAML) == "" {
		return core.Entity{}, fault.New(fault.Invalid, "field pipeline_yaml is needed: the text of a pipeline")
	}
	return d.keep(c, in.YAML, mode, func(e *core.Entity) error {
		if in.Identifier != "" && in.Identifier != e.Identifier {
			return fault.New(fault.Invalid, "identifier is %q in the body and %q in its YAML", in.Identifier, e.Identifier)
		}
		e.Name, e.Description = cmp.Or(in.Name, e.Name), cmp.Or(in.Desc, e.Description)
		if len(in.Tags) > 0 {
			e.Tags = in.Tags
		}
		return nil
	})
}

func (d pipelines) v1CreatePipeline(c *request.Call) (httpio.Answer, error) {
	p, err := d.v1Save(c, entity.MustCreate)
	return httpio.Answer{Status: http.StatusCreated, Body: map[string]any{"identifier": p.Identifier}}, err
}

func (d pipelines) v1UpdatePipeline(c *request.Call) (httpio.Answer, error) {
	p, err := d.v1Save(c, entity.MustReplace)
	return httpio.Answer{Body: map[string]any{"identifier": p.Identifier}}, err
}

// v1PatchPipeline changes what the body says of a pipeline, and leaves the rest.
func (d pipelines) v1PatchPipeline(c *request.Call) (httpio.Answer, error) {
	var in struct {
		YAML string            `json:"pipeline_yaml"`
		Name string            `json:"name"`
		Desc string            `json:"desc"`
		Tags map[string]string `json:"tags"`
		Git  map[string]any    `json:"git_details"`
	}
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	if err := request.Inline(in.Git); err != nil {
		return httpio.Answer{}, err
	}
	old, err := d.stored(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	p, err := d.keep(c, cmp.Or(in.YAML, old.YAML), entity.MustReplace, func(e *core.Entity) error {
		if in.YAML == "" {
			e.Name, e.Description, e.Tags = old.Name, old.Description, old.Tags
		}
		e.Name, e.Description = cmp.Or(in.Name, e.Name), cmp.Or(in.Desc, e.Description)
		if len(in.Tags) > 0 {
			e.Tags = in.Tags
		}
		return nil
	})
	return httpio.Answer{Body: map[string]any{"identifier": p.Identifier}}, err
}

func (d pipelines) v1GetPipeline(c *request.Call) (httpio.Answer, error) {
	if err := httpio.Unsupported(c.Q, "branch_name", "branch", "connector_ref", "repo_name"); err != nil {
		return httpio.Answer{}, err
	}
	p, err := d.stored(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	body := v1Listed(entity.Row(p))
	delete(body, "store_type")
	body["pipeline_yaml"], body["org"], body["project"] = p.YAML, c.At.Org, c.At.Project
	if c.Q.Get("template_applied") == "true" {
		body["template_applied_pipeline_yaml"], _, err = d.Catalogue.Applied(c.Ctx, p.Scope, entity.FileOf(p.EntityRef), p.YAML)
	}
	if c.Q.Get("validate_async") == "true" {
		body["validation_uuid"] = request.ValidationID(p.Identifier)
	}
	return httpio.Answer{Body: body}, err
}

func (d pipelines) v1DeletePipeline(c *request.Call) (httpio.Answer, error) {
	return httpio.Answer{Status: http.StatusNoContent}, d.remove(c)
}

// v1Listed is Harness's PipelineListResponseBody.
func v1Listed(p core.EntityRow) map[string]any {
	return map[string]any{"identifier": p.Identifier, "name": p.Name, "description": p.Description, "tags": tagsOf(p.Tags),
		"created": p.Created, "updated": p.Updated, "modules": []string{"cd"}, "store_type": "INLINE", "valid": !p.Draft}
}

func (d pipelines) v1ListPipelines(c *request.Call) (httpio.Answer, error) {
	err := httpio.Unsupported(c.Q, "filter_identifier", "module=cd", "service_names", "env_names", "deployment_type", "repository")
	if err != nil {
		return httpio.Answer{}, err
	}
	page, err := httpio.ReadPaging(c.Q, "limit", 30, 100)
	if err != nil {
		return httpio.Answer{}, err
	}
	f := pipelineFilter{Identifiers: httpio.Values(c.Q, "pipeline_identifiers"), Name: c.Q.Get("name"),
		Description: c.Q.Get("description"), term: c.Q.Get("search_term")}
	for _, t := range httpio.Values(c.Q, "tags") {
		k, v, _ := strings.Cut(t, ":")
		f.Tags = append(f.Tags, request.Tag{Key: k, Value: v})
	}
	order, ok := map[string]string{"": "lastUpdatedAt", "identifier": "identifier", "slug": "identifier", "name": "name",
		"created": "createdAt", "updated": "lastUpdatedAt"}[c.Q.Get("sort")]
	if !ok {
		return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: query parameter sort=%s", c.Q.Get("sort"))
	}
	rows, total, err := d.rowsOf(c, f, page, order+","+cmp.Or(c.Q.Get("order"), "DESC"))
	if err != nil {
		return httpio.Answer{}, err
	}
	listed := []map[string]any{}
	for _, p := range rows {
		listed = append(listed, v1Listed(p.EntityRow))
	}
	return httpio.Answer{Body: listed, Header: map[string]string{"X-Total-Elements": strconv.Itoa(total),
		"X-Page-Number": strconv.Itoa(page.Page), "X-Page-Size": strconv.Itoa(page.Size)}}, nil
}
