package ng

import (
	"net/http"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// Types of input sets.
const (
	inputSet = "INPUT_SET"
	overlay  = "OVERLAY_INPUT_SET"
)

func (d *door) inputSetRoutes() httpio.Routes {
	const path = "/pipeline/api/inputSets"
	r := resource{kind: core.EntityInputSet, parent: "pipelineIdentifier", read: readInputSet(inputSet, "pipelineIdentifier"), show: showInputSet}
	o := r
	o.read, o.show = readInputSet(overlay, "pipelineIdentifier"), showOverlay
	routes := httpio.Routes{
		"GET " + path:                   request.Project(ofPipeline("pipelineIdentifier", local(d.listInputSets))),
		"POST " + path:                  request.Project(ofPipeline("pipelineIdentifier", local(d.create(r)))),
		"GET " + path + "/{id}":         request.Project(ofPipeline("pipelineIdentifier", local(d.getInputSet(r)))),
		"PUT " + path + "/{id}":         request.Project(ofPipeline("pipelineIdentifier", local(d.update(r)))),
		"DELETE " + path + "/{id}":      request.Project(ofPipeline("pipelineIdentifier", local(d.remove(r)))),
		"POST " + path + "/overlay":     request.Project(ofPipeline("pipelineIdentifier", local(d.create(o)))),
		"GET " + path + "/overlay/{id}": request.Project(ofPipeline("pipelineIdentifier", local(d.getInputSet(o)))),
		"PUT " + path + "/overlay/{id}": request.Project(ofPipeline("pipelineIdentifier", local(d.update(o)))),
		"POST " + path + "/template":    request.Project(ofPipeline("pipelineIdentifier", local(d.inputTemplate))),
		"POST " + path + "/merge":       request.Project(ofPipeline("pipelineIdentifier", local(d.mergeInputSets))),
		"POST " + path + "/get/bulk":    request.Project(ofPipeline("pipelineIdentifier", local(d.bulkInputSets))),
	}
	d.v1InputSetRoutes(routes, r)
	return routes
}

// v1InputSetRoutes are input sets as Harness's v1 routes have them.
func (d *door) v1InputSetRoutes(routes httpio.Routes, r resource) {
	const path = "/v1/orgs/{org}/projects/{project}/input-sets"
	r.parent, r.read, r.show = "pipeline", v1ReadInputSet, v1ShowInputSet
	routes["GET "+path] = request.V1(ofPipeline("pipeline", local(d.v1ListInputSets)))
	routes["POST "+path] = request.V1(ofPipeline("pipeline", local(bare(http.StatusCreated, d.create(r)))))
	routes["POST "+path+"/merge"] = request.V1(ofPipeline("pipeline", local(d.v1MergeInputSets)))
	routes["GET "+path+"/{id}"] = request.V1(ofPipeline("pipeline", local(bare(http.StatusOK, d.get(r)))))
	routes["PUT "+path+"/{id}"] = request.V1(ofPipeline("pipeline", local(bare(http.StatusOK, d.update(r)))))
	routes["DELETE "+path+"/{id}"] = request.V1(ofPipeline("pipeline", local(bare(http.StatusNoContent, d.remove(r)))))
}

// ofPipeline holds requests to naming the pipeline.
func ofPipeline(param string, h request.Handler) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if c.Q.Get(param) == "" {
			return httpio.Answer{}, fault.New(fault.Invalid, "query parameter %s is needed: the pipeline's identifier", param)
		}
		return h(c)
	}
}

// readInputSet takes an input set or overlay as the YAML that the body is.
func readInputSet(typ, param string) func(*request.Call) (sent, error) {
	return func(c *request.Call) (sent, error) {
		text, err := httpio.Text(c.Request, httpio.MaxBody)
		return sent{at: c.At, text: text, amend: belongs(c.Q.Get(param), typ)}, err
	}
}

// belongs holds a document to the pipeline of the request, and to a type unless it is "".
func belongs(pipeline, typ string) func(*core.Entity) error {
	return func(e *core.Entity) error {
		if e.Parent != pipeline {
			return fault.New(fault.Invalid, "the document is for pipeline %q and the request for %q", e.Parent, pipeline)
		}
		if typ != "" && e.Type != typ {
			return fault.New(fault.Invalid, "the document is of type %s: expected %s", e.Type, typ)
		}
		return nil
	}
}

// ofType refuses to show an overlay as an input set and the other way round.
func ofType(e core.Entity, typ string) error {
	if e.Type != typ {
		return fault.New(fault.NotFound, "%s is of type %s, not %s", e.EntityRef, e.Type, typ)
	}
	return nil
}

// shownInputSet is what the responses of input sets and overlays have in common.
func shownInputSet(e core.Entity) map[string]any {
	return map[string]any{"accountId": e.Scope.Account, "orgIdentifier": e.Scope.Org, "projectIdentifier": e.Scope.Project,
		"pipelineIdentifier": e.Parent, "identifier": e.Identifier, "name": e.Name, "description": orNil(e.Description), "tags": tagsOf(e.Tags),
		"isErrorResponse": false, "errorResponse": false, "gitDetails": map[string]any{}, "storeType": "INLINE",
		"entityValidityDetails": map[string]any{"valid": true, "invalidYaml": nil}, "version": e.Version}
}

// showInputSet is Harness's InputSetResponse.
func showInputSet(e core.Entity) (any, error) {
	out := shownInputSet(e)
	out["inputSetYaml"], out["inputSetErrorWrapper"] = e.YAML, nil
	return out, ofType(e, inputSet)
}

// showOverlay is Harness's OverlayInputSetResponse.
func showOverlay(e core.Entity) (any, error) {
	out := shownInputSet(e)
	in, err := overlayBody(e)
	out["overlayInputSetYaml"], out["inputSetReferences"], out["invalidInputSetReferences"] = e.YAML, in["inputSetReferences"], nil
	if err == nil {
		err = ofType(e, overlay)
	}
	return out, err
}

// getInputSet says of an input set too what of it does not fit its pipeline any more.
func (d *door) getInputSet(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		ref := r.ref(c)
		if err := c.Allow(govern.View, ref); err != nil {
			return httpio.Answer{}, err
		}
		e, err := d.Catalogue.Get(c.Ctx, ref)
		if err != nil {
			return httpio.Answer{}, err
		}
		stale, err := d.Catalogue.Stale(c.Ctx, e)
		if err != nil {
			return httpio.Answer{}, err
		}
		plain := r.show
		r.show = func(e core.Entity) (any, error) {
			data, err := plain(e)
			if out, ok := data.(map[string]any); ok {
				out["isOutdated"], out["outdated"] = len(stale) > 0, len(stale) > 0
				if len(stale) > 0 {
					out["inputSetErrorWrapper"] = misfits(e, stale)
				}
			}
			return data, err
		}
		return d.answer(c, r, e)
	}
}

// misfits is Harness's InputSetErrorWrapperDTO.
func misfits(e core.Entity, stale core.Diagnostics) map[string]any {
	errors := []any{}
	for _, x := range stale {
		errors = append(errors, map[string]any{"fieldName": x.Path, "message": x.String(), "identifierOfErrorSource": e.Identifier})
	}
	return map[string]any{"type": "InputSetErrorWrapperDTO", "uuidToErrorResponseMap": map[string]any{e.Identifier: map[string]any{"errors": errors}}}
}

// overlayBody is what stands in an overlay, whose first key is not that of its kind.
func overlayBody(e core.Entity) (map[string]any, error) {
	all, err := body(e)
	if inner, ok := all["overlayInputSet"].(map[string]any); ok {
		return inner, err
	}
	return all, err
}

func (d *door) listInputSets(c *request.Call) (httpio.Answer, error) {
	r := resource{kind: core.EntityInputSet, parent: "pipelineIdentifier", row: inputSetRow}
	l := listing{page: "pageIndex", size: "pageSize", fallback: 100}
	switch typ := c.Q.Get("inputSetType"); typ {
	case "", "ALL":
	case inputSet, overlay:
		l.passes = func(r core.EntityRow) bool { return r.Type == typ }
	default:
		return httpio.Answer{}, fault.New(fault.Invalid, "inputSetType is %q: expected ALL, %s or %s", typ, inputSet, overlay)
	}
	return d.list(r, l)(c)
}

// inputSetRow is Harness's InputSetSummaryResponse.
func inputSetRow(r core.EntityRow, _ core.Scope) any {
	return map[string]any{"identifier": r.Identifier, "name": r.Name, "pipelineIdentifier": r.Parent, "description": orNil(r.Description),
		"inputSetType": r.Type, "tags": tagsOf(r.Tags), "gitDetails": map[string]any{}, "createdAt": r.Created, "lastUpdatedAt": r.Updated,
		"inputSetErrorDetails": nil, "overlaySetErrorDetails": nil, "modules": []string{"cd"}, "storeType": "INLINE",
		"entityValidityDetails": map[string]any{"valid": true, "invalidYaml": nil}}
}

// v1InputSet is Harness's InputSetCreateRequestBody and InputSetUpdateRequestBody.
type v1InputSet struct {
	YAML        string            `json:"input_set_yaml"`
	Identifier  string            `json:"identifier"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Tags        map[string]string `json:"tags"`
	Git         map[string]any    `json:"git_details"`
}

func v1ReadInputSet(c *request.Call) (sent, error) {
	var in v1InputSet
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	if strings.TrimSpace(in.YAML) == "" {
		return sent{}, fault.New(fault.Invalid, "field input_set_yaml is needed: the text of an input set")
	}
	return sent{at: c.At, text: in.YAML, id: in.Identifier, amend: func(e *core.Entity) error {
		named{Name: in.Name, Description: in.Description, Tags: in.Tags}.over(e)
		return belongs(c.Q.Get("pipeline"), "")(e)
	}}, request.Inline(in.Git)
}

// v1ShowInputSet is Harness's InputSetResponseBody.
func v1ShowInputSet(e core.Entity) (any, error) {
	out := v1InputSetRow(entity.Row(e), e.Scope)
	out["input_set_yaml"], out["description"] = e.YAML, e.Description
	return out, nil
}

func v1InputSetRow(r core.EntityRow, at core.Scope) map[string]any {
	return map[string]any{"identifier": r.Identifier, "name": r.Name, "org": at.Org, "project": at.Project, "pipeline": r.Parent, "description": r.Description,
		"tags": tagsOf(r.Tags), "store_type": "INLINE", "created": r.Created, "updated": r.Updated}
}

func (d *door) v1ListInputSets(c *request.Call) (httpio.Answer, error) {
	in, err := inNG(c, v1Fields)
	if err != nil {
		return httpio.Answer{}, err
	}
	in.Q.Set("pipeline", c.Q.Get("pipeline"))
	rows, total, p, err := d.rows(in, resource{kind: core.EntityInputSet, parent: "pipeline"}, listing{fallback: 30})
	items := []any{}
	for _, row := range rows {
		items = append(items, v1InputSetRow(row.EntityRow, row.At))
	}
	return v1Page(items, total, p), err
}
