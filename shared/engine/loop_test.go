package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// repeat makes a node loop a number of times.
func repeat(times int, n *core.Node) *core.Node {
	n.Loop = &core.Loop{Kind: core.LoopRepeat, Times: &core.LoopNumber{Value: times}}
	return n
}

// matrix makes a node loop over os (linux, mac, …) and arch (arm), so many at once.
func matrix(limit int, n *core.Node) *core.Node {
	n.Loop = &core.Loop{Kind: core.LoopMatrix, MaxConcurrency: &core.LoopNumber{Value: limit}, NodeName: "<+matrix.os>", Axes: []core.Axis{
		{Name: "os", List: core.LoopList{Values: []any{"linux", "mac", map[string]any{"name": "win"}}}},
		{Name: "arch", List: core.LoopList{Values: []any{"arm"}}}}}
	return n
}

func skipQueued(n *core.Node) *core.Node { n.Loop.SkipQueued = true; return n }

// TestLoops is BEHAVIOUR §10: what a looped node comes to. Every plan is played in many
// orders with everything delivered twice.
func TestLoops(t *testing.T) {
	items := func(text string, n *core.Node) *core.Node {
		n.Loop = &core.Loop{Kind: core.LoopRepeat, Items: &core.LoopList{Expr: text}}
		return n
	}
	each := func(when string, n *core.Node) *core.Node { n.Loop.When = when; return n }
	tests := map[string]struct {
		plan func() *core.Plan
		fail string
		run  core.Status
		want string
	}{
		"a step": {func() *core.Plan { return plan(stage("a", repeat(2, shell("x")), shell("y"))) }, "", core.Succeeded,
			"a=SUCCEEDED x=SUCCEEDED x_0=SUCCEEDED x_1=SUCCEEDED y=SUCCEEDED"},
		"a group": {func() *core.Plan { return plan(stage("a", repeat(2, group("g", shell("x"), shell("y"))))) }, "", core.Succeeded,
			"a=SUCCEEDED g=SUCCEEDED g_0=SUCCEEDED x=SUCCEEDED y=SUCCEEDED g_1=SUCCEEDED x=SUCCEEDED y=SUCCEEDED"},
		"a stage": {func() *core.Plan { return plan(repeat(2, stage("a", shell("x"))), stage("b", shell("y"))) }, "", core.Succeeded,
			"a=SUCCEEDED a_0=SUCCEEDED x=SUCCEEDED a_1=SUCCEEDED x=SUCCEEDED b=SUCCEEDED y=SUCCEEDED"},
		"in each other": {func() *core.Plan { return plan(repeat(2, stage("a", repeat(2, shell("x"))))) }, "", core.Succeeded,
			"a=SUCCEEDED a_0=SUCCEEDED x=SUCCEEDED x_0=SUCCEEDED x_1=SUCCEEDED a_1=SUCCEEDED x=SUCCEEDED x_0=SUCCEEDED x_1=SUCCEEDED"},
		"beside others": {func() *core.Plan {
			return plan(stage("a", parallel(repeat(2, shell("x")), shell("y")), shell("z")), parallel(repeat(2, stage("b", shell("q"))), stage("c", shell("r"))))
		}, "", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED x_0=SUCCEEDED x_1=SUCCEEDED y=SUCCEEDED z=SUCCEEDED b=SUCCEEDED b_0=SUCCEEDED q=SUCCEEDED b_1=SUCCEEDED q=SUCCEEDED c=SUCCEEDED r=SUCCEEDED"},
		"one fails, all run": {func() *core.Plan { return plan(stage("a", matrix(1, shell("x")), shell("y"))) }, "x_0_0", core.Failed,
			"a=FAILED x=FAILED x_0_0=FAILED x_1_0=SUCCEEDED x_2_0=SUCCEEDED"},
		"one fails, the queue is skipped": {func() *core.Plan { return plan(stage("a", skipQueued(matrix(1, shell("x"))))) }, "x_0_0", core.Failed,
			"a=FAILED x=FAILED x_0_0=FAILED x_1_0=SKIPPED x_2_0=SKIPPED"},
		"a failure that is ignored": {func() *core.Plan {
			return plan(stage("a", on(repeat(2, shell("x")), act(core.ActionIgnore)), shell("y")))
		}, "x_1", core.IgnoreFailed,
			"a=IGNORE_FAILED x=IGNORE_FAILED x_0=SUCCEEDED x_1=IGNORE_FAILED y=SUCCEEDED"},
		"behind a failure": {func() *core.Plan {
			return plan(stage("a", shell("q"), repeat(2, shell("x")), when(core.WhenAll, "", repeat(2, shell("y")))))
		}, "q", core.Failed,
			"a=FAILED q=FAILED x=SKIPPED y=SUCCEEDED y_0=SUCCEEDED y_1=SUCCEEDED"},
		"the same block never counts": {func() *core.Plan {
			return plan(stage("a", parallel(repeat(2, shell("x")), when(core.WhenFailure, "", repeat(2, shell("y")))), when(core.WhenFailure, "", shell("z"))))
		}, "x_0", core.Failed, "a=FAILED x=FAILED x_0=FAILED x_1=SUCCEEDED y=SKIPPED z=SUCCEEDED"},
		"other iterations never count": {func() *core.Plan {
			return plan(stage("a", matrix(1, group("g", shell("x"), when(core.WhenFailure, "", shell("y"))))))
		}, "g_0_0.steps.x", core.Failed,
			"a=FAILED g=FAILED g_0_0=FAILED x=FAILED y=SUCCEEDED g_1_0=SUCCEEDED x=SUCCEEDED y=SKIPPED g_2_0=SUCCEEDED x=SUCCEEDED y=SKIPPED"},
		"a condition of iterations": {func() *core.Plan { return plan(stage("a", each("<+matrix.os> != \"mac\"", matrix(0, shell("x"))))) }, "", core.Succeeded,
			"a=SUCCEEDED x=SUCCEEDED x_0_0=SUCCEEDED x_1_0=SKIPPED x_2_0=SUCCEEDED"},
		"a condition that speaks of the loop": {func() *core.Plan {
			return plan(when(core.WhenSuccess, "<+matrix.os.name> == \"win\"", matrix(0, stage("a", shell("x")))))
		}, "", core.Succeeded, "a=SUCCEEDED a_0_0=SKIPPED a_1_0=SKIPPED a_2_0=SUCCEEDED x=SUCCEEDED"},
		"a condition that does not": {func() *core.Plan {
			return plan(stage("a", when(core.WhenSuccess, "false", matrix(0, shell("x"))), shell("y")))
		}, "", core.Succeeded,
			"a=SUCCEEDED x=SKIPPED y=SUCCEEDED"},
		"no iteration runs": {func() *core.Plan { return plan(stage("a", each("false", repeat(2, shell("x"))), shell("y"))) }, "", core.Succeeded,
			"a=SUCCEEDED x=SUCCEEDED x_0=SKIPPED x_1=SKIPPED y=SUCCEEDED"},
		"items from a step before": {func() *core.Plan {
			return plan(stage("a", shell("x"), items(`<+steps.x.output.outputVariables.v.split(",")>`, shell("y"))))
		}, "", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SUCCEEDED y_0=SUCCEEDED"},
		"items that are none": {func() *core.Plan {
			return plan(stage("a", shell("x"), items(`<+steps.x.output.outputVariables.v>`, shell("y"))))
		}, "", core.Failed,
			"a=FAILED x=SUCCEEDED y=FAILED"},
		"a rollback step": {func() *core.Plan {
			s := stage("a", on(shell("x"), act(core.ActionStageRollback)))
			s.Rollback = []*core.Node{repeat(2, shell("u"))}
			return plan(s)
		}, "x", core.Failed, "a=FAILED x=FAILED u=SUCCEEDED u_0=SUCCEEDED u_1=SUCCEEDED"},
		"a rollback of each": {func() *core.Plan {
			s := repeat(2, stage("a", on(shell("x"), act(core.ActionStageRollback))))
			s.Rollback = []*core.Node{shell("u")}
			return plan(s)
		}, "a_1.spec.execution.steps.x", core.Failed, "a=FAILED a_0=SUCCEEDED x=SUCCEEDED a_1=FAILED x=FAILED u=SUCCEEDED"},
		"a rollback of what is around": {func() *core.Plan {
			s := stage("a", on(matrix(1, shell("x")), act(core.ActionStageRollback)))
			s.Rollback = []*core.Node{shell("u")}
			return plan(s)
		}, "x_0_0", core.Failed, "a=FAILED x=FAILED x_0_0=FAILED x_1_0=SKIPPED x_2_0=SKIPPED u=SUCCEEDED"},
		"an abort": {func() *core.Plan {
			return plan(on(matrix(1, stage("a", shell("x"))), act(core.ActionAbort)), stage("b", shell("y")))
		}, "a_1_0.spec.execution.steps.x", core.Aborted,
			"a=ABORTED a_0_0=SUCCEEDED x=SUCCEEDED a_1_0=ABORTED x=ABORTED"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			holdEnds(t, tc.plan, func() outcome { return failing(tc.fail) }, tc.run, tc.want)
		})
	}
}

// TestWindow holds that no more iterations run at once than the loop allows.
func TestWindow(t *testing.T) {
	for limit, want := range map[int]int{0: 3, 1: 1, 2: 2} {
		for seed := range uint64(20) {
			s, most := newSim(t, seed, plan(stage("a", matrix(limit, shell("x"))))), 0
			s.outcome = func(string) core.Completed {
				open := 0
				for _, c := range s.Track("0.1").Children {
					if !c.Status.Terminal() {
						open++
					}
				}
				most = max(most, open)
				return core.Completed{OK: true}
			}
			if s.play(); most != want {
				t.Errorf("limit %d, seed %d: %d at once, want %d", limit, seed, most, want)
			}
		}
	}
}

// TestLoopContexts is BEHAVIOUR §10.7: what expressions in and behind a loop read.
func TestLoopContexts(t *testing.T) {
	inside := step("y", "ShellScript", map[string]any{"shell": "Bash", "text": "<+matrix.os> <+matrix.arch> <+stage.matrix.arch> <+strategy.iteration>/<+strategy.iterations> " +
		"<+strategy.identifierPostFix> <+stage.identifier> <+step.identifierPostFix> <+repeat.item> <+strategy.node.a.iteration> <+strategy.node.get(\"a\").currentStatus> " +
		"<+pipeline.stages.a<+stage.identifierPostFix>.spec.execution.steps.x.output.outputVariables.v> <+execution.steps.x.status> <+stage.name>"})
	behind := step("z", "ShellScript", map[string]any{"shell": "Bash", "text": "<+pipeline.stages.a_1_0.spec.execution.steps.x.output.outputVariables.v> <+pipeline.stages.a.a_0_0.status> " +
		"<+pipeline.stages.a_1_0.spec.execution.steps.y_0.status> <+pipeline.stages.a.status> <+stages.a_0_0.spec.execution.steps.y.y_0.status> <+pipeline.stages.a_7_0>"})
	st := matrix(0, stage("a", shell("x"), repeat(1, inside)))
	st.Name = "build"
	s := newSim(t, 1, plan(st, stage("b", behind)))
	texts := map[string]string{}
	s.outcome = func(node string) core.Completed {
		for _, tr := range s.Tracks {
			if tr.Task != nil && tr.Task.Node == node {
				if text, ok := tr.Task.Spec["text"].(string); ok {
					texts[strings.TrimPrefix(node, "pipeline.stages.")] = text
				}
			}
		}
		return core.Completed{OK: true, Outputs: map[string]any{"outputVariables": map[string]any{"v": "out of " + strings.Split(node, ".")[2]}}}
	}
	if got := s.play().Status; got != core.Succeeded {
		t.Fatalf("the run ended %s: %s %v", got, s.ends(), s.Track("0").Failure)
	}
	want := map[string]string{
		"a_1_0.spec.execution.steps.y_0": "mac arm arm 0/1 _0 a_1_0 _0 0 1 RUNNING out of a_1_0 SUCCEEDED build_mac",
		"b.spec.execution.steps.z":       "out of a_1_0 SUCCEEDED SUCCEEDED SUCCEEDED SUCCEEDED null",
	}
	for node, text := range want {
		if texts[node] != text {
			t.Errorf("%s:\n got %s\nwant %s", node, texts[node], text)
		}
	}
}

// TestLoopTooLarge holds that a loop whose values a track cannot hold fails its node.
func TestLoopTooLarge(t *testing.T) {
	values := make([]any, 40)
	for i := range values {
		values[i] = fmt.Sprint(i, strings.Repeat("x", 4<<10))
	}
	x := shell("x")
	x.Loop = &core.Loop{Kind: core.LoopRepeat, Items: &core.LoopList{Values: values}}
	s := newSim(t, 1, plan(stage("a", x)))
	if got := s.play(); got.Status != core.Failed || !strings.Contains(got.Failure.Message, "at most 131072 are allowed") {
		t.Errorf("the run ended %s: %v", got.Status, got.Failure)
	}
}
