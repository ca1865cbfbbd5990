package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// besides puts stages side by side.
func besides(list ...string) string {
	b := "    - parallel:\n"
	for _, s := range list {
		b += "        " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ") + "\n"
	}
	return b
}

// TestPipelineRollback rolls all stages back, each effect once and in order, on
// adapters that behave and on weak ones.
func TestPipelineRollback(t *testing.T) {
	back := strategies(onFailure("AllErrors", "{type: PipelineRollback}"))
	for _, how := range []string{"strong", "weak"} {
		t.Run(how, func(t *testing.T) {
			cfg := platform.Config{Delegate: true}
			if how == "weak" {
				cfg = weakly(t)
			}
			in := startInside(t, cfg)
			effects := filepath.Join(t.TempDir(), "effects")
			leave := func(id string) string {
				return shellStep(id, "echo "+id+" <+pipeline.executionMode> <+pipeline.stages.a.status> >> "+effects, "")
			}
			yaml := stages(withUndo(aStage("a", "", leave("w")), leave("u")),
				besides(withUndo(aStage("b", "", leave("x")), leave("v")), withUndo(aStage("c", back, "parallel:\n                  - "+shellStep("y", "exit 1", "")), leave("r"))),
				aStage("d", "when: {pipelineStatus: All}", leave("z")))
			r := in.finish(in.launchWeakly(yaml, how))
			want := "a=Success w=Success b=Success x=Success c=Failed y=Failed d=NotStarted z=NotStarted pipelineRollback=Success b=Success v=Success c=Success r=Success a=Success u=Success"
			want2 := strings.Replace(want, "b=Success v=Success c=Success r=Success", "c=Success r=Success b=Success v=Success", 1)
			if got := standings(r); r.Status != "Failed" || got != want && got != want2 {
				t.Errorf("the run ended %s:\n got %s\nwant %s\n%s", r.Status, got, want, show(r))
			}
			body, err := os.ReadFile(effects)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(body)), "\n")
			slices.Sort(lines[2:4])
			if got := fmt.Sprint(lines); got != "[w NORMAL Running x NORMAL Success r PIPELINE_ROLLBACK Success v PIPELINE_ROLLBACK Success u PIPELINE_ROLLBACK Success]" &&
				got != "[w NORMAL RUNNING x NORMAL SUCCEEDED r PIPELINE_ROLLBACK SUCCEEDED v PIPELINE_ROLLBACK SUCCEEDED u PIPELINE_ROLLBACK SUCCEEDED]" {
				t.Errorf("the effects are %s", got)
			}
			in.foldsAgain(t, r)
		})
	}
}

// TestAbortInPipelineRollback stops a run while its stages are rolled back.
func TestAbortInPipelineRollback(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	run := in.launch(stages(withUndo(aStage("a", "", shellStep("w", "true", "")), shellStep("u", "sleep 300", "")),
		aStage("b", strategies(onFailure("AllErrors", "{type: PipelineRollback}")), shellStep("x", "exit 1", ""))), nil)
	in.until(run, func(r view.Run) bool { return node(r, "u").Delegate != "" })
	if _, err := in.admin.Abort(t.Context(), run, "enough"); err != nil {
		t.Fatal(err)
	}
	if r := in.until(run, ended); r.Status != core.Aborted.API() || standings(r) != "a=Success w=Success b=Failed x=Failed pipelineRollback=Aborted a=Aborted u=Aborted" {
		t.Error(show(r))
	}
}
