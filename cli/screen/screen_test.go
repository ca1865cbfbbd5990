package screen

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/steps"
	"github.com/slipway-cd/slipway/shared/view"
)

var update = flag.Bool("update", false, "write the golden files")

func TestDuration(t *testing.T) {
	tests := map[int64]string{
		-5: "0ms", 0: "0ms", 7: "7ms", 999: "999ms", 1000: "1.0s", 1250: "1.2s", 59_999: "59.9s",
		60_000: "1m 0s", 3_599_999: "59m 59s", 3_600_000: "1h 0m", 86_400_000: "1d 0h", 97_200_000: "1d 3h",
	}
	for ms, want := range tests {
		if got := Duration(ms); got != want {
			t.Errorf("Duration(%d) = %q, want %q", ms, got, want)
		}
	}
	if got := Between(0, 5); got != "" {
		t.Errorf("Between without a start = %q", got)
	}
}

func TestTheme(t *testing.T) {
	terminal := []string{"TERM=xterm-256color", "TTY_FORCE=1"}
	tests := map[string]struct {
		environ []string
		want    bool
	}{
		"no terminal":          {[]string{"TERM=xterm-256color"}, false},
		"a terminal":           {terminal, true},
		"a terminal, NO_COLOR": {append([]string{"NO_COLOR=1"}, terminal...), false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			theme := For(&strings.Builder{}, tc.environ)
			if got := strings.Contains(theme.Status("Failed"), "\x1b["); got != tc.want {
				t.Errorf("coloured = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestClean(t *testing.T) {
	tests := map[string]struct{ text, plain, coloured string }{
		"ordinary":             {"a\tü ✓", "a\tü ✓", "a\tü ✓"},
		"colour":               {"\x1b[31mred", "red", "\x1b[31mred\x1b[m"},
		"cursor":               {"a\x1b[2Jb\x1b[1;1Hc", "abc", "abc"},
		"title":                {"a\x1b]0;evil\x07b", "ab", "ab"},
		"carriage return":      {"progress\rdone\x08", "progressdone", "progressdone"},
		"one-byte controls":    {"a\u009b31mb", "a31mb", "a31mb"},
		"an unfinished escape": {"a\x1b[3", "a", "a"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := (Theme{}).Clean(tc.text); got != tc.plain {
				t.Errorf("plain = %q, want %q", got, tc.plain)
			}
			if got := (Theme{colour: true}).Clean(tc.text); got != tc.coloured {
				t.Errorf("coloured = %q, want %q", got, tc.coloured)
			}
		})
	}
}

func TestEveryStatusHasASymbol(t *testing.T) {
	for _, s := range []core.Status{
		core.NotStarted, core.Queued, core.Running, core.AsyncWaiting, core.TaskWaiting, core.TimedWaiting, core.InterventionWaiting,
		core.ApprovalWaiting, core.InputWaiting, core.ResourceWaiting, core.WaitStepRunning, core.Discontinuing, core.Succeeded, core.Failed,
		core.Errored, core.IgnoreFailed, core.Skipped, core.Suspended, core.Expired, core.Aborted, core.AbortedByFreeze, core.ApprovalRejected,
	} {
		if marks[s.API()].symbol == "" {
			t.Errorf("status %s has no symbol", s.API())
		}
		if bad := marks[s.API()].ink == Bad; bad != s.Failing() {
			t.Errorf("status %s: drawn as bad = %v, failing = %v", s.API(), bad, s.Failing())
		}
	}
}

func TestTable(t *testing.T) {
	var out strings.Builder
	if err := (Theme{}).Table(&out, []string{"A", "B", "C"}, [][]string{{"✓ long", "x", ""}, {"y", "wide", "z"}}); err != nil {
		t.Fatal(err)
	}
	want := "A       B     C\n✓ long  x\ny       wide  z\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestTree(t *testing.T) {
	run := view.Run{
		ID: "01RUN", Scope: core.Scope{Org: "default", Project: "default"}, Pipeline: "deploy", Name: "Deploy", Sequence: 4,
		Status: "ApprovalWaiting", Started: 1000, By: core.Actor{ID: "admin"},
		Nodes: []view.Node{
			{FQN: "p.build", Parent: "pipeline", Kind: core.KindStage, Name: "Build", Type: "Custom", Status: "Failed", Started: 1000, Finished: 3500,
				Failure: &core.Failure{Message: "the script ended with exit status 3"}},
			{FQN: "p.build#0", Parent: "p.build", Kind: core.KindParallel, Status: "Success", Started: 1000, Finished: 1100},
			{FQN: "p.build.a", Parent: "p.build#0", Kind: core.KindStep, Name: "Compile", Type: "ShellScript", Status: "Success", Started: 1000, Finished: 1037,
				Outputs: map[string]any{"exitCode": 0.0, "outputVariables": map[string]any{"v": "1.2\n3", "long": strings.Repeat("x", 300)}}},
			{FQN: "p.build.b", Parent: "p.build#0", Kind: core.KindStep, Identifier: "test", Type: "ShellScript", Status: "Failed", Started: 1000, Finished: 3500, Attempt: 2,
				Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: "the script ended with exit status 3\x1b[2J"}},
			{FQN: "p.ask", Parent: "pipeline", Kind: core.KindStage, Name: "Ask", Type: "Approval", Status: "ApprovalWaiting", Started: 3500},
			{FQN: "p.later", Parent: "pipeline", Kind: core.KindStage, Name: "Later", Type: "Custom", Status: "NotStarted"},
		},
		Approvals: []view.Approval{{ID: "01RUN.0.2.abc", Name: "Sign off", Approval: engine.Approval{
			Status: "WAITING", Spec: steps.Approval{Message: "Ship it?\nReally?", UserGroups: []string{"approvers"}, MinimumCount: 2},
			Activities: []engine.Activity{{By: core.Actor{ID: "alice"}, Action: "APPROVE", At: 4000, Comments: "fine"}},
		}}},
	}
	var out strings.Builder
	if err := (Theme{}).Tree(&out, run, 63_500, func(id string) string { return "slipway approve " + id }); err != nil {
		t.Fatal(err)
	}
	golden(t, "tree.txt", out.String())
}

// golden compares with a file below testdata. Moments are as they are in UTC.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	for _, ms := range []int64{1000, 4000} {
		got = strings.ReplaceAll(got, Clock(ms), "<time>")
	}
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
