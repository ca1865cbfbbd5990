package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/localstack/embedded/weak"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// stages is a pipeline of stages given as flow maps: their fields, then their items.
func stages(list ...string) string {
	return "pipeline:\n  name: test\n  identifier: test\n  stages:\n" + strings.Join(list, "")
}

// aStage is a Custom stage with more fields of its own ("when: {…}") and these items.
func aStage(id, more string, items ...string) string {
	b := fmt.Sprintf("    - stage:\n        name: %[1]s\n        identifier: %[1]s\n        type: Custom\n", id)
	if more != "" {
		b += "        " + more + "\n"
	}
	b += "        spec:\n          execution:\n            steps:\n"
	for _, it := range items {
		b += "              - " + it + "\n"
	}
	return b
}

// beside is a parallel of stages.
func beside(list ...string) string {
	b := "    - parallel:\n"
	for line := range strings.Lines(strings.Join(list, "")) {
		b += "    " + line
	}
	return b
}

// aGroup is a step group with more fields of its own, as an item of a stage.
func aGroup(id, more string, items ...string) string {
	b := fmt.Sprintf("stepGroup:\n                  name: %[1]s\n                  identifier: %[1]s\n                  %[2]s\n                  steps:\n", id, more)
	for _, it := range items {
		b += "                    - " + it + "\n"
	}
	return strings.TrimSuffix(b, "\n")
}

// bothWays starts a platform whose adapters behave, and one with weak ones; time passes
// as fast on both.
func bothWays(t *testing.T, change func(*platform.Config), test func(how string, in *inside)) {
	for _, how := range []string{"strong", "weak"} {
		cfg := weakly(t)
		if how == "strong" {
			cfg = platform.Config{Delegate: true, Clock: cfg.Clock}
		}
		if change != nil {
			change(&cfg)
		}
		test(how, startInside(t, cfg))
	}
}

// weakly is a platform whose adapters do all that their contracts allow.
func weakly(t *testing.T) platform.Config {
	seed := weak.Seed(t)
	return platform.Config{Delegate: true, Clock: clock.Fast(20, time.Now()),
		Weak: &workflow.Weak{Seed: seed, Duplicate: 0.3, Delay: 2 * time.Second}, Wrap: func(p core.Ports) core.Ports {
			p.Store, p.Bus = weak.Store(p.Store, weak.Usual(seed)), weak.Bus(p.Bus, weak.Usual(seed))
			return p
		}}
}

// launchWeakly starts a run where a call may fail; its key makes it safe to repeat.
func (in *inside) launchWeakly(yaml, key string) string {
	in.t.Helper()
	var err error
	for range 100 {
		var out client.Launched
		if out, err = in.admin.Launch(in.t.Context(), client.Launch{YAML: yaml, File: "test.yaml", Key: key}); err == nil {
			return out.Run
		}
	}
	in.t.Fatalf("the run cannot be started: %v", err)
	return ""
}

// standings tells how every named node stands, "x=Success".
func standings(r view.Run) string {
	var out []string
	for _, n := range r.Nodes {
		if n.Identifier != "" {
			out = append(out, n.Identifier+"="+n.Status)
		}
	}
	return strings.Join(out, " ")
}

// TestConditions runs conditions on stages, groups, branches and steps, once on
// adapters that behave and once on weak ones.
func TestConditions(t *testing.T) {
	yaml := stages(
		aStage("a", "", outputStep("x", 3),
			aGroup("g", "when: {stageStatus: Failure}", shellStep("no", "true", "")),
			"parallel:\n                  - "+shellStep("l", "echo l", ", when: {stageStatus: Success, condition: <+execution.steps.x.output.outputVariables.v> == \"xxx\"}")+
				"\n                  - "+shellStep("m", "echo m", ", when: {stageStatus: All, condition: <+execution.steps.x.output.outputVariables.v> == \"yyy\"}"),
			shellStep("bad", "exit 1", ""),
			shellStep("after", "true", ""),
			shellStep("cleanup", "echo cleaned", ", when: {stageStatus: Failure}")),
		aStage("b", "", shellStep("y", "true", "")),
		beside(aStage("c", "when: {pipelineStatus: Failure}", shellStep("z", "echo <+pipeline.stages.b.status>", "")),
			aStage("d", "when: {pipelineStatus: Success}", shellStep("q", "true", ""))),
		aStage("e", "when: {pipelineStatus: All, condition: <+pipeline.stages.a.status> == \"FAILED\" && <+pipeline.stages.d.status> == \"SKIPPED\"}", shellStep("end", "true", "")),
	)
	const want = "a=Failed x=Success g=Skipped no=NotStarted l=Success m=Skipped bad=Failed after=Skipped cleanup=Success " +
		"b=Skipped y=NotStarted c=Success z=Success d=Skipped q=NotStarted e=Success end=Success"
	for name, cfg := range map[string]platform.Config{"strong": {Delegate: true}, "weak": weakly(t)} {
		t.Run(name, func(t *testing.T) {
			in := startInside(t, cfg)
			r := in.finish(in.launchWeakly(yaml, name))
			if got := standings(r); r.Status != "Failed" || got != want {
				t.Errorf("the run ended %s:\n got %s\nwant %s", r.Status, got, want)
			}
			if got := in.logs(r)["z"]; got != "SKIPPED\n" {
				t.Errorf("b's status was printed as %q", got)
			}
			in.foldsAgain(t, r)
		})
	}
}
