package sfn_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/shared/aws/awstest"
	"github.com/slipway-cd/slipway/shared/aws/sfn"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
)

// lacks are the cases that LocalStack cannot do. TestStop and TestLargest see to
// what of them concerns the adapter.
var lacks = map[string]string{
	"a function's error after the token is ignored": "it fails the task",
	"a failed child":            "an execution that waits for a token cannot be stopped",
	"stop":                      "an execution that waits for a token cannot be stopped",
	"stop takes children along": "it lets children run on",
	"bounds of payloads":        "it has no States.DataLimitExceeded",
}

func TestContract(t *testing.T) {
	cfg := awstest.Config(t)
	contract.Workflow(t, func(t *testing.T, definitions map[string][]byte, fns core.Functions) core.Workflow {
		awstest.Lacks(t, lacks)
		work := awstest.Relay(t, cfg, fns, contract.WorkflowFunction)
		return sfn.New(cfg, awstest.Machines(t, cfg, definitions, map[string]string{"Work": work}))
	})
}

// machine is a workflow with one machine "m".
func machine(t *testing.T, definition string) *sfn.Workflow {
	t.Helper()
	cfg := awstest.Config(t)
	return sfn.New(cfg, awstest.Machines(t, cfg, map[string][]byte{"m": []byte(definition)}, nil))
}

// ends waits until the execution "x" of "m" has ended.
func ends(t *testing.T, w *sfn.Workflow) core.Execution {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(30 * time.Second); ; <-tick.C {
		e, err := w.Describe(t.Context(), "m", "x")
		if err != nil {
			t.Fatal(err)
		}
		if e.Status != core.ExecutionRunning {
			return e
		}
		if time.Now().After(end) {
			t.Fatal("the execution does not end")
		}
	}
}

// TestStop stops an execution that waits for no token.
func TestStop(t *testing.T) {
	w := machine(t, `{"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":600,"End":true}}}`)
	if err := w.Stop(t.Context(), "m", "x", "unknown"); err != nil {
		t.Errorf("unknown: %v", err)
	}
	if err := w.Start(t.Context(), "m", "x", json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	if err := w.Stop(t.Context(), "m", "x", "enough"); err != nil {
		t.Fatal(err)
	}
	if e := ends(t, w); e.Status != core.ExecutionAborted || e.Stopped.Before(e.Started) { // LocalStack forgets the cause
		t.Errorf("%s, from %s to %s", e.Status, e.Started, e.Stopped)
	}
	if err := w.Stop(t.Context(), "m", "x", "again"); err != nil {
		t.Errorf("again: %v", err)
	}
}

// TestLargest: what is as large as may be is taken.
func TestLargest(t *testing.T) {
	w := machine(t, `{"StartAt":"P","States":{"P":{"Type":"Pass","End":true}}}`)
	input := json.RawMessage(`"` + strings.Repeat("x", core.MaxPayloadBytes-2) + `"`)
	if err := w.Start(t.Context(), "m", "x", input); err != nil {
		t.Fatal(err)
	}
	if e := ends(t, w); e.Status != core.ExecutionSucceeded || string(e.Input) != string(input) || string(e.Output) != string(input) {
		t.Errorf("%s %s, input of %d bytes, output of %d", e.Status, e.Error, len(e.Input), len(e.Output))
	}
}
