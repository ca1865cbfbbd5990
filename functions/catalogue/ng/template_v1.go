package ng

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// v1TemplateRoutes are templates as Harness's v1 routes have them, which its Terraform
// provider uses.
func (d *door) v1TemplateRoutes(routes httpio.Routes, r resource) {
	r.read, r.show = v1ReadTemplate, v1ShowTemplate
	for _, path := range v1Paths("templates") {
		version := path + "/{id}/versions/{label}"
		routes["GET "+path] = request.V1Scoped(local(d.v1ListTemplates))
		routes["POST "+path] = request.V1Scoped(local(bare(http.StatusCreated, d.create(r))))
		routes["GET "+path+"/{id}"] = request.V1Scoped(local(d.v1GetTemplate))
		routes["GET "+version] = request.V1Scoped(local(d.v1GetTemplate))
		routes["PUT "+version] = request.V1Scoped(local(bare(http.StatusOK, d.update(r))))
		routes["DELETE "+version] = request.V1Scoped(local(bare(http.StatusNoContent, d.remove(r))))
		routes["PUT "+version+"/stable"] = request.V1Scoped(local(d.v1MakeStable))
	}
}

// v1Template is Harness's TemplateCreateRequestBody and TemplateUpdateRequestBody.
type v1Template struct {
	YAML        string            `json:"template_yaml"`
	Identifier  string            `json:"identifier"`
	Name        string            `json:"name"`
	Label       string            `json:"label"`
	Description string            `json:"description"`
	Tags        map[string]string `json:"tags"`
	Stable      bool              `json:"is_stable"`
	Git         map[string]any    `json:"git_details"`
}

func v1ReadTemplate(c *request.Call) (sent, error) {
	var in v1Template
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	if strings.TrimSpace(in.YAML) == "" {
		return sent{}, fault.New(fault.Invalid, "field template_yaml is needed: the text of a template")
	}
	path := labelled(c)
	return sent{at: c.At, text: in.YAML, id: in.Identifier, stable: in.Stable,
		amend: func(e *core.Entity) error {
			if in.Label != "" && in.Label != e.Label {
				return fault.New(fault.Invalid, "label is %q in the body and versionLabel %q in its YAML", in.Label, e.Label)
			}
			named{Name: in.Name, Description: in.Description, Tags: in.Tags}.over(e)
			return path(e)
		}}, request.Inline(in.Git)
}

// v1ShowTemplate is Harness's TemplateResponse of the v1 routes.
func v1ShowTemplate(e core.Entity) (any, error) {
	out := v1TemplateRow(entity.Row(e), e.Scope)
	out["yaml"], out["description"] = e.YAML, e.Description
	return out, nil
}

func v1TemplateRow(r core.EntityRow, at core.Scope) map[string]any {
	out := map[string]any{"account": at.Account, "identifier": r.Identifier, "slug": r.Identifier, "name": r.Name, "description": r.Description,
		"tags": tagsOf(r.Tags), "version_label": r.Label, "entity_type": r.Type, "child_type": r.Facts["childType"], "scope": level(at),
		"version": r.Version, "updated": r.Updated, "store_type": "INLINE", "yaml_version": "0", "stable_template": r.Stable}
	if at.Org != "" {
		out["org"] = at.Org
	}
	if at.Project != "" {
		out["project"] = at.Project
	}
	return out
}

// v1GetTemplate answers with a version, and with its inputs when they are wanted.
func (d *door) v1GetTemplate(c *request.Call) (httpio.Answer, error) {
	ref := referTemplate(c)
	if err := c.Allow(govern.View, ref); err != nil {
		return httpio.Answer{}, err
	}
	e, err := d.Catalogue.Get(c.Ctx, ref)
	if err != nil {
		return httpio.Answer{}, err
	}
	t, err := v1ShowTemplate(e)
	if err != nil {
		return httpio.Answer{}, err
	}
	out := map[string]any{"template": t}
	if c.Q.Get("include_yaml") == "true" {
		if out["inputs"], err = d.Catalogue.TemplateInputs(c.Ctx, e); err != nil {
			return httpio.Answer{}, err
		}
	}
	return httpio.Answer{Body: out, Header: map[string]string{"ETag": request.ETag(e)}}, nil
}

func (d *door) v1MakeStable(c *request.Call) (httpio.Answer, error) {
	e, err := d.stabilize(c)
	return httpio.Answer{Body: map[string]any{"stable_version": e.Label}, Header: map[string]string{"ETag": request.ETag(e)}}, err
}

func (d *door) v1ListTemplates(c *request.Call) (httpio.Answer, error) {
	f := templateFilter{Names: httpio.Values(c.Q, "names"), Description: c.Q.Get("description"),
		Types: httpio.Values(c.Q, "entity_types"), Children: httpio.Values(c.Q, "child_types")}
	r, l, err := templateListing(c, f, cmp.Or(c.Q.Get("type"), c.Q.Get("template_list_type")), c.Q.Get("recursive") == "true")
	if err != nil {
		return httpio.Answer{}, err
	}
	l.fallback = 30
	in, err := inNG(c, v1Fields)
	if err != nil {
		return httpio.Answer{}, err
	}
	rows, total, p, err := d.rows(in, r, l)
	items := []any{}
	for _, row := range rows {
		items = append(items, v1TemplateRow(row.EntityRow, row.At))
	}
	return v1Page(items, total, p), err
}
