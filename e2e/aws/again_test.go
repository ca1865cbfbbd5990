package aws

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/replay"
)

// TestAgain takes up a run that has failed, runs it anew, asks why it had failed, and
// decides all of it again from what was recorded: through the API alone.
func TestAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		left := newEffects(t)
		fails := left.leave("bad") + "test $(grep -c bad " + string(left) + ") -ge 2"
		yaml := oneStage([]string{script("say", left.leave("said")+"v=word", "", "outputVariables: [{name: v, type: String, value: v}]")})
		yaml += strings.ReplaceAll(yaml[strings.Index(yaml, "    - stage:"):strings.Index(yaml, "              - step")], "only", "last") +
			"              - " + script("use", left.leave("<+pipeline.stages.only.spec.execution.steps.say.output.outputVariables.v>")+fails, "") + "\n"

		first := w.await(t, w.launch(t, yaml, "again"), "ends", ended)
		if first.Status != "Failed" {
			t.Fatal(w.name, show(first))
		}
		why, err := w.user["admin"].Why(t.Context(), first.ID, "use")
		if err != nil || !strings.Contains(fmt.Sprint(why), "exit status 1") {
			t.Errorf("%s: why says %+v %v", w.name, why, err)
		}
		w.agrees(t, first.ID)

		started, err := w.user["admin"].Retry(t.Context(), first.ID, client.Again{})
		if err != nil {
			t.Fatal(w.name, err)
		}
		if r := w.await(t, started.Run, "ends", ended); r.Status != "Success" || r.RetryOf != first.ID {
			t.Fatal(w.name, show(r))
		}
		w.agrees(t, started.Run)
		if got, want := left.count(t), map[string]int{"said": 1, "word": 2, "bad": 2}; !maps.Equal(got, want) {
			t.Errorf("%s: the effects are %v, want %v", w.name, got, want)
		}

		anew, err := w.user["admin"].Rerun(t.Context(), first.ID, client.Again{})
		if err != nil {
			t.Fatal(w.name, err)
		}
		if r := w.await(t, anew.Run, "ends", ended); r.Status != "Success" || slices.Contains([]string{first.ID, started.Run}, r.ID) {
			t.Fatal(w.name, show(r))
		}
		if got := left.count(t)["said"]; got != 2 {
			t.Errorf("%s: the first stage has run %d times, want 2", w.name, got)
		}
	})
}

// agrees decides a run again from its record.
func (w *world) agrees(t *testing.T, run string) {
	t.Helper()
	rec, err := w.user["admin"].Record(t.Context(), run)
	if err != nil {
		t.Fatal(w.name, err)
	}
	if report, err := replay.Run(rec); err != nil || !report.Agrees {
		t.Errorf("%s: the replay of %s says %+v %v", w.name, run, report, err)
	}
}
