package door_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
	"github.com/slipway-cd/slipway/shared/engine"
)

// asksWhileRunning has a stage and a step that ask for values when they start.
const asksWhileRunning = `pipeline:
  name: asks
  identifier: asks
  stages:
    - stage:
        name: s
        identifier: s
        type: Custom
        variables:
          - {name: v, type: String, value: <+input>.executionInput()}
        spec:
          execution:
            steps:
              - step:
                  name: x
                  identifier: x
                  type: Wait
                  timeout: 1d
                  spec: {duration: "<+input>.executionInput().allowedValues(10s,1h)"}
`

// TestExecutionInput gives values by Harness's route: by the id of the node alone, with
// the template that it hands out filled in.
func TestExecutionInput(t *testing.T) {
	f := apitest.Start(t)
	run := f.Run(asksWhileRunning)
	f.Await(run, "InputWaiting")
	route := func(fqn string) string {
		return ng + "/pipeline/execution-input/" + engine.NodeExecutionID(run, fqn) + "?" + in
	}
	stage, step := route("pipeline.stages.s"), route("pipeline.stages.s.spec.execution.steps.x")
	for name, tc := range map[string]struct {
		r      apitest.Response
		status int
		says   string
	}{
		"the template":    {do(f, "GET", stage, ""), 200, `stage:\n  identifier: \"s\"\n  variables:\n    v: \"\u003c+input\u003e.executionInput()\"\n`},
		"another's turn":  {do(f, "GET", step, ""), 404, "waits for input in project"},
		"no node":         {do(f, "GET", ng+"/pipeline/execution-input/x?"+in+"&planExecutionId="+run, ""), 404, "of run " + run},
		"nothing filled":  {do(f, "POST", stage, "stage:\n  identifier: s\n"), 400, "no value for stages.s.variables.v"},
		"left as it was":  {do(f, "POST", stage, "stage: {variables: [{name: v, value: <+input>.executionInput()}]}"), 400, "no value"},
		"no YAML":         {do(f, "POST", stage, "stage: ["), 400, "no YAML"},
		"another project": {do(f, "GET", strings.Replace(stage, "projectIdentifier=default", "projectIdentifier=other", 1), ""), 404, ""},
	} {
		if tc.r.Status != tc.status || !strings.Contains(string(tc.r.Body), tc.says) {
			t.Errorf("%s: %d %s", name, tc.r.Status, tc.r.Body)
		}
	}
	if r := do(f, "POST", stage, "stage:\n  variables:\n    - name: v\n      type: String\n      value: given\n"); r.Status != 200 || !strings.Contains(string(r.Body), `"status":"SUCCESS"`) {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	r := do(f, "GET", step, "")
	for r.Status == 404 {
		r = do(f, "GET", step, "")
	}
	if !strings.Contains(string(r.Body), `spec:\n    duration: \"\u003c+input\u003e.executionInput().allowedValues(10s,1h)\"`) {
		t.Errorf("%s", r.Body)
	}
	body, err := json.Marshal("step:\n  identifier: x\n  spec:\n    duration: 2h\n") // as a JSON string
	if err != nil {
		t.Fatal(err)
	}
	if r := do(f, "POST", step, string(body)); r.Status != 400 || !strings.Contains(string(r.Body), "not allowed") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := do(f, "POST", step, strings.Replace(string(body), "2h", "1h", 1)); r.Status != 200 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	f.Await(run, "WaitStepRunning")
}

// TestRetryRoutes takes up a failed run by the newer route, and looks at the chain.
func TestRetryRoutes(t *testing.T) {
	f := apitest.Start(t)
	const failing = "pipeline:\n  name: f\n  identifier: f\n  stages:\n    - stage: {name: a, identifier: a, type: Custom, spec: {execution: {steps: [{step: {name: x, identifier: x, type: Wait, spec: {duration: <+pipeline.variables.none>}}}]}}}\n    - stage: {name: b, identifier: b, type: Custom, spec: {execution: {steps: [{step: {name: y, identifier: y, type: Wait, spec: {duration: 10s}}}]}}}\n"
	run := f.Run(failing)
	f.Await(run, "Failed")
	history := func(run string) apitest.Response {
		return do(f, "GET", ng+"/pipeline/execute/retryHistory/"+run+"?"+in+"&pipelineIdentifier=f", "")
	}
	if r := history(run); r.Status != 200 || !strings.Contains(string(r.Body), "has not been retried") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := do(f, "GET", ng+"/pipeline/execute/"+run+"/retryStages?"+in+"&pipelineIdentifier=f", ""); r.Status != 200 ||
		!strings.Contains(string(r.Body), `"resumable":true`) || !strings.Contains(string(r.Body), `"identifier":"a"`) || strings.Contains(string(r.Body), `"identifier":"b"`) {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	retry := ng + "/pipeline/execute/retry/v2/f?" + in + "&planExecutionId=" + run + "&retryStages=a"
	if r := do(f, "POST", retry, `{"inputSetReferences": ["s"]}`); r.Status != 501 && r.Status != 400 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	r := do(f, "POST", retry, `{"runtimeInputYaml": ""}`)
	var out struct {
		Data struct {
			PlanExecution struct{ UUID string } `json:"planExecution"`
		}
	}
	if err := json.Unmarshal(r.Body, &out); err != nil || r.Status != 200 {
		t.Fatalf("%d %s %v", r.Status, r.Body, err)
	}
	second := out.Data.PlanExecution.UUID
	f.Await(second, "Failed")
	for _, id := range []string{run, second} {
		r := history(id)
		if !strings.Contains(string(r.Body), `"latestExecutionId":"`+second+`"`) || strings.Count(string(r.Body), `"uuid"`) != 2 || !strings.Contains(string(r.Body), `"status":"Failed"`) {
			t.Errorf("%d %s", r.Status, r.Body)
		}
	}
	if r := do(f, "GET", ng+"/pipeline/execute/latestExecutionId/"+run+"?"+in, ""); !strings.Contains(string(r.Body), second) {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}
