package door_test

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
)

// caller runs the stored pipeline hello, and then one that nobody keeps.
const caller = `pipeline:
  identifier: caller
  name: caller
  stages:
    - stage:
        identifier: call
        name: call
        type: Pipeline
        spec:
          org: default
          project: default
          pipeline: hello
          inputs: {identifier: hello, stages: [{stage: {identifier: say, type: Custom, spec: {execution: {steps: [{step: {identifier: greet, type: ShellScript, spec: {source: {type: Inline, spec: {script: "echo <+pipeline.name>; v=3"}}}}}]}}}}]}
          outputs: [{name: v, value: <+pipeline.stages.say.status>}]
`

// TestChain runs a stored pipeline that runs another stored pipeline: each execution shows
// the other, as Harness's clients know it.
func TestChain(t *testing.T) {
	f := apitest.Start(t)
	do(f, "POST", ng+"/pipelines?"+in, caller).Into(t, 200, nil)
	if r := do(f, "POST", ng+"/pipeline/execute/caller?"+in, ""); r.Status != 400 || !strings.Contains(string(r.Body), "pipeline hello is not found") {
		t.Errorf("without the other: %d %s", r.Status, r.Body)
	}
	do(f, "POST", ng+"/pipelines?"+in, strings.Replace(apitest.Hello, `"echo hi; v=1"`, `<+input>`, 1)).Into(t, 200, nil)
	var started struct {
		Data struct{ PlanExecution struct{ UUID string } }
	}
	do(f, "POST", ng+"/pipeline/execute/caller?"+in, "").Into(t, 200, &started)
	run := started.Data.PlanExecution.UUID
	f.Await(run, "Success")

	type graph struct {
		NodeMap map[string]struct {
			UUID, Identifier, StepType string
			Outcomes                   map[string]any
			StepDetails                struct {
				ChildPipelineExecutionDetails struct{ PlanExecutionID, OrgID, ProjectID string }
			}
		}
	}
	type summary struct {
		PlanExecutionID, PipelineIdentifier, Status string
		ParentStageInfo                             *struct {
			HasParentPipeline                                      bool
			StageNodeID, ExecutionID, Identifier, OrgID, ProjectID string
			RunSequence                                            int64
		}
	}
	type detail struct {
		Data struct {
			PipelineExecutionSummary summary
			ExecutionGraph           graph
			ChildGraph               *struct {
				PipelineExecutionSummary summary
				ExecutionGraph           graph
			}
		}
	}
	see := func(run, more string) (d detail) {
		do(f, "GET", ng+"/pipelines/execution/v2/"+run+"?"+in+more, "").Into(t, 200, &d)
		return d
	}
	outer, stage, child := see(run, ""), "", ""
	for id, n := range outer.Data.ExecutionGraph.NodeMap {
		if n.StepType == "PIPELINE_STAGE" {
			stage, child = id, n.StepDetails.ChildPipelineExecutionDetails.PlanExecutionID
			if out, _ := n.Outcomes["output"].(map[string]any); out["v"] != "SUCCEEDED" {
				t.Errorf("the stage's outcomes are %v", n.Outcomes)
			}
		}
	}
	if child == "" || outer.Data.ChildGraph != nil || outer.Data.PipelineExecutionSummary.ParentStageInfo != nil {
		t.Fatalf("%+v", outer)
	}
	if d := see(run, "&stageNodeId="+stage).Data.ChildGraph; d == nil || d.PipelineExecutionSummary.PlanExecutionID != child || len(d.ExecutionGraph.NodeMap) < 3 {
		t.Errorf("the child is %+v", d)
	}
	inner := see(child, "").Data.PipelineExecutionSummary
	if p := inner.ParentStageInfo; inner.Status != "Success" || inner.PipelineIdentifier != "hello" || p == nil || !p.HasParentPipeline || p.ExecutionID != run || p.StageNodeID != stage || p.Identifier != "caller" || p.RunSequence != 1 {
		t.Errorf("%+v of %+v", inner, p)
	}
	for _, again := range []string{"/rerun", "/retry"} {
		if r := do(f, "POST", own+"/runs/"+child+again, "{}"); r.Status != 400 || again == "/rerun" && !strings.Contains(string(r.Body), "rerun or retry that one") {
			t.Errorf("%s: %d %s", again, r.Status, r.Body)
		}
	}
	// A retry starts another run of it.
	do(f, "POST", ng+"/pipelines?"+in, strings.NewReplacer("caller", "failing", "v=3", "exit 1").Replace(caller)).Into(t, 200, nil)
	do(f, "POST", ng+"/pipeline/execute/failing?"+in, "").Into(t, 200, &started)
	failed := started.Data.PlanExecution.UUID
	f.Await(failed, "Failed")
	var retried struct{ Run string }
	do(f, "POST", own+"/runs/"+failed+"/retry", "{}").Into(t, 201, &retried)
	f.Await(retried.Run, "Failed")
	// What is written now counts, and a rerun looks for it again.
	do(f, "DELETE", ng+"/pipelines/hello?forceDelete=true&"+in, "").Into(t, 200, nil)
	if r := do(f, "POST", own+"/runs/"+run+"/rerun", "{}"); r.Status != 400 || !strings.Contains(string(r.Body), "not found") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}
