package e2e

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// askAPerson is a strategy that waits for one, for at most so long.
func askAPerson(timeout, then string) string {
	return strategies(onFailure("AllErrors", "{type: ManualIntervention, spec: {timeout: "+timeout+", onTimeout: {action: {type: "+then+"}}}}"))
}

// TestIntervention has a person answer for a failed step, with every action, and
// nobody at all; on weak adapters.
func TestIntervention(t *testing.T) {
	tests := map[string]struct {
		answer core.ActionType
		script string
		run    string
		want   string
	}{
		"Retry":         {core.ActionRetry, "test $SLIPWAY_ATTEMPT -ge 2", "Success", "only=Success x=Success y=Success"},
		"Ignore":        {core.ActionIgnore, "exit 1", "IgnoreFailed", "only=IgnoreFailed x=IgnoreFailed y=Success"},
		"MarkAsSuccess": {core.ActionMarkAsSuccess, "exit 1", "Success", "only=Success x=Success y=Success"},
		"MarkAsFailure": {core.ActionMarkAsFailure, "exit 1", "Failed", "only=Failed x=Failed y=Skipped"},
		"Abort":         {core.ActionAbort, "exit 1", "Aborted", "only=Aborted x=Aborted y=NotStarted"},
		"nobody":        {"", "exit 1", "IgnoreFailed", "only=IgnoreFailed x=IgnoreFailed y=Success"},
	}
	in := startInside(t, weakly(t))
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in := *in
			in.t = t
			timeout := "1d"
			if tc.answer == "" {
				timeout = "20s"
			}
			run := in.launchWeakly(stages(aStage("only", "", shellStep("x", tc.script, ", "+askAPerson(timeout, "Ignore")), shellStep("y", "true", ""))), name)
			r := in.until(run, func(r view.Run) bool { return tc.answer == "" || r.Status == core.InterventionWaiting.API() })
			if tc.answer != "" {
				if x := node(r, "x"); x.Status != "InterventionWaiting" || len(x.Allowed) != 5 || x.Failure == nil {
					t.Errorf("x is %+v", x)
				}
			}
			r = in.until(run, func(r view.Run) bool {
				if tc.answer != "" && len(node(r, "x").Allowed) > 0 {
					_, _ = in.alice.Intervene(t.Context(), run, "stages.only.steps.x", tc.answer)
				}
				return r.Ended
			})
			if got := standings(r); r.Status != tc.run || got != tc.want {
				t.Errorf("the run ended %s: %s", r.Status, got)
			}
			if a := node(r, "x").Answers; tc.answer != "" && (len(a) != 1 || a[0].By.ID != "alice" || a[0].Action != tc.answer) {
				t.Errorf("the answers are %+v", a)
			}
			in.foldsAgain(t, r)
		})
	}
}

// TestAbortInIntervention stops a run that waits for a person.
func TestAbortInIntervention(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	run := in.launch(stages(aStage("only", "", shellStep("x", "exit 1", ", "+askAPerson("1d", "Ignore")))), nil)
	in.until(run, func(r view.Run) bool { return status(r, "x") == "InterventionWaiting" })
	if _, err := in.alice.Intervene(t.Context(), run, "x", core.ActionStageRollback); err == nil || !strings.Contains(err.Error(), "choose one of Retry") {
		t.Errorf("an action that is not offered: %v", err)
	}
	if _, err := in.admin.Abort(t.Context(), run, "enough"); err != nil {
		t.Fatal(err)
	}
	if r := in.until(run, ended); r.Status != "Aborted" || status(r, "x") != "Aborted" {
		t.Error(show(r))
	}
	if _, err := in.alice.Intervene(t.Context(), run, "x", core.ActionIgnore); err == nil {
		t.Error("an answer to an aborted step was taken")
	}
}

// TestUserMarkedFailure fails what runs: the delegate stops, the strategy applies.
func TestUserMarkedFailure(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	run := in.launch(stages(aStage("only", "", shellStep("x", "sleep 300", ", "+strategies(onFailure("UserMarkedFailure", "{type: Ignore}"))), shellStep("y", "true", ""))), nil)
	in.until(run, func(r view.Run) bool { return node(r, "x").Delegate != "" })
	if _, err := in.alice.Intervene(t.Context(), run, "stages.only", core.InterruptMarkFailed); err != nil {
		t.Fatal(err)
	}
	r := in.until(run, ended)
	if f := node(r, "x").Failure; standings(r) != "only=IgnoreFailed x=IgnoreFailed y=Success" || f == nil || f.Message != "marked as failed by alice" {
		t.Error(show(r))
	}
}
