package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// stopped is walked through by every kind of track: a stage with two branches, of
// which one holds, and an approval.
const stopped = `pipeline:
  name: stopped
  identifier: stopped
  projectIdentifier: default
  orgIdentifier: default
  stages:
    - stage:
        identifier: a
        name: a
        type: Approval
        spec:
          execution:
            steps:
              - parallel:
                  - step: {identifier: work, name: work, type: ShellScript, timeout: 10m, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: "echo work >> DIR/effects; until [ -e DIR/go ]; do sleep 0.02; done"}}}}
                  - stepGroup:
                      identifier: g
                      name: g
                      steps:
                        - step: {identifier: pause, name: pause, type: Wait, spec: {duration: 30s}}
                        - step: {identifier: after, name: after, type: ShellScript, timeout: 10m, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: "echo after >> DIR/effects"}}}}
              - step: {identifier: ask, name: ask, type: HarnessApproval, timeout: 1d, spec: {includePipelineExecutionHistory: true, approvers: {userGroups: [approvers], minimumCount: 1, disallowPipelineExecutor: false}}}
              - step: {identifier: last, name: last, type: ShellScript, timeout: 10m, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: "echo last >> DIR/effects"}}}}
`

// TestStoppedExecutionsAreReplaced: somebody stops executions, or they fail, and
// the runs go on where they were.
func TestStoppedExecutionsAreReplaced(t *testing.T) {
	tests := map[string]struct {
		machine, track string
		before         func(view.Run) bool // the machine is stopped when this holds
	}{
		"a branch at work":          {core.MachineBranch, "0.1.1", nodeIs("work", "Running")},
		"a branch that holds":       {core.MachineBranch, "0.1.2", nodeIs("pause", "WaitStepRunning")},
		"a stage at its branches":   {core.MachineStage, "0.1", nodeIs("pause", "WaitStepRunning")},
		"the pipeline at a stage":   {core.MachinePipeline, "0", nodeIs("pause", "WaitStepRunning")},
		"a stage at an approval":    {core.MachineStage, "0.1", nodeIs("ask", "ApprovalWaiting")},
		"the pipeline, an approval": {core.MachinePipeline, "0", nodeIs("ask", "ApprovalWaiting")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fast := clock.Fast(50, clock.System().Now())
			in := startInside(t, platform.Config{Delegate: true, Clock: fast})
			dir := t.TempDir()
			run := in.launch(strings.ReplaceAll(stopped, "DIR", dir), nil)
			late := nodeIs("ask", "ApprovalWaiting")
			go func() { // the work goes on in the meantime, but not too early
				in.until(run, nodeIs("pause", "WaitStepRunning"))
				if tc.track != "0.1.1" {
					_ = os.WriteFile(filepath.Join(dir, "go"), nil, 0o600)
				}
			}()
			in.until(run, tc.before)
			if err := in.Ports().Workflow.Stop(context.Background(), tc.machine, core.ExecutionName(run, tc.track, 1), "by hand"); err != nil {
				t.Fatal(err)
			}
			_ = os.WriteFile(filepath.Join(dir, "go"), nil, 0o600)
			in.until(run, late)
			r := in.finish(run)
			effects, err := os.ReadFile(filepath.Join(dir, "effects"))
			if err != nil || r.Status != "Success" {
				t.Fatalf("%v: %s", err, show(r))
			}
			for _, step := range []string{"work", "after", "last"} {
				if n := strings.Count(string(effects), step); n != 1 {
					t.Errorf("%s has run %d times", step, n)
				}
			}
			if _, err := in.Ports().Workflow.Describe(t.Context(), tc.machine, core.ExecutionName(run, tc.track, 2)); err != nil {
				t.Errorf("nothing took its place: %v", err)
			}
		})
	}
}

// nodeIs holds when the node of that identifier stands so.
func nodeIs(id string, status string) func(view.Run) bool {
	return func(r view.Run) bool {
		for _, n := range r.Nodes {
			if n.Identifier == id && n.Status == status {
				return true
			}
		}
		return false
	}
}
