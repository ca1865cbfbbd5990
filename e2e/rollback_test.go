package e2e

import (
	"path/filepath"
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// withUndo is aStage with rollback steps.
func withUndo(stage string, items ...string) string {
	stage += "            rollbackSteps:\n"
	for _, it := range items {
		stage += "              - " + it + "\n"
	}
	return stage
}

// undoGroup is aGroup with rollback steps.
func undoGroup(group string, items ...string) string {
	group += "\n                  rollbackSteps:"
	for _, it := range items {
		group += "\n                    - " + it
	}
	return group
}

var stageBack = strategies(onFailure("AllErrors", "{type: StageRollback}"))

// rollbacks are pipelines that roll back, by what they show.
func rollbacks(effects string) map[string]struct{ yaml, run, want string } {
	leave := func(id, more string) string { return shellStep(id, "echo "+id+" >> "+effects, more) }
	return map[string]struct{ yaml, run, want string }{
		"a stage": {stages(withUndo(aStage("a", stageBack, leave("w", ""), shellStep("x", "exit 1", ""), leave("y", ", when: {stageStatus: All}")),
			leave("u", ""), "parallel:\n                  - "+leave("v", "")+"\n                  - "+leave("z", ", when: {stageStatus: Success}")),
			aStage("b", "when: {pipelineStatus: Failure}", leave("q", "")), aStage("c", "when: {pipelineStatus: All}", leave("r", ""))),
			"Failed", "a=Failed w=Success x=Failed y=NotStarted u=Success v=Success z=Skipped b=Skipped q=NotStarted c=Success r=Success"},
		"from a branch": {stages(withUndo(aStage("a", stageBack, "parallel:\n                  - "+shellStep("x", "exit 1", "")+"\n                  - "+leave("y", "")), leave("u", ""))),
			"Failed", "a=Failed x=Failed y=Success u=Success"},
		"a group, then its stage": {stages(withUndo(aStage("a", stageBack, undoGroup(aGroup("g", strategies(onFailure("AllErrors", "{type: StepGroupRollback}")), shellStep("x", "exit 1", ""), leave("y", "")), leave("u", ""))), leave("v", ""))),
			"Failed", "a=Failed g=Failed x=Failed y=NotStarted u=Success v=Success"},
	}
}

// TestRollback rolls stages and groups back, each effect once, on adapters that behave
// and on weak ones.
func TestRollback(t *testing.T) {
	bothWays(t, nil, func(how string, in *inside) {
		effects := filepath.Join(t.TempDir(), "effects")
		for name, tc := range rollbacks(effects + how) {
			t.Run(how+"/"+name, func(t *testing.T) {
				in := *in
				in.t = t
				before := countLines(t, effects+how)
				r := in.finish(in.launchWeakly(tc.yaml, how+name))
				if got := standings(r); r.Status != tc.run || got != tc.want {
					t.Errorf("the run ended %s:\n got %s\nwant %s\n%s", r.Status, got, tc.want, show(r))
				}
				after := countLines(t, effects+how)
				for _, n := range r.Nodes {
					if n.Kind == core.KindStep && n.Status == "Success" && after[n.Identifier]-before[n.Identifier] != 1 {
						t.Errorf("the effect of %s was seen %d times", n.Identifier, after[n.Identifier]-before[n.Identifier])
					}
				}
				in.foldsAgain(t, r)
			})
		}
	})
}

// TestAbortInRollback stops a run while it rolls back: what is left of it does not run.
func TestAbortInRollback(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	run := in.launch(stages(withUndo(aStage("a", stageBack, shellStep("x", "exit 1", "")), shellStep("u", "sleep 300", ""), shellStep("v", "true", ""))), nil)
	in.until(run, func(r view.Run) bool { return node(r, "u").Delegate != "" })
	if _, err := in.admin.Abort(t.Context(), run, "enough"); err != nil {
		t.Fatal(err)
	}
	if r := in.until(run, ended); r.Status != "Aborted" || standings(r) != "a=Aborted x=Failed u=Aborted v=NotStarted" {
		t.Error(show(r))
	}
}
