package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// onFailure is a failure strategy for these errors, in one line.
func onFailure(errors, action string) string {
	return "{onFailure: {errors: [" + errors + "], action: " + action + "}}"
}

func strategies(list ...string) string {
	return "failureStrategies: [" + strings.Join(list, ", ") + "]"
}

// tries is a script that fails until it has run n times, counted in a file.
func tries(file string, n int) string {
	return fmt.Sprintf("echo try >> %[1]s; echo attempt $SLIPWAY_ATTEMPT; test $(wc -l < %[1]s) -ge %[2]d", file, n)
}

// TestActions takes every action that needs no person, once on adapters that behave
// and once on weak ones.
func TestActions(t *testing.T) {
	const retry = "{type: Retry, spec: {retryCount: 2, retryIntervals: [10s], onRetryFailure: {action: {type: %s}}}}"
	rest := []string{shellStep("y", "true", ""), shellStep("z", "true", ", when: {stageStatus: Failure}")}
	broken := func(list ...string) []string {
		return append([]string{shellStep("x", "exit 1", ", "+strategies(list...))}, rest...)
	}
	tests := map[string]struct {
		items []string
		more  string // of the stage
		run   string
		want  string
		tries int
	}{
		"Ignore":             {broken(onFailure("AllErrors", "{type: Ignore}")), "", "IgnoreFailed", "only=IgnoreFailed x=IgnoreFailed y=Success z=Success", 1},
		"MarkAsSuccess":      {broken(onFailure("Unknown", "{type: MarkAsSuccess}")), "", "Success", "only=Success x=Success y=Success z=Skipped", 1},
		"MarkAsFailure":      {broken(onFailure("Unknown", "{type: MarkAsFailure}")), "", "Failed", "only=Failed x=Failed y=Skipped z=Success", 1},
		"Abort":              {broken(onFailure("AllErrors", "{type: Abort}")), "", "Aborted", "only=Aborted x=Aborted y=NotStarted z=NotStarted", 1},
		"Retry":              {append([]string{shellStep("x", "TRIES", ", "+strategies(onFailure("AllErrors", fmt.Sprintf(retry, "Abort"))))}, rest...), "", "Success", "only=Success x=Success y=Success z=Skipped", 3},
		"Retry in vain":      {broken(onFailure("AllErrors", fmt.Sprintf(retry, "Ignore"))), "", "IgnoreFailed", "only=IgnoreFailed x=IgnoreFailed y=Success z=Success", 3},
		"of another type":    {broken(onFailure("Timeout", "{type: Ignore}")), "", "Failed", "only=Failed x=Failed y=Skipped z=Success", 1},
		"a timeout":          {append([]string{shellStep("x", "sleep 60", ", timeout: 10s, "+strategies(onFailure("Timeout", "{type: Ignore}")))}, rest...), "", "IgnoreFailed", "only=IgnoreFailed x=IgnoreFailed y=Success z=Success", 1},
		"of the stage":       {append([]string{shellStep("x", "exit 1", "")}, rest...), strategies(onFailure("AllErrors", "{type: Ignore}")), "IgnoreFailed", "only=IgnoreFailed x=IgnoreFailed y=Success z=Success", 1},
		"the stage, by step": {[]string{"parallel:\n                  - " + shellStep("x", "TRIES", "") + "\n                  - " + shellStep("y", "true", "")}, strategies(onFailure("AllErrors", fmt.Sprintf(retry, "Abort"))), "Success", "only=Success x=Success y=Success", 3},
	}
	bothWays(t, nil, func(how string, in *inside) {
		for name, tc := range tests {
			t.Run(how+"/"+name, func(t *testing.T) {
				yaml := stages(aStage("only", tc.more, tc.items...))
				yaml = strings.ReplaceAll(yaml, `"TRIES"`, fmt.Sprintf("%q", tries(filepath.Join(t.TempDir(), "tries"), 3)))
				in := *in
				in.t = t
				r := in.finish(in.launchWeakly(yaml, how+name))
				if got := standings(r); r.Status != tc.run || got != tc.want {
					t.Errorf("the run ended %s:\n got %s\nwant %s\n%s", r.Status, got, tc.want, show(r))
				}
				if x := node(r, "x"); x.Attempt != tc.tries {
					t.Errorf("x was tried %d times, want %d", x.Attempt, tc.tries)
				} else if tc.tries == 3 && tc.run == "Success" && in.logs(r)["x"] != "attempt 3\n" {
					t.Errorf("its log is %q", in.logs(r)["x"])
				}
				in.foldsAgain(t, r)
			})
		}
	})
}

// TestAbortInBackOff stops a run that waits before another try.
func TestAbortInBackOff(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	run := in.launch(stages(aStage("only", "", shellStep("x", "exit 1", ", "+strategies(onFailure("AllErrors",
		"{type: Retry, spec: {retryCount: 2, retryIntervals: [1h], onRetryFailure: {action: {type: Abort}}}}"))))), nil)
	in.until(run, func(r view.Run) bool { return status(r, "x") == core.TimedWaiting.API() })
	if _, err := in.admin.Abort(t.Context(), run, "enough"); err != nil {
		t.Fatal(err)
	}
	if r := in.until(run, ended); r.Status != "Aborted" || status(r, "x") != "Aborted" {
		t.Error(show(r))
	}
}
