package door_test

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// broken has a step that cannot start and waits for a person then.
const broken = `pipeline:
  name: broken
  identifier: broken
  stages:
    - stage:
        name: s
        identifier: s
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  name: x
                  identifier: x
                  type: Wait
                  spec: {duration: <+pipeline.variables.none>}
                  failureStrategies:
                    - onFailure:
                        errors: [AllErrors]
                        action:
                          type: ManualIntervention
                          spec: {timeout: 1d, allowedActions: [Ignore, Abort], onTimeout: {action: {type: Abort}}}
              - step: {name: y, identifier: y, type: Wait, spec: {duration: 1h}}
`

// TestIntervene answers for a failed step by Harness's route and by our own, and
// marks what runs as failed.
func TestIntervene(t *testing.T) {
	f := apitest.Start(t)
	run := f.Run(broken)
	f.Await(run, "InterventionWaiting")
	x := "pipeline.stages.s.spec.execution.steps.x"
	put := func(node, kind string) apitest.Response {
		return do(f, "PUT", ng+"/pipeline/execute/interrupt/"+run+"/"+engine.NodeExecutionID(run, node)+"?"+in+"&interruptType="+kind, "")
	}
	for name, tc := range map[string]struct {
		r      apitest.Response
		status int
		says   string
	}{
		"not allowed":     {put(x, "Retry"), 400, "choose one of Ignore, Abort"},
		"nothing asked":   {put("pipeline.stages.s.spec.execution.steps.y", "Ignore"), 410, "does not wait"},
		"no such node":    {put("other", "Ignore"), 404, "has no node"},
		"no type":         {put(x, ""), 400, "interruptType"},
		"another route":   {do(f, "PUT", ng+"/pipeline/execute/manual-intervention/interrupt/"+run+"/x?"+in+"&interruptType=Ignore", ""), 404, "has no node x"},
		"no action":       {do(f, "POST", own+"/runs/"+run+"/intervene", `{"node":"x"}`), 400, "node and action"},
		"no node of ours": {do(f, "POST", own+"/runs/"+run+"/intervene", `{"node":"q","action":"Ignore"}`), 404, `no node \"q\"`},
	} {
		if tc.r.Status != tc.status || !strings.Contains(string(tc.r.Body), tc.says) {
			t.Errorf("%s: %d %s", name, tc.r.Status, tc.r.Body)
		}
	}
	stage, all := "pipeline.stages.s", ng+"/pipeline/execute/interrupt/"+run+"?"+in+"&interruptType="
	for _, tc := range []struct {
		r      apitest.Response
		status int
		says   string
	}{
		{put(x, "Pause"), 400, "a run or a stage of it can be paused"},
		{do(f, "PUT", all+"Resume", ""), 409, "is not paused"},
		{put(stage, "Pause"), 200, `"type":"Pause"`},
		{do(f, "GET", own+"/runs/"+run, ""), 200, `"paused":[{"node":"pipeline.stages.s","by":{"id":"`},
		{put(stage, "Resume"), 200, `"type":"Resume"`},
		{do(f, "PUT", all+"Pause", ""), 200, `"type":"Pause"`},
		{put(stage, "Resume"), 409, "paused with its run"},
		{do(f, "POST", own+"/runs/"+run+"/pause", ""), 200, `"accepted":false`},
		{do(f, "POST", own+"/runs/"+run+"/resume", ""), 200, `"accepted":true`},
		{do(f, "POST", own+"/runs/"+run+"/pause", `{"stage":"q"}`), 404, `no node \"q\"`},
	} {
		if tc.r.Status != tc.status || !strings.Contains(string(tc.r.Body), tc.says) {
			t.Errorf("want %d %s: %d %s", tc.status, tc.says, tc.r.Status, tc.r.Body)
		}
	}
	if r := put(x, "Ignore"); r.Status != 200 || !strings.Contains(string(r.Body), `"type":"Ignore"`) {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	f.Await(run, core.WaitStepRunning.API())
	mark := ng + "/pipeline/execute/interrupt/" + run + "?" + in + "&interruptType=UserMarkedFailure"
	if r := do(f, "PUT", mark, ""); r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	f.Await(run, "Failed")
	if r := do(f, "PUT", mark, ""); r.Status != 410 {
		t.Errorf("marked what has ended: %d %s", r.Status, r.Body)
	}
}
