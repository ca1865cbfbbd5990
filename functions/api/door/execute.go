package door

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/launch"
)

// planExecution is Harness's PlanExecution.
type planExecution struct {
	UUID      string             `json:"uuid"`
	CreatedAt int64              `json:"createdAt"`
	PlanID    string             `json:"planId"`
	Setup     map[string]string  `json:"setupAbstractions"`
	Status    core.Status        `json:"status"` // the engine's spelling
	StartTs   int64              `json:"startTs"`
	Metadata  executionMetadata  `json:"metadata"`
	Governed  request.Governance `json:"governanceMetadata"`
}

type executionMetadata struct {
	RunSequence int64  `json:"runSequence"`
	Pipeline    string `json:"pipelineIdentifier"`
	ExecutionID string `json:"executionUuid"`
}

// executed is PlanExecutionResponse.
type executed struct {
	PlanExecution planExecution  `json:"planExecution"`
	Git           map[string]any `json:"gitDetails"`
}

// executedEnvelope is the answer as clients read it, in an envelope, and as it is
// documented, without one.
type executedEnvelope struct {
	httpio.Envelope
	executed
}

func (d *door) executePipeline(c *request.Call) (httpio.Answer, error) {
	if err := httpio.Unsupported(c.Q, "branch", "repoIdentifier", "shouldRunAsV1", "notesForPipelineExecution"); err != nil {
		return httpio.Answer{}, err
	}
	body, err := httpio.Bytes(c.Request, httpio.MaxBody)
	if err != nil {
		return httpio.Answer{}, err
	}
	s, err := d.execute(c, stageRequest{Inputs: string(body)})
	if err != nil {
		return httpio.Answer{}, err
	}
	return executedAnswer(c, s), nil
}

// stageRequest is Harness's RunStageRequest.
type stageRequest struct {
	Inputs      string            `json:"runtimeInputYaml"`
	Stages      []string          `json:"stageIdentifiers"`
	Expressions map[string]string `json:"expressionValues"`
}

// executeStages runs some stages of a pipeline.
func (d *door) executeStages(c *request.Call) (httpio.Answer, error) {
	if err := httpio.Unsupported(c.Q, "branch", "repoIdentifier", "notesForPipelineExecution"); err != nil {
		return httpio.Answer{}, err
	}
	var req stageRequest
	if err := httpio.JSON(c.Request, httpio.MaxBody, &req); err != nil {
		return httpio.Answer{}, err
	}
	if len(req.Stages) == 0 {
		return httpio.Answer{}, fault.New(fault.Invalid, "field stageIdentifiers is needed: the stages to run")
	}
	s, err := d.execute(c, req)
	if err != nil {
		return httpio.Answer{}, err
	}
	return executedAnswer(c, s), nil
}

// v1ExecuteStages is the same in Harness's v1.
func (d *door) v1ExecuteStages(c *request.Call) (httpio.Answer, error) {
	if err := httpio.Unsupported(c.Q, "branch_name", "branch", "connector_ref", "repo_name", "notes"); err != nil {
		return httpio.Answer{}, err
	}
	var in struct {
		Inputs      string            `json:"inputs_yaml"`
		Runtime     string            `json:"runtime_input_yaml"` // its other name
		Stages      []string          `json:"stage_identifiers"`
		Expressions map[string]string `json:"expression_values"`
	}
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	if len(in.Stages) == 0 {
		return httpio.Answer{}, fault.New(fault.Invalid, "field stage_identifiers is needed: the stages to run")
	}
	s, err := d.execute(c, stageRequest{Inputs: cmp.Or(in.Inputs, in.Runtime), Stages: in.Stages, Expressions: in.Expressions})
	if err != nil {
		return httpio.Answer{}, err
	}
	return v1Started(s), nil
}

func executedAnswer(c *request.Call, s launch.Started) httpio.Answer {
	x := executed{Git: map[string]any{}, PlanExecution: planExecution{UUID: s.Run, PlanID: s.Run, CreatedAt: s.At, StartTs: s.At,
		Status: core.Running, Governed: request.NoPolicies(),
		Setup:    map[string]string{"accountId": c.At.Account, "orgIdentifier": c.At.Org, "projectIdentifier": c.At.Project},
		Metadata: executionMetadata{RunSequence: s.Sequence, Pipeline: s.Plan.Identifier, ExecutionID: s.Run}}}
	envelope := httpio.OK(c.Request, x).Body.(httpio.Envelope)
	return httpio.Answer{Body: executedEnvelope{envelope, x}}
}

// executeSets runs a pipeline with stored input sets: Harness's MergeInputSetRequest.
func (d *door) executeSets(c *request.Call) (httpio.Answer, error) {
	if err := httpio.Unsupported(c.Q, "branch", "repoIdentifier", "notesForPipelineExecution", "pipelineBranch", "pipelineRepoID"); err != nil {
		return httpio.Answer{}, err
	}
	var req struct {
		Refs   []string `json:"inputSetReferences"`
		Stages []string `json:"stageIdentifiers"`
		Last   string   `json:"lastYamlToMerge"`
	}
	if err := httpio.JSON(c.Request, httpio.MaxBody, &req); err != nil {
		return httpio.Answer{}, err
	}
	s, err := d.execute(c, stageRequest{Inputs: req.Last, Stages: req.Stages}, req.Refs...)
	if err != nil {
		return httpio.Answer{}, err
	}
	return executedAnswer(c, s), nil
}

// execute starts a run of a stored pipeline with its stored input sets, in order, and
// then runtime input YAML.
func (d *door) execute(c *request.Call, req stageRequest, sets ...string) (launch.Started, error) {
	p, err := d.Catalogue.Get(c.Ctx, core.EntityRef{Kind: core.EntityPipeline, Scope: c.At, Identifier: c.PathValue("id")})
	if err != nil {
		return launch.Started{}, err
	}
	merged, err := d.inputSets(c, p, sets)
	if err != nil {
		return launch.Started{}, err
	}
	inputs := req.Inputs
	if !utf8.ValidString(inputs) {
		return launch.Started{}, fault.New(fault.Invalid, "the inputs are not UTF-8")
	}
	opt := compile.Options{Scope: c.At, Stages: req.Stages, Expressions: req.Expressions, InputSets: merged}
	if text := strings.TrimSpace(inputs); text != "" && text != "{}" && text != `""` {
		opt.InputSets = append(opt.InputSets, compile.Source{File: "inputs.yaml", Data: []byte(inputs)})
	}
	return d.start(c, compile.Source{File: p.Identifier + ".yaml", Data: []byte(p.YAML)}, opt, core.Asked{Stored: true})
}

// interrupted is Harness's InterruptResponse.
type interrupted struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Run  string `json:"planExecutionId"`
}

func (d *door) interrupt(c *request.Call) (httpio.Answer, error) {
	run, kind := c.PathValue("run"), c.Q.Get("interruptType")
	switch kind {
	case "AbortAll", "Abort", core.InterruptMarkFailed, interruptPause, interruptResume:
	case "":
		return httpio.Answer{}, fault.New(fault.Invalid, "query parameter interruptType is needed: AbortAll, UserMarkedFailure, Pause or Resume")
	default:
		return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: interruptType %s", kind)
	}
	if err := d.inProject(c, govern.Execute, run); err != nil {
		return httpio.Answer{}, err
	}
	r, err := d.Journal.Run(c.Ctx, c.Who.Account, run)
	if err != nil {
		return httpio.Answer{}, err
	}
	switch kind {
	case core.InterruptMarkFailed:
		err = d.intervene(c, r, r.Plan.Root, core.InterruptMarkFailed)
	case interruptPause, interruptResume:
		_, err = d.pause(c, r, r.Plan.Root, kind == interruptResume)
	default:
		_, err = d.abort(c, run, "")
	}
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.OK(c.Request, interrupted{ID: d.ids.New(), Type: kind, Run: run}), nil
}

// inProject refuses a run of another project as if it were not there, and who may not do
// that with it.
func (d *door) inProject(c *request.Call, action govern.Action, run string) error {
	r, err := d.Journal.Run(c.Ctx, c.Who.Account, run)
	if err != nil {
		return err
	}
	if s := r.Plan.Scope; s.Org != c.At.Org || s.Project != c.At.Project {
		return fault.New(fault.NotFound, "there is no run %s in project %s of organization %s", run, c.At.Project, c.At.Org)
	}
	return c.Allow(action, request.Run(c.At, run))
}
