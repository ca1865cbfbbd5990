package door

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/view"
)

// v1Pipeline is the body of Harness's PipelineCreateRequestBody and
// PipelineUpdateRequestBody.
type v1Pipeline struct {
	YAML       string            `json:"pipeline_yaml"`
	Identifier string            `json:"identifier"`
	Name       string            `json:"name"`
	Desc       string            `json:"description"`
	Tags       map[string]string `json:"tags"`
	Git        map[string]string `json:"git_details"`
}

// v1Document reads the pipeline in the body. What the body says beside the YAML
// must agree with it, for the YAML is kept as it is.
func v1Document(c *call) (core.Pipeline, error) {
	var in v1Pipeline
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return core.Pipeline{}, err
	}
	for name, v := range in.Git {
		if v != "" && (name != "store_type" || v != "INLINE") {
			return core.Pipeline{}, fault.New(fault.Unsupported, "not supported yet: git_details.%s", name)
		}
	}
	if strings.TrimSpace(in.YAML) == "" {
		return core.Pipeline{}, fault.New(fault.Invalid, "field pipeline_yaml is needed: the text of a pipeline")
	}
	p, err := readPipeline(in.YAML, c.at)
	if err != nil {
		return p, err
	}
	if in.Identifier != "" && in.Identifier != p.Identifier {
		return p, fault.New(fault.Invalid, "identifier is %q in the body and %q in its YAML", in.Identifier, p.Identifier)
	}
	p.Name, p.Desc = cmp.Or(in.Name, p.Name), cmp.Or(in.Desc, p.Desc)
	if len(in.Tags) > 0 {
		p.Tags = in.Tags
	}
	return p, nil
}

func (d *door) v1CreatePipeline(c *call) (httpio.Answer, error) {
	p, err := v1Document(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	if p, err = d.Pipelines.Create(c.ctx, p); err != nil {
		return httpio.Answer{}, err
	}
	return httpio.Answer{Status: http.StatusCreated, Body: map[string]any{"identifier": p.Identifier}}, nil
}

func (d *door) v1UpdatePipeline(c *call) (httpio.Answer, error) {
	p, err := v1Document(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	if err := sameIdentifier(c, p); err != nil {
		return httpio.Answer{}, err
	}
	if p, err = d.Pipelines.Update(c.ctx, p, 0); err != nil {
		return httpio.Answer{}, err
	}
	return httpio.Answer{Body: map[string]any{"identifier": p.Identifier}}, nil
}

func (d *door) v1GetPipeline(c *call) (httpio.Answer, error) {
	if err := httpio.Unsupported(c.q, "branch_name", "branch", "connector_ref", "repo_name", "template_applied"); err != nil {
		return httpio.Answer{}, err
	}
	p, err := d.Pipelines.Get(c.ctx, c.at, c.PathValue("id"))
	if err != nil {
		return httpio.Answer{}, err
	}
	body := v1Listed(p)
	delete(body, "store_type")
	body["pipeline_yaml"], body["org"], body["project"] = p.YAML, c.at.Org, c.at.Project
	return httpio.Answer{Body: body}, nil
}

func (d *door) v1DeletePipeline(c *call) (httpio.Answer, error) {
	return httpio.Answer{Status: http.StatusNoContent}, d.remove(c)
}

// v1Listed is Harness's PipelineListResponseBody.
func v1Listed(p core.Pipeline) map[string]any {
	return map[string]any{"identifier": p.Identifier, "name": p.Name, "description": p.Desc, "tags": tagsOf(p.Tags),
		"created": p.Created, "updated": p.Updated, "modules": []string{"cd"}, "store_type": "INLINE", "valid": true}
}

func (d *door) v1ListPipelines(c *call) (httpio.Answer, error) {
	err := httpio.Unsupported(c.q, "filter_identifier", "module=cd", "service_names", "env_names", "deployment_type", "repository")
	if err != nil {
		return httpio.Answer{}, err
	}
	page, err := httpio.ReadPaging(c.q, "limit", 30, 100)
	if err != nil {
		return httpio.Answer{}, err
	}
	f := pipelineFilter{Identifiers: httpio.Values(c.q, "pipeline_identifiers"), Name: c.q.Get("name"),
		Description: c.q.Get("description"), term: c.q.Get("search_term")}
	for _, t := range httpio.Values(c.q, "tags") {
		k, v, _ := strings.Cut(t, ":")
		f.Tags = append(f.Tags, tag{k, v})
	}
	order, ok := map[string]string{"": "lastUpdatedAt", "identifier": "identifier", "slug": "identifier", "name": "name",
		"created": "createdAt", "updated": "lastUpdatedAt"}[c.q.Get("sort")]
	if !ok {
		return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: query parameter sort=%s", c.q.Get("sort"))
	}
	all, err := d.pipelines(c, f, order+","+cmp.Or(c.q.Get("order"), "DESC"))
	if err != nil {
		return httpio.Answer{}, err
	}
	listed := []map[string]any{}
	for _, p := range httpio.Cut(all, page) {
		listed = append(listed, v1Listed(p))
	}
	return httpio.Answer{Body: listed, Header: map[string]string{"X-Total-Elements": strconv.Itoa(len(all)),
		"X-Page-Number": strconv.Itoa(page.Page), "X-Page-Size": strconv.Itoa(page.Size)}}, nil
}

func (d *door) v1Execute(c *call) (httpio.Answer, error) {
	if err := httpio.Unsupported(c.q, "branch_name", "branch", "connector_ref", "repo_name", "notes"); err != nil {
		return httpio.Answer{}, err
	}
	var in struct {
		Inputs string `json:"inputs_yaml"`
	}
	if err := httpio.OptionalJSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	s, err := d.execute(c, stageRequest{Inputs: in.Inputs})
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.Answer{Body: map[string]any{"execution_details": map[string]string{
		"execution_id": s.Run, "status": string(core.Running)}}}, nil
}

func (d *door) v1ListApprovals(c *call) (httpio.Answer, error) {
	run, err := d.runHere(c, c.PathValue("run"))
	if err != nil {
		return httpio.Answer{}, err
	}
	typ, node := c.q.Get("approval_type"), c.q.Get("node_execution_id")
	listed := []map[string]any{}
	for _, a := range run.Approvals {
		at := slices.IndexFunc(run.Nodes, func(n view.Node) bool { return n.FQN == a.Node })
		if (typ == "" || typ == "HarnessApproval") && (node == "" || run.Nodes[at].ID == node) &&
			(c.q.Get("approval_status") == "" || c.q.Get("approval_status") == a.Approval.Status) {
			listed = append(listed, v1Instance(a))
		}
	}
	return httpio.Answer{Body: listed}, nil
}

// v1AnswerApproval answers the approval of a run that waits: the only one, or the
// one whose step has the callback id.
func (d *door) v1AnswerApproval(c *call) (httpio.Answer, error) {
	e, err := readDecision(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	if err := d.inProject(c, c.PathValue("run")); err != nil {
		return httpio.Answer{}, err
	}
	waiting, err := d.Views.Approvals(c.ctx, c.who.Account, c.PathValue("run"))
	if err != nil {
		return httpio.Answer{}, err
	}
	if id := c.q.Get("callback_id"); id != "" {
		waiting = slices.DeleteFunc(waiting, func(a view.Approval) bool { return a.Approval.Spec.CallbackID != id })
	}
	if len(waiting) == 0 {
		return httpio.Answer{}, fault.New(fault.NotFound, "no approval of run %s waits under that callback id", c.PathValue("run"))
	}
	a, err := only(waiting)
	if err != nil {
		return httpio.Answer{}, err
	}
	if a, err = d.decide(c, a.ID, e); err != nil {
		return httpio.Answer{}, err
	}
	return httpio.Answer{Body: v1Instance(a)}, nil
}
