package ng

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// merging is Harness's MergeInputSetRequest.
type merging struct {
	References []string `json:"inputSetReferences"`
	Whole      bool     `json:"withMergedPipelineYaml"`
	Stages     []string `json:"stageIdentifiers"`
	Last       string   `json:"lastYamlToMerge"`
	Branch     string   `json:"inputSetBranchName"`
}

// merged is what came of it.
type merged struct {
	inputs, whole any
	wrong         map[string][]any // what does not fit, by input set
	absent        []string
}

// merge lays the input sets of a request over the pipeline that its query names.
func (d *door) merge(c *request.Call, param string, in merging) (m merged, err error) {
	if in.Branch != "" {
		return m, fault.New(fault.Unsupported, "not supported yet: inputSetBranchName")
	}
	p, err := d.viewed(c, core.EntityRef{Kind: core.EntityPipeline, Scope: c.At, Identifier: c.Q.Get(param)})
	if err != nil {
		return m, httpio.Missing(err)
	}
	f := entity.Filling{Last: in.Last, Stages: in.Stages}
	files := map[string]string{}
	for _, id := range in.References {
		set, err := d.Catalogue.Get(c.Ctx, core.EntityRef{Kind: core.EntityInputSet, Scope: c.At, Parent: p.Identifier, Identifier: id})
		switch {
		case fault.Is(err, fault.NotFound):
			m.absent = append(m.absent, id)
			continue
		case err != nil:
			return m, err
		}
		f.Sets = append(f.Sets, set)
		files[entity.FileOf(set.EntityRef)] = id
	}
	filled, said, err := d.Catalogue.Fill(c.Ctx, p, f)
	if err != nil {
		return m, err
	}
	m.inputs, m.wrong = orNil(filled.Inputs), map[string][]any{}
	if in.Whole {
		m.whole = filled.Pipeline
	}
	for _, x := range said {
		if x.Severity == core.SeverityError && x.File != entity.FileOf(p.EntityRef) {
			id := files[x.File]
			if id == "" {
				id = x.File // what an overlay brings in, or the last
			}
			m.wrong[id] = append(m.wrong[id], map[string]any{"fieldName": x.Path, "message": x.String(), "identifierOfErrorSource": id})
		}
	}
	return m, nil
}

// failed reports whether something does not fit, or is not there.
func (m merged) failed() bool { return len(m.wrong)+len(m.absent) > 0 }

// errors are what does not fit, by input set, under a name for the list of each.
func (m merged) errors() map[string]any {
	out := map[string]any{}
	for id, list := range m.wrong {
		out[id] = map[string]any{"errors": list}
	}
	return out
}

// mergeInputSets answers with Harness's MergeInputSetResponse.
func (d *door) mergeInputSets(c *request.Call) (httpio.Answer, error) {
	var in merging
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	m, err := d.merge(c, "pipelineIdentifier", in)
	if err != nil {
		return httpio.Answer{}, err
	}
	out := map[string]any{"pipelineYaml": m.inputs, "completePipelineYaml": m.whole, "isErrorResponse": m.failed(), "errorResponse": m.failed(), "inputSetErrorWrapper": nil}
	if m.failed() {
		out["pipelineYaml"], out["completePipelineYaml"] = nil, nil
		out["inputSetErrorWrapper"] = map[string]any{"type": "InputSetErrorWrapperDTO", "errorPipelineYaml": m.inputs,
			"uuidToErrorResponseMap": m.errors(), "invalidInputSetReferences": append([]string{}, m.absent...)}
	}
	return httpio.OK(c.Request, out), nil
}

// v1MergeInputSets answers with Harness's MergeInputSetResponseBody.
func (d *door) v1MergeInputSets(c *request.Call) (httpio.Answer, error) {
	var in struct {
		References []string `json:"input_set_references"`
		Whole      bool     `json:"with_merged_pipeline_yaml"`
		Stages     []string `json:"stage_identifiers"`
		Last       string   `json:"last_yaml_to_merge"`
		OnlyFile   bool     `json:"get_only_file_content"`
	}
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	m, err := d.merge(c, "pipeline", merging{References: in.References, Whole: in.Whole, Stages: in.Stages, Last: in.Last})
	if err != nil {
		return httpio.Answer{}, httpio.Plainly(err)
	}
	out := map[string]any{"inputs_yaml_merged": m.inputs, "is_error_response": m.failed()}
	if in.Whole {
		out["merged_pipeline_yaml"] = m.whole
	}
	if m.failed() {
		out = map[string]any{"is_error_response": true, "inputset_error_wrapper": map[string]any{"error_pipeline_yaml": m.inputs,
			"uuid_to_error_response_map": m.errors(), "invalid_inputset_references": append([]string{}, m.absent...)}}
	}
	return httpio.Answer{Body: out}, nil
}

// inputTemplate answers with the runtime inputs of a pipeline, as the YAML that an
// input set fills in.
func (d *door) inputTemplate(c *request.Call) (httpio.Answer, error) {
	var in struct {
		Stages []string `json:"stageIdentifiers"`
	}
	if err := httpio.OptionalJSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	p, err := d.viewed(c, core.EntityRef{Kind: core.EntityPipeline, Scope: c.At, Identifier: c.Q.Get("pipelineIdentifier")})
	if err != nil {
		return httpio.Answer{}, httpio.Missing(err)
	}
	filled, said, err := d.Catalogue.Fill(c.Ctx, p, entity.Filling{Stages: in.Stages})
	if err != nil {
		return httpio.Answer{}, err
	}
	if filled.Pipeline == "" {
		return httpio.Answer{}, httpio.Diagnosed(said)
	}
	sets, _, err := d.Catalogue.List(c.Ctx, entity.Query{Kind: core.EntityInputSet, Scope: c.At, Parent: p.Identifier, Limit: 1})
	return httpio.OK(c.Request, map[string]any{"inputSetTemplateYaml": orNil(filled.Inputs), "hasInputSets": len(sets) > 0, "modules": []string{"cd"},
		"replacedExpressions": []string{}}), err
}

// bulkInputSets answers with the YAML of several input sets of a pipeline, in the order
// in which they are asked for.
func (d *door) bulkInputSets(c *request.Call) (httpio.Answer, error) {
	var in struct {
		Identifiers []string `json:"inputSetIdentifiers"`
	}
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	if len(in.Identifiers) > maxBatch {
		return httpio.Answer{}, fault.New(fault.TooLarge, "%d input sets: one request may ask for %d", len(in.Identifiers), maxBatch)
	}
	sets := []any{}
	for _, id := range in.Identifiers {
		set, err := d.viewed(c, core.EntityRef{Kind: core.EntityInputSet, Scope: c.At, Parent: c.Q.Get("pipelineIdentifier"), Identifier: id})
		if err != nil {
			return httpio.Answer{}, httpio.Missing(err)
		}
		shown := shownInputSet(set)
		shown["inputSetYaml"], shown["inputSetErrorWrapper"] = set.YAML, nil
		sets = append(sets, shown)
	}
	return httpio.OK(c.Request, map[string]any{"inputSets": sets}), nil
}
