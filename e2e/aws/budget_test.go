package aws

import (
	"testing"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/e2e/budget"
	"github.com/slipway-cd/slipway/shared/view"
)

// TestBudget holds the serial run to its budget by what DynamoDB reports, and the
// transitions that are counted to the histories of the executions. It runs before
// the tests that run side by side: what they do is not counted.
func TestBudget(t *testing.T) {
	w := deployed(t)
	if w == nil {
		t.Skip("needs a deployed stack; the embedded platform is held to it in package e2e")
	}
	counted := []string{"api", "catalogue", "delegate", "advance", "relay", "approve"}
	w.set(t, counted, "SLIPWAY_METER", "each")
	defer w.set(t, counted, "SLIPWAY_METER", "")
	budget.Hold(t, w.url, w.token["admin"])
	for name, text := range map[string]string{"parallel": example(t, "parallel.yaml"), "rejected": example(t, "approval.yaml")} {
		t.Run(name, func(t *testing.T) { w.histories(t, text) })
	}
}

func (w *world) set(t *testing.T, functions []string, name, value string) {
	t.Helper()
	for _, f := range functions {
		if err := w.stack.Set(t.Context(), f, map[string]string{name: value}); err != nil {
			t.Fatal(err)
		}
	}
}

// histories runs a pipeline, rejecting what it asks, and compares the transitions
// on its bill with those in the histories.
func (w *world) histories(t *testing.T, yaml string) {
	t.Helper()
	run := w.launch(t, yaml, "budget")
	r := w.await(t, run, "asks or ends", func(r view.Run) bool { return r.Ended || len(r.Approvals) > 0 })
	for _, a := range r.Approvals {
		if err := w.user["alice"].Decide(t.Context(), a.ID, client.Decision{Action: client.Reject}); err != nil {
			t.Fatal(err)
		}
	}
	w.await(t, run, "ends", ended)
	var entered int
	var billed float64
	until(t, "the bill of "+run, func() (bool, error) {
		cost, err := w.user["admin"].Cost(t.Context(), run)
		if err != nil {
			return false, err
		}
		billed = cost.Quantity("Step Functions", "transition")
		entered, err = w.stack.Transitions(t.Context(), run)
		return float64(entered) == billed && entered > 0, err
	})
	t.Logf("%d transitions on the bill and in the histories", entered)
}
