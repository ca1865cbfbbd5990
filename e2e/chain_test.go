package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// aChain is a stage that runs the pipeline child.
func aChain(id, more string) string {
	return fmt.Sprintf("    - stage:\n        name: %[1]s\n        identifier: %[1]s\n        type: Pipeline\n        spec:\n          org: default\n          project: default\n          pipeline: child\n%[2]s", id, more)
}

// chaining is what a stage hands its pipeline, and takes from it.
const chaining = `          inputs:
            identifier: child
            variables:
              - {name: word, type: String, value: <+pipeline.stages.before.spec.execution.steps.say.output.outputVariables.v>}
          outputs:
            - {name: answer, value: <+pipeline.stages.inner.spec.execution.steps.echo.output.outputVariables.v>}
            - {name: of, value: <+pipeline.identifier>}
`

// say is a step whose output variable v is a word of the shell.
func say(id, word string) string {
	return fmt.Sprintf(`step: {name: %[1]s, identifier: %[1]s, type: ShellScript, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: "v=%[2]s"}}, outputVariables: [{name: v, type: String, value: v}]}}`, id, word)
}

// childOf is a pipeline child of these stages, with a variable word.
func childOf(list ...string) string {
	return "pipeline:\n  name: child\n  identifier: child\n  variables:\n    - {name: word, type: String, value: <+input>.default(none)}\n  stages:\n" + strings.Join(list, "")
}

// launchChain starts a run of a pipeline beside its child; on weak adapters answers may
// get lost.
func (in *inside) launchChain(yaml, child, key string) string {
	in.t.Helper()
	for range 20 {
		out, err := in.admin.Launch(in.t.Context(), client.Launch{YAML: yaml, File: "test.yaml", Key: key, Library: []client.File{{File: "child.yaml", YAML: child}}})
		if err == nil {
			return out.Run
		}
		if key == "" {
			in.t.Fatal(err)
		}
	}
	in.t.Fatal("it cannot be started")
	return ""
}

// chainsOf are the runs that a run's stages have started, in plan order, earlier tries
// first.
func (in *inside) chainsOf(r view.Run) (all []view.Run) {
	in.t.Helper()
	for _, n := range r.Nodes {
		var ids []string
		for _, a := range n.Earlier {
			if a.Chained != "" {
				ids = append(ids, a.Chained)
			}
		}
		if n.Chained != nil && n.Chained.Run != "" {
			ids = append(ids, n.Chained.Run)
		}
		for _, id := range ids {
			c := in.until(id, ended)
			if c.Parent == nil || c.Parent.Run != r.ID || c.Parent.Stage != n.Identifier || c.Trigger != r.Trigger || c.By.ID != r.By.ID {
				in.t.Errorf("run %s was started by %+v, %s of %s", id, c.Parent, c.Trigger, c.By.ID)
			}
			all = append(all, c)
		}
	}
	return all
}

// TestChain runs pipelines in pipelines, on adapters that behave and on weak ones: each
// try of a stage is one run, and every effect is there once.
func TestChain(t *testing.T) {
	effects := filepath.Join(t.TempDir(), "effects")
	retry := strategies(onFailure("AllErrors", "{type: Retry, spec: {retryCount: 2, retryIntervals: [10s], onRetryFailure: {action: {type: MarkAsFailure}}}}"))
	tests := map[string]struct {
		yaml, child func(file string) string
		run, want   string
		chains      string
		seen        map[string]int
		log         string // of the step read
	}{
		"outputs": {func(string) string {
			return stages(aStage("before", "", say("say", "$(printf 'good <%sx> day' +)")), aChain("call", chaining), aStage("after", "", shellStep("read", "echo '<+pipeline.stages.call.output.answer>' of <+pipeline.call.of>", "")))
		}, func(string) string {
			return childOf(aStage("inner", "", say("echo", "'heard <+pipeline.variables.word>'")))
		}, "Success", "before=Success say=Success call=Success after=Success read=Success", "Success", nil, "heard good <+x> day of child"},
		"failure": {func(string) string {
			return stages(aChain("call", ""), aStage("after", "", shellStep("read", "true", "")))
		},
			func(string) string { return childOf(aStage("inner", "", shellStep("x", "exit 3", ""))) },
			"Failed", "call=Failed after=NotStarted read=NotStarted", "Failed", nil, ""},
		"retry": {func(string) string {
			return stages(aChain("call", "        "+retry+"\n"), aStage("after", "", shellStep("read", "echo <+pipeline.stages.call.status>", "")))
		},
			func(file string) string {
				return childOf(aStage("inner", "", shellStep("x", "echo x >> "+file, ""), shellStep("y", tries(file+".tries", 3), "")))
			},
			"Success", "call=Success after=Success read=Success", "Failed Failed Success", map[string]int{"x": 3}, "SUCCEEDED"},
		"loop": {func(string) string {
			return stages(aChain("call", "          inputs: {identifier: child, variables: [{name: word, type: String, value: <+matrix.w>}]}\n          outputs: [{name: o, value: <+pipeline.variables.word>}]\n        strategy: {matrix: {w: [one, two, three]}}\n"),
				aStage("after", "", shellStep("read", "echo <+pipeline.stages.call_0.output.o> <+pipeline.stages.call_2.output.o>", "")))
		}, func(file string) string {
			return childOf(aStage("inner", "", shellStep("x", "echo <+pipeline.variables.word> >> "+file, "")))
		},
			"Success", "call=Success call_0=Success call_1=Success call_2=Success after=Success read=Success", "Success Success Success", map[string]int{"one": 1, "two": 1, "three": 1}, "one three"},
	}
	bothWays(t, func(cfg *platform.Config) { cfg.MaxRuns = 1 }, func(how string, in *inside) { // chained runs do not count
		for name, tc := range tests {
			t.Run(how+"/"+name, func(t *testing.T) {
				in, file := *in, effects+how+name
				in.t = t
				r := in.finish(in.launchChain(tc.yaml(file), tc.child(file), how+name))
				var ends []string
				for _, c := range in.chainsOf(r) {
					ends = append(ends, c.Status)
					in.foldsAgain(t, c)
				}
				if got := standings(r); r.Status != tc.run || got != tc.want || strings.Join(ends, " ") != tc.chains {
					t.Errorf("the run ended %s, its stages' %v:\n got %s\nwant %s\n%s", r.Status, ends, got, tc.want, show(r))
				}
				if len(tc.seen) > 0 {
					for id, n := range countLines(t, file) {
						if n != tc.seen[id] {
							t.Errorf("the effect of %s was seen %d times, want %d", id, n, tc.seen[id])
						}
					}
				}
				if got := strings.TrimSpace(in.logs(r)["read"]); tc.log != "" && got != tc.log {
					t.Errorf("read %q, want %q", got, tc.log)
				}
				in.foldsAgain(t, r)
			})
		}
	})
}

// TestChainStops has runs end by their parents' end, and parents by theirs.
func TestChainStops(t *testing.T) {
	sleeping := childOf(aStage("inner", "", shellStep("x", "sleep 300", "")))
	tests := map[string]struct {
		more       string
		happens    func(in *inside, run, chained string)
		run, child core.Status
	}{
		"the parent is aborted": {"", func(in *inside, run, _ string) { _, _ = in.admin.Abort(in.t.Context(), run, "enough") }, core.Aborted, core.Aborted},
		"the child is aborted":  {"", func(in *inside, _, c string) { _, _ = in.admin.Abort(in.t.Context(), c, "enough") }, core.Aborted, core.Aborted},
		"the stage's timeout":   {"        timeout: 10s\n", func(*inside, string, string) {}, core.Expired, core.Expired},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in := startInside(t, weakly(t))
			run := in.launchChain(stages(aChain("call", tc.more)), sleeping, name)
			chained := in.until(run, func(r view.Run) bool { c := node(r, "call").Chained; return c != nil && c.Run != "" })
			id := node(chained, "call").Chained.Run
			in.until(id, func(r view.Run) bool { return len(r.Nodes) > 1 && (node(r, "x").Delegate != "" || r.Ended) })
			r := in.until(run, func(r view.Run) bool {
				if !r.Ended {
					tc.happens(in, run, id)
				}
				return r.Ended
			})
			c := in.until(id, ended)
			if r.Status != tc.run.API() || c.Status != tc.child.API() || status(r, "call") != tc.run.API() {
				t.Errorf("%s\n%s", show(r), show(c))
			}
		})
	}
}

// TestChainStoppedFirst executes the stop of a chained run before its start, as a relay
// may, and each twice: it never begins.
func TestChainStoppedFirst(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	r := in.finish(in.launchChain(stages(aChain("call", "")), childOf(aStage("inner", "", shellStep("x", "true", ""))), ""))
	rec, err := in.admin.Record(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	var start core.Command
	for _, s := range rec.Tracks["0.1"] {
		for _, c := range s.Event.Commands {
			if c.Do == core.DoChain {
				start = c
			}
		}
	}
	start.Run = in.Ports().IDs.New()
	stop := start
	stop.Event = &core.Event{V: core.EventVersion, Type: core.EventStop, Stop: &core.Stop{Status: core.Aborted, Reason: "at once"}}
	for i, c := range []core.Command{stop, start, stop, start} {
		n := int64(1000 + i)
		body, err := json.Marshal(core.Event{V: core.EventVersion, N: n, Type: core.EventWarned, Commands: []core.Command{c}})
		if err == nil {
			err = in.Journal().Redo(t.Context(), core.Item{Key: core.EventKey(acct, r.ID, "0.1", n), Body: body, Version: n})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	c := in.until(start.Run, ended)
	if c.Status != "Aborted" || standings(c) != "inner=NotStarted x=NotStarted" || c.Parent == nil || c.Parent.Run != r.ID {
		t.Error(show(c))
	}
	next := in.finish(in.launchChain(stages(aChain("call", "")), childOf(aStage("inner", "", shellStep("x", "true", ""))), ""))
	if last := in.chainsOf(next); c.Sequence != 2 || last[0].Sequence != 3 {
		t.Errorf("it was run %d, and the one behind it run %d", c.Sequence, last[0].Sequence)
	}
	if after := in.until(r.ID, ended); after.Status != "Success" {
		t.Error(show(after))
	}
}

// TestRetryAfterChain takes up a run behind a stage that has run another pipeline, which
// is not run again: its outputs are read as before. Rerun runs it again.
func TestRetryAfterChain(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	yaml := stages(aStage("before", "", say("say", "word")), aChain("call", chaining),
		aStage("after", "when: {pipelineStatus: Success, condition: <+pipeline.stages.call.output.answer> == 'heard word'}",
			shellStep("read", "echo '<+pipeline.stages.call.output.answer>'; "+tries(filepath.Join(t.TempDir(), "tries"), 2), "")))
	r := in.finish(in.launchChain(yaml, childOf(aStage("inner", "", say("echo", "'heard <+pipeline.variables.word>'"))), ""))
	if r.Status != "Failed" {
		t.Fatal(show(r))
	}
	again, err := in.admin.Retry(t.Context(), r.ID, client.Again{})
	if err != nil {
		t.Fatal(err)
	}
	second := in.until(again.Run, ended)
	if got := strings.TrimSpace(in.logs(second)["read"]); second.Status != "Success" || !strings.HasPrefix(got, "heard word\n") || node(second, "call").Copied != r.ID {
		t.Errorf("%q\n%s", got, show(second))
	}
	if again, err = in.admin.Rerun(t.Context(), r.ID, client.Again{}); err != nil {
		t.Fatal(err)
	}
	third := in.until(again.Run, ended)
	if a, b := node(r, "call").Chained, node(third, "call").Chained; third.Status != "Success" || b == nil || a.Run == b.Run {
		t.Errorf("%+v, then %+v\n%s", a, b, show(third))
	}
}

// TestChainPeople has people have their say about a stage that runs another pipeline,
// and in that.
func TestChainPeople(t *testing.T) {
	given := "          inputs: {identifier: child, variables: [{name: word, type: String, value: <+input>.executionInput()}]}\n"
	tests := map[string]struct {
		more, child string
		do          func(in *inside, r view.Run) // until the run has ended
		run, want   string
		chains      string
	}{
		"an intervention": {"        " + askAPerson("1d", "Abort") + "\n", childOf(aStage("inner", "", shellStep("x", "exit 1", ""))), func(in *inside, r view.Run) {
			if n := node(r, "call"); len(n.Allowed) > 0 {
				_, _ = in.alice.Intervene(in.t.Context(), r.ID, "call", map[bool]core.ActionType{true: core.ActionRetry, false: core.ActionIgnore}[n.Attempt == 1])
			}
		}, "IgnoreFailed", "call=IgnoreFailed after=Success y=Success", "Failed Failed"},
		"marked as failed": {"", childOf(aStage("inner", "", shellStep("x", "sleep 300", ""))), func(in *inside, r view.Run) {
			_, _ = in.alice.Intervene(in.t.Context(), r.ID, "call", core.InterruptMarkFailed)
		}, "Failed", "call=Failed after=NotStarted y=NotStarted", "Aborted"},
		"an approval": {"", childOf(aStage("inner", "", fmt.Sprintf(approvalItem, "1d"))), func(in *inside, r view.Run) {
			waiting, err := in.admin.Approvals(in.t.Context(), r.ID)
			if err == nil && len(waiting) == 1 && waiting[0].Run != r.ID {
				_ = in.alice.Decide(in.t.Context(), waiting[0].ID, client.Decision{Action: client.Approve})
			}
		}, "Success", "call=Success after=Success y=Success", "Success"},
		"an input": {given, childOf(aStage("inner", "", shellStep("x", "test <+pipeline.variables.word> = word", ""))), func(in *inside, r view.Run) {
			if asks := node(r, "call").Asks; len(asks) == 1 {
				_, _ = in.alice.Give(in.t.Context(), r.ID, "call", map[string]string{asks[0].Path: "word"})
			}
		}, "Success", "call=Success after=Success y=Success", "Success"},
	}
	in := startInside(t, platform.Config{Delegate: true})
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in := *in
			in.t = t
			run := in.launchChain(stages(aChain("call", tc.more), aStage("after", "", shellStep("y", "true", ""))), tc.child, "")
			r := in.until(run, func(r view.Run) bool { tc.do(&in, r); return r.Ended })
			var ends []string
			for _, c := range in.chainsOf(r) {
				ends = append(ends, c.Status)
			}
			if got := standings(r); r.Status != tc.run || got != tc.want || strings.Join(ends, " ") != tc.chains {
				t.Errorf("the run ended %s, its stage's %v: %s\n%s", r.Status, ends, got, show(r))
			}
		})
	}
}
