package e2e

import (
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// TestMaxRuns starts more runs than may go on at once: the others wait for their turn,
// without a machine, and are begun in the order in which they were asked for.
func TestMaxRuns(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true, MaxRuns: 2})
	yaml := oneStage(askStep)
	var runs []string
	for range 5 {
		runs = append(runs, in.launch(yaml, nil))
	}
	queued := func(r view.Run) bool { return r.Status == "QueuedExecutionConcurrencyReached" }
	for i, run := range runs {
		if i < 2 {
			in.until(run, reaches("ask", "ApprovalWaiting"))
			continue
		}
		in.until(run, queued)
		if _, err := in.Ports().Workflow.Describe(t.Context(), core.MachinePipeline, core.ExecutionName(run, "0", 1)); err == nil {
			t.Errorf("run %d waits for its turn and has a machine", i)
		}
	}
	if _, err := in.admin.Abort(t.Context(), runs[3], "not any more"); err != nil {
		t.Fatal(err)
	}
	if r := in.until(runs[3], ended); r.Status != "Aborted" {
		t.Error(show(r))
	}
	if _, err := in.admin.Abort(t.Context(), runs[1], "enough"); err != nil {
		t.Fatal(err)
	}
	in.until(runs[2], reaches("ask", "ApprovalWaiting"))
	if r := in.until(runs[4], func(view.Run) bool { return true }); !queued(r) {
		t.Errorf("the last is %s before its turn", r.Status)
	}
	for _, i := range []int{0, 2, 4} {
		r := in.finish(runs[i])
		if r.Status != "Success" {
			t.Error(show(r))
		}
		in.foldsAgain(t, r)
	}
	in.free(core.LockRuns, "")
}
