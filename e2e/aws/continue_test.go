package aws

import (
	"fmt"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// TestContinued has the executions of a run go on as others after 60 events each: every
// step runs once, and no history is as long as it would be.
func TestContinued(t *testing.T) {
	w := deployed(t)
	if w == nil {
		t.Skip("nothing is deployed")
	}
	w.set(t, []string{"api"}, "SLIPWAY_HISTORY_EDGE", "60")
	defer w.set(t, []string{"api"}, "SLIPWAY_HISTORY_EDGE", "")
	left := newEffects(t)
	var steps []string
	for i := range 5 {
		steps = append(steps, fmt.Sprintf(`step: {name: w%[1]d, identifier: w%[1]d, type: Wait, spec: {duration: 10s}}`, i), script(fmt.Sprint("x", i), left.leave(fmt.Sprint("x", i)), ""))
	}
	run := w.launch(t, oneStage(steps), "continued")
	if r := w.await(t, run, "ends", ended); r.Status != "Success" {
		t.Fatal(show(r))
	}
	once(t, left, 5)
	for k := range 2 {
		name := core.ExecutionID{Generation: 1, Continued: k}.Name(run, "0.1")
		if x, err := w.ports.Workflow.Describe(t.Context(), core.MachineStage, name); err != nil || x.Status != core.ExecutionSucceeded {
			t.Errorf("%s: %s %v", name, x.Status, err)
		}
	}
}
