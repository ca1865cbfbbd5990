package engine_test

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// TestUndecided: what cannot be let in, since its condition or its loop cannot be
// evaluated, fails as its strategies say, wherever it stands. Every plan is played in
// many orders with everything delivered twice.
func TestUndecided(t *testing.T) {
	const number = "<+pipeline.startTs>" // which is neither true nor false
	odd := func(n *core.Node) *core.Node { return when(core.WhenAll, number, n) }
	over := func(items string, n *core.Node) *core.Node {
		n.Loop = &core.Loop{Kind: core.LoopRepeat, Items: &core.LoopList{Expr: items}}
		return n
	}
	tests := map[string]struct {
		plan func() *core.Plan
		run  core.Status
		want string
	}{
		"nothing said, in a block": {func() *core.Plan {
			return plan(stage("a", parallel(odd(shell("x")), shell("y")), shell("z")))
		}, core.Failed, "a=FAILED x=FAILED y=SUCCEEDED"},
		"ignored by itself": {func() *core.Plan {
			return plan(stage("a", on(odd(shell("x")), act(core.ActionIgnore)), shell("y")))
		}, core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED"},
		"ignored in a block": {func() *core.Plan {
			return plan(stage("a", parallel(on(odd(shell("x")), act(core.ActionIgnore)), shell("y")), shell("z")))
		}, core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED z=SUCCEEDED"},
		"ignored, all of a block": {func() *core.Plan {
			return plan(on(stage("a", parallel(odd(shell("x")), odd(group("g", shell("y")))), shell("z")), act(core.ActionIgnore)))
		}, core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED g=IGNORE_FAILED z=SUCCEEDED"},
		"a loop, by its condition": {func() *core.Plan {
			return plan(on(stage("a", odd(repeat(2, shell("x"))), shell("y")), act(core.ActionMarkAsSuccess)))
		}, core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SUCCEEDED"},
		"a loop that cannot be evaluated": {func() *core.Plan {
			return plan(on(stage("a", over(number, shell("x")), shell("y")), retry(2, core.ActionIgnore)))
		}, core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED"},
		"an iteration": {func() *core.Plan {
			return plan(on(stage("a", when(core.WhenAll, "<+strategy.iteration>", repeat(2, shell("x"))), shell("y")), act(core.ActionIgnore)))
		}, core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED x_0=IGNORE_FAILED x_1=IGNORE_FAILED y=SUCCEEDED"},
		"a stage beside others": {func() *core.Plan {
			return plan(parallel(on(odd(stage("a", shell("x"))), act(core.ActionIgnore)), stage("b", shell("y"))), stage("c", shell("z")))
		}, core.IgnoreFailed, "a=IGNORE_FAILED b=SUCCEEDED y=SUCCEEDED c=SUCCEEDED z=SUCCEEDED"},
		"aborts": {func() *core.Plan {
			return plan(stage("a", parallel(on(odd(shell("x")), act(core.ActionAbort)), approval("ask", 1))), when(core.WhenAll, "", stage("b", shell("y"))))
		}, core.Aborted, ""},
		"aborts, alone in a block": {func() *core.Plan {
			return plan(stage("a", parallel(on(odd(shell("x")), act(core.ActionAbort)))), when(core.WhenAll, "", stage("b", shell("y"))))
		}, core.Aborted, "a=ABORTED x=ABORTED"},
		"rolls the stage back": {func() *core.Plan {
			return plan(on(undo(stage("a", parallel(odd(shell("x")), shell("y")), when(core.WhenAll, "", shell("z"))), shell("u")), act(core.ActionStageRollback)))
		}, core.Failed, "a=FAILED x=FAILED y=SUCCEEDED u=SUCCEEDED"},
		"rolls its group back, in a branch of it": {func() *core.Plan {
			return plan(on(stage("a", undo(group("g", parallel(odd(shell("x")), shell("y"))), shell("u")), shell("z")), act(core.ActionStepGroupRollback)))
		}, core.Failed, "a=FAILED g=FAILED x=FAILED y=SUCCEEDED u=SUCCEEDED z=SKIPPED"},
		"rolls the pipeline back": {func() *core.Plan {
			return plan(undo(stage("a", shell("x")), shell("u")), parallel(on(undo(odd(stage("b", shell("y"))), shell("v")), act(core.ActionPipelineRollback)), stage("c", shell("z"))))
		}, core.Failed, "a=SUCCEEDED x=SUCCEEDED u=SUCCEEDED b=FAILED c=SUCCEEDED z=SUCCEEDED"},
		"marked, a rollback goes on": {func() *core.Plan {
			return plan(on(undo(stage("a", on(odd(shell("w")), act(core.ActionStageRollback))),
				parallel(on(odd(shell("x")), act(core.ActionMarkAsFailure)), shell("y")), when(core.WhenAll, "", shell("u"))), act(core.ActionAbort)))
		}, core.Failed, "a=FAILED w=FAILED x=FAILED y=SUCCEEDED u=SUCCEEDED"},
		"not marked, a rollback stops": {func() *core.Plan {
			return plan(undo(stage("a", on(odd(shell("w")), act(core.ActionStageRollback))), parallel(odd(shell("x")), shell("y")), when(core.WhenAll, "", shell("u"))))
		}, core.Failed, "a=FAILED w=FAILED x=FAILED y=SUCCEEDED"},
		"the group is not tried again": {func() *core.Plan {
			return plan(on(stage("a", on(group("g", parallel(odd(shell("x")), shell("y"))), retryGroup(3)), shell("z")), act(core.ActionIgnore)))
		}, core.IgnoreFailed, "a=IGNORE_FAILED g=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED z=SUCCEEDED"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(30) {
				s := newSim(t, seed, tc.plan())
				s.Twice = true
				if got := s.play().Status; got != tc.run {
					t.Errorf("seed %d: the run ended %s, want %s", seed, got, tc.run)
				}
				if got := s.ends(); tc.want != "" && got != tc.want {
					t.Fatalf("seed %d:\n got %s\nwant %s", seed, got, tc.want)
				}
				s.check(seed)
			}
		})
	}
}

// TestEndedInAnotherWalk: what ends a track from below or by its timeout does so in every
// walk of it, of a rollback and of a group that is tried again too.
func TestEndedInAnotherWalk(t *testing.T) {
	const unknown = "=UNKNOWN_FAILURE"
	for name, tc := range map[string]struct {
		plan func() *core.Plan
		fail string
		want string
	}{
		"aborted in a pipeline's rollback": {func() *core.Plan {
			return plan(undo(stage("a", shell("x")), parallel(on(shell("u"), act(core.ActionAbort)), shell("v"))), on(stage("b", shell("y")), act(core.ActionPipelineRollback)))
		}, "y" + unknown + " u" + unknown, "a=SUCCEEDED x=SUCCEEDED u=ABORTED v=ABORTED b=FAILED y=FAILED"},
		"aborted in a group that is tried again": {func() *core.Plan {
			return plan(stage("a", on(group("g", parallel(group("h", parallel(on(on(shell("x"), retryGroup(1), "Timeout"), act(core.ActionAbort)))))), retryGroup(1))))
		}, "x=TIMEOUT_FAILURE*1 x" + unknown, "a=ABORTED g=ABORTED h=ABORTED x=ABORTED"},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(30) {
				s := newSim(t, seed, tc.plan())
				s.outcome = script(tc.fail)
				if got := s.play().Status; got != core.Aborted {
					t.Fatalf("seed %d: the run ended %s: %s", seed, got, s.ends())
				}
				s.check(seed)
			}
		})
	}
	t.Run("out of time in a pipeline's rollback", func(t *testing.T) {
		p := plan(undo(stage("a", shell("x")), parallel(wait("u"), wait("v"))), on(stage("b", shell("y")), act(core.ActionPipelineRollback)))
		p.Root.Children[0].Timeout = 5_000
		s := newSim(t, 1, p)
		s.Dice, s.outcome = nil, script("y"+unknown)
		if got := s.play().Status; got != core.Failed || s.ends() != "a=SUCCEEDED x=SUCCEEDED u=EXPIRED v=EXPIRED b=FAILED y=FAILED" {
			t.Errorf("the run ended %s: %s", got, s.ends())
		}
	})
}
