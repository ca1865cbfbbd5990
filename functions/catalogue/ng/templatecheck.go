package ng

import (
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// templateUseRoutes put templates into pipelines and say whether what is given to them
// fits.
func (d *door) templateUseRoutes() httpio.Routes {
	routes := httpio.Routes{
		"GET /pipeline/api/refresh-template/validate-template-inputs": request.Project(local(d.validateTemplateInputs)),
		"POST /pipeline/api/refresh-template/refresh-all":             request.Project(refreshing),
		"POST /template/api/refresh-template/refreshed-yaml":          request.Scoped(refreshing),
		"GET /template/api/refresh-template/validate-template-inputs": request.Scoped(refreshing),
		"GET /template/api/templates/{id}/{what}":                     request.Scoped(local(d.templateLabels)),
		"POST /template/api/templates/{id}/labels/replace":            request.Scoped(labelling),
	}
	for _, path := range []string{"/template/api/templates/applyTemplates", "/template/api/templates/v2/applyTemplates"} {
		routes["POST "+path] = request.Scoped(local(d.applyTemplates))
	}
	return routes
}

func refreshing(*request.Call) (httpio.Answer, error) {
	return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: reconciling inputs with their templates; validate-template-inputs of a pipeline says what differs")
}

func labelling(*request.Call) (httpio.Answer, error) {
	return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: labels of templates beside versionLabel")
}

// applyTemplates answers with a pipeline with its templates put in: Harness's
// TemplateMergeResponse.
func (d *door) applyTemplates(c *request.Call) (httpio.Answer, error) {
	var in struct {
		YAML string `json:"originalEntityYaml"`
	}
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	if err := c.Allow(govern.View, core.EntityRef{Kind: core.EntityTemplate, Scope: c.At}); err != nil {
		return httpio.Answer{}, err
	}
	const file = "originalEntityYaml"
	text, said, err := d.Catalogue.Applied(c.Ctx, c.At, file, in.YAML)
	if err != nil {
		return httpio.Answer{}, err
	}
	if wrong := entity.Breaking(said); text == "" || len(wrong) > 0 {
		for i := range wrong {
			wrong[i].Severity = core.SeverityError // to whoever wants it put in
		}
		return httpio.Answer{}, httpio.Diagnosed(wrong)
	}
	used := []any{}
	if p, _ := document.Read(in.YAML, document.Expected{Kind: core.EntityPipeline, Scope: c.At, File: file}); p != nil {
		for _, u := range p.Uses {
			if u.Kind == core.EntityTemplate {
				used = append(used, map[string]any{"scope": level(u.Scope), "templateIdentifier": u.Identifier, "versionLabel": orNil(u.Label),
					"stableTemplate": u.Label == "", "moduleInfo": []string{"cd"}})
			}
		}
	}
	return httpio.OK(c.Request, map[string]any{"mergedPipelineYaml": text, "mergedPipelineYamlWithTemplateRef": in.YAML, "templateReferenceSummaries": used,
		"processedYamlVersion": "0"}), nil
}

// validateTemplateInputs says where what a pipeline gives to its templates does not fit
// them: Harness's ValidateTemplateInputsResponseDTO.
func (d *door) validateTemplateInputs(c *request.Call) (httpio.Answer, error) {
	e, err := d.viewed(c, core.EntityRef{Kind: core.EntityPipeline, Scope: c.At, Identifier: c.Q.Get("identifier")})
	if err != nil {
		return httpio.Answer{}, httpio.Missing(err)
	}
	said, err := d.Catalogue.Compiled(c.Ctx, e)
	if err != nil {
		return httpio.Answer{}, err
	}
	nodes := []any{}
	for _, x := range said {
		if x.Code == compile.CodeOutOfSync || x.Code == compile.CodeTemplate || x.Code == compile.CodeNotFound {
			nodes = append(nodes, map[string]any{"nodeInfo": map[string]any{"identifier": e.Identifier, "name": e.Name,
				"localFqn": strings.ReplaceAll(strings.TrimPrefix(x.Path, "/"), "/", ".")}, "errorMessage": x.String(), "childrenErrorNodes": []any{}})
		}
	}
	out := map[string]any{"validYaml": len(nodes) == 0, "type": "ValidateTemplateInputsResponseDTO", "errorNodeSummary": nil}
	if len(nodes) > 0 {
		out["errorNodeSummary"] = map[string]any{"nodeInfo": map[string]any{"identifier": e.Identifier, "name": e.Name, "localFqn": "pipeline"}, "childrenErrorNodes": nodes}
	}
	return httpio.OK(c.Request, out), nil
}

// templateLabels answers with the labels of a template's versions: that of the stable
// one. It is Harness's TemplateLabelMapResponse.
func (d *door) templateLabels(c *request.Call) (httpio.Answer, error) {
	if c.PathValue("what") != "labels" {
		return httpio.Answer{}, fault.New(fault.NotFound, "a template has no %s", c.PathValue("what"))
	}
	ref := core.EntityRef{Kind: core.EntityTemplate, Scope: c.At, Identifier: c.PathValue("id")}
	if err := c.Allow(govern.View, ref); err != nil {
		return httpio.Answer{}, err
	}
	rows, _, err := d.Catalogue.List(c.Ctx, entity.Query{Kind: ref.Kind, Scope: ref.Scope, Identifiers: []string{ref.Identifier}})
	if err != nil {
		return httpio.Answer{}, err
	}
	if len(rows) == 0 {
		return httpio.Answer{}, httpio.Missing(fault.New(fault.NotFound, "there is no %s", ref))
	}
	labels, stable := map[string][]string{}, ""
	for _, row := range rows {
		if row.Stable {
			stable = row.Label
		}
		if wanted := c.Q.Get("versionLabel"); wanted != "" && wanted != row.Label {
			continue
		}
		if labels[row.Label] = []string{}; row.Stable {
			labels[row.Label] = []string{"stable"}
		}
	}
	return httpio.OK(c.Request, map[string]any{"accountId": c.At.Account, "orgIdentifier": orNil(c.At.Org), "projectIdentifier": orNil(c.At.Project),
		"identifier": ref.Identifier, "versionToLabelsMapping": labels, "stableVersionLabel": orNil(stable)}), nil
}
