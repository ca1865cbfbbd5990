package e2e

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/replay"
)

// failsOnce is a pipeline whose second block fails once, beside a stage that does not,
// and whose first stage has outputs that the last one reads.
func failsOnce(file string) string {
	return stages(
		aStage("made", "", outputStep("out", 20), shellStep("effect", "echo made >> "+file, "")),
		aStage("skipped", "when: {pipelineStatus: Failure}", shellStep("never", "true", "")),
		beside(aStage("good", "", shellStep("g", "echo good >> "+file, "")), aStage("bad", "", shellStep("b", "echo bad >> "+file+"; test $(grep -c bad "+file+") -ge 2", ""))),
		aStage("last", "", shellStep("use", "echo <+pipeline.stages.made.spec.execution.steps.out.output.outputVariables.v> <+pipeline.stages.good.status> <+pipeline.resumedExecutionId>", "")))
}

// TestRetry takes up a run that has failed in a parallel: what had succeeded before
// counts as executed, with its outputs and logs.
func TestRetry(t *testing.T) {
	for name, tc := range map[string]struct {
		in   client.Again
		want map[string]int // effects
	}{
		"where it failed":    {client.Again{}, map[string]int{"made": 1, "good": 2, "bad": 2}},
		"only what failed":   {client.Again{FailedOnly: true}, map[string]int{"made": 1, "good": 1, "bad": 2}},
		"from the beginning": {client.Again{Stages: []string{"made"}}, map[string]int{"made": 2, "good": 2, "bad": 2}},
	} {
		t.Run(name, func(t *testing.T) {
			in := startInside(t, weakly(t))
			file := filepath.Join(t.TempDir(), "effects")
			first := in.finish(in.launchWeakly(failsOnce(file), name))
			if first.Status != "Failed" {
				t.Fatal(show(first))
			}
			tc.in.Key = name + " again"
			var started client.Launched
			var err error = fault.New(fault.Unavailable, "not yet")
			for i := 0; err != nil && i < 100; i++ {
				started, err = in.admin.Retry(t.Context(), first.ID, tc.in)
			}
			if err != nil {
				t.Fatal(err)
			}
			r := in.until(started.Run, ended)
			if r.Status != "Success" || r.RetryOf != first.ID || r.ID == first.ID {
				t.Fatal(show(r))
			}
			if got := countLines(t, file); !maps.Equal(got, tc.want) {
				t.Errorf("the effects are %v, want %v", got, tc.want)
			}
			logs := in.logs(r)
			if want := strings.Repeat("x", 20) + " SUCCEEDED " + first.ID + "\n"; logs["use"] != want {
				t.Errorf("the last step wrote %q, want %q", logs["use"], want)
			}
			if made := node(r, "made"); made.Status != "Success" || status(r, "out") != "Success" || status(r, "skipped") != "Skipped" && status(r, "skipped") != "NotStarted" {
				t.Error(show(r))
			}
			in.foldsAgain(t, r)
			rec, err := in.admin.Record(t.Context(), r.ID)
			if err != nil {
				return // weak adapters may refuse to read
			}
			if report, err := replay.Run(rec); err != nil || !report.Agrees {
				t.Errorf("the replay says %+v %v", report, err)
			}
		})
	}
}

// TestRetryRefused refuses what cannot be taken up.
func TestRetryRefused(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	good := in.run(oneStage(shellStep("x", "true", "")), nil)
	bad := in.run(stages(aStage("a", "", shellStep("x", "exit 1", "")), aStage("b", "", shellStep("y", "true", ""))), nil)
	open := in.launch(oneStage("step: {name: w, identifier: w, type: Wait, spec: {duration: 1h}}"), nil)
	for name, tc := range map[string]struct {
		run    string
		stages []string
		want   string
	}{
		"success":        {good.ID, nil, "ended as Success"},
		"open":           {open, nil, "has not ended"},
		"no such stage":  {bad.ID, []string{"c"}, "there is no stage"},
		"not executed":   {bad.ID, []string{"b"}, ""},
		"no such run":    {"NOBODY", nil, "there is no run"},
		"two not beside": {bad.ID, []string{"a", "b"}, "no parallel with the stages, a, b"},
	} {
		_, err := in.admin.Retry(t.Context(), tc.run, client.Again{Stages: tc.stages})
		if tc.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q in it", name, err, tc.want)
		}
	}
}

// TestRerun runs a pipeline anew with the inputs it had, and with others.
func TestRerun(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	yaml := strings.Replace(oneStage(shellStep("x", "echo <+pipeline.variables.env> <+pipeline.variables.size>", "")), "  stages:\n",
		"  variables: [{name: env, type: String, value: <+input>}, {name: size, type: String, value: <+input>}]\n  stages:\n", 1)
	first := in.run(yaml, map[string]string{"env": "prod", "size": "2"})
	for _, tc := range []struct {
		in   client.Again
		want string
	}{
		{client.Again{}, "prod 2\n"},
		{client.Again{Inputs: map[string]string{"size": "3"}}, "prod 3\n"},
		{client.Again{InputSets: []string{"pipeline: {identifier: test, variables: [{name: env, type: String, value: qa}, {name: size, type: String, value: 4}]}"}}, "qa 4\n"},
	} {
		started, err := in.admin.Rerun(t.Context(), first.ID, tc.in)
		if err != nil {
			t.Fatal(err)
		}
		r := in.until(started.Run, ended)
		if got := in.logs(r)["x"]; got != tc.want || r.Sequence <= first.Sequence {
			t.Errorf("%+v: wrote %q, want %q", tc.in, got, tc.want)
		}
	}
	fixed := in.run(strings.Replace(yaml, "  stages:\n", "  fixedInputsOnRerun: true\n  stages:\n", 1), map[string]string{"env": "prod", "size": "2"})
	started, err := in.admin.Rerun(t.Context(), fixed.ID, client.Again{Inputs: map[string]string{"size": "3"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := in.logs(in.until(started.Run, ended))["x"]; got != "prod 2\n" {
		t.Errorf("with fixed inputs it wrote %q", got)
	}
}
