package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/view"
)

// outputStep prints nothing and has an output variable v of so many bytes.
func outputStep(id string, bytes int) string {
	return fmt.Sprintf(`step: {name: %[1]s, identifier: %[1]s, type: ShellScript, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: "v=$(head -c %[2]d /dev/zero | tr '\\0' x)"}}, outputVariables: [{name: v, type: String, value: v}]}}`, id, bytes)
}

// TestFoldAgain reads every track of a finished run in a fresh process' way, from
// snapshot and events: it is what it was. Outputs of every size are passed on
// inside a track and between tracks.
func TestFoldAgain(t *testing.T) {
	sizes := map[string]int{"small": 10, "digest": 3 << 10, "apart": 40 << 10}
	var items []string
	for id, n := range sizes {
		items = append(items, outputStep(id, n), shellStep("use"+id, "printf %s '<+execution.steps."+id+".output.outputVariables.v>' | wc -c", ""))
	}
	for i := range 20 { // enough for a snapshot
		items = append(items, shellStep(fmt.Sprintf("more%d", i), "true", ""))
	}
	yaml := oneStage(items...)
	var later []string
	for id := range sizes {
		later = append(later, shellStep("later"+id, "printf %s '<+pipeline.stages.only.spec.execution.steps."+id+".output.outputVariables.v>' | wc -c", ""))
	}
	second := strings.Replace(oneStage(later...), "name: only\n        identifier: only", "name: second\n        identifier: second", 1)
	yaml += second[strings.Index(second, "    - stage:"):]
	in := startInside(t, platform.Config{Delegate: true})
	r := in.run(yaml, nil)
	if r.Status != "Success" {
		t.Fatal(show(r))
	}
	logs := in.logs(r)
	for id, n := range sizes {
		for _, step := range []string{"use" + id, "later" + id} {
			if got := strings.TrimSpace(logs[step]); got != fmt.Sprint(n) {
				t.Errorf("%s counted %q bytes, want %d", step, got, n)
			}
		}
	}
	in.foldsAgain(t, r)
}

func (in *inside) foldsAgain(t *testing.T, r view.Run) {
	t.Helper()
	run, _, err := in.Journal().Whole(t.Context(), acct, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	fresh := journal.New(in.Ports())
	run.Tracks(func(track string, _ *core.Node) {
		ref := journal.Ref{Account: acct, Run: r.ID, Track: track}
		var states [2]string
		for i, j := range []*journal.Journal{in.Journal(), fresh} {
			var tr *engine.Track
			if _, tr, err = j.Load(t.Context(), ref); err != nil {
				t.Fatal(err)
			}
			body, err := json.Marshal(tr)
			if err != nil {
				t.Fatal(err)
			}
			states[i] = string(body)
		}
		if states[0] != states[1] {
			t.Errorf("track %s folds to something else:\n%s\n%s", track, states[0], states[1])
		}
	})
}
