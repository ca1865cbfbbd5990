package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

const again = "{type: RetryStepGroup, spec: {retryCount: 2, retryIntervals: [10s]}}"

// TestRetryStepGroup runs groups again on adapters that behave and on weak ones: every
// step of every try has its effect once.
func TestRetryStepGroup(t *testing.T) {
	effects := filepath.Join(t.TempDir(), "effects")
	tests := map[string]struct {
		group func(leave func(id string) string, flaky func(id string) string) string
		run   string
		want  string
		tried map[string]int
	}{
		"serial": {func(leave, flaky func(string) string) string {
			return aGroup("g", strategies(onFailure("AllErrors", again)), leave("x"), flaky("y"), leave("z"))
		}, "Success", "a=Success g=Success x=Success y=Success z=Success w=Success", map[string]int{"g": 3, "x": 3, "y": 3, "z": 1, "w": 1}},
		"branches": {func(leave, flaky func(string) string) string {
			return aGroup("g", strategies(onFailure("AllErrors", again)), leave("x"), "parallel:\n                        - "+flaky("y")+"\n                        - "+leave("z"))
		}, "Success", "a=Success g=Success x=Success y=Success z=Success w=Success", map[string]int{"g": 3, "x": 3, "y": 3, "z": 3, "w": 1}},
		"in vain": {func(leave, _ func(string) string) string {
			return aGroup("g", strategies(onFailure("AllErrors", again)), leave("x"), shellStep("y", "exit 1", ""))
		}, "Failed", "a=Failed g=Failed x=Success y=Failed w=NotStarted", map[string]int{"g": 3, "x": 3, "y": 3, "w": 0}},
	}
	bothWays(t, nil, func(how string, in *inside) {
		for name, tc := range tests {
			t.Run(how+"/"+name, func(t *testing.T) {
				in, file := *in, effects+how+strings.ReplaceAll(name, " ", "")
				in.t = t
				leave := func(id string) string { return shellStep(id, "echo "+id+" >> "+file, "") }
				flaky := func(id string) string { return shellStep(id, tries(filepath.Join(t.TempDir(), "tries"), 3), "") }
				r := in.finish(in.launchWeakly(stages(aStage("a", "", tc.group(leave, flaky), leave("w"))), how+name))
				if got := standings(r); r.Status != tc.run || got != tc.want {
					t.Errorf("the run ended %s:\n got %s\nwant %s\n%s", r.Status, got, tc.want, show(r))
				}
				seen := countLines(t, file)
				for id, want := range tc.tried {
					n := node(r, id)
					if n.Attempt != want || n.Kind == core.KindStep && id != "y" && seen[id] != want {
						t.Errorf("%s: attempt %d, its effect seen %d times, want %d", id, n.Attempt, seen[id], want)
					}
				}
				in.foldsAgain(t, r)
			})
		}
	})
}

// TestAbortGroupBackOff stops a run that waits before another try of a group.
func TestAbortGroupBackOff(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	run := in.launch(stages(aStage("a", "", aGroup("g", strategies(onFailure("AllErrors",
		"{type: RetryStepGroup, spec: {retryCount: 2, retryIntervals: [1h]}}")), shellStep("x", "exit 1", "")))), nil)
	in.until(run, func(r view.Run) bool { return status(r, "g") == core.TimedWaiting.API() })
	if _, err := in.admin.Abort(t.Context(), run, "enough"); err != nil {
		t.Fatal(err)
	}
	if r := in.until(run, ended); r.Status != "Aborted" || standings(r) != "a=Aborted g=Aborted x=Failed" {
		t.Error(show(r))
	}
}
