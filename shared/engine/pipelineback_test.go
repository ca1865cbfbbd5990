package engine_test

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// TestPipelineRollback is BEHAVIOUR §8.9. Every plan is played in many orders with
// everything delivered twice.
func TestPipelineRollback(t *testing.T) {
	back := act(core.ActionPipelineRollback)
	const unknown = "=UNKNOWN_FAILURE"
	tests := map[string]struct {
		plan  func() *core.Plan
		fail  string
		want  string
		order string // of the rollback steps, those that run side by side in braces
	}{
		"in reverse order": {func() *core.Plan {
			return plan(undo(stage("a", shell("w")), shell("u")), stage("b", shell("x")), undo(stage("c", shell("y")), shell("v")), undo(on(stage("d", shell("z"), shell("l")), back), shell("r")),
				when(core.WhenAll, "", stage("e", shell("q"))))
		}, "z" + unknown, "a=SUCCEEDED w=SUCCEEDED u=SUCCEEDED b=SUCCEEDED x=SUCCEEDED c=SUCCEEDED y=SUCCEEDED v=SUCCEEDED d=FAILED z=FAILED r=SUCCEEDED", "r v u"},
		"side by side": {func() *core.Plan {
			return plan(undo(stage("a", shell("w")), shell("u")), parallel(undo(stage("b", shell("x")), shell("v")), undo(on(stage("c", shell("y")), back), shell("r")), stage("d", shell("z"))))
		}, "y" + unknown, "a=SUCCEEDED w=SUCCEEDED u=SUCCEEDED b=SUCCEEDED x=SUCCEEDED v=SUCCEEDED c=FAILED y=FAILED r=SUCCEEDED d=SUCCEEDED z=SUCCEEDED", "{r v} u"},
		"one of several side by side": {func() *core.Plan {
			return plan(parallel(undo(stage("b", shell("x")), shell("v")), stage("c", shell("y"))), on(stage("d", shell("z")), back))
		}, "z" + unknown, "b=SUCCEEDED x=SUCCEEDED v=SUCCEEDED c=SUCCEEDED y=SUCCEEDED d=FAILED z=FAILED", "v"},
		"nothing to roll back": {func() *core.Plan {
			return plan(stage("a", shell("w")), on(stage("b", shell("x")), back), when(core.WhenAll, "", stage("c", shell("y"))))
		}, "x" + unknown, "a=SUCCEEDED w=SUCCEEDED b=FAILED x=FAILED", ""},
		"what was skipped is left": {func() *core.Plan {
			return plan(when(core.WhenFailure, "", undo(stage("a", shell("w")), shell("u"))), undo(on(stage("b", shell("x")), back), shell("v")))
		}, "x" + unknown, "a=SKIPPED b=FAILED x=FAILED v=SUCCEEDED", "v"},
		"what was rolled back is left": {func() *core.Plan {
			return plan(undo(on(stage("a", shell("w")), act(core.ActionStageRollback)), shell("u")), when(core.WhenAll, "", undo(on(stage("b", shell("x")), back), shell("v"))))
		}, "w" + unknown + " x" + unknown, "a=FAILED w=FAILED u=SUCCEEDED b=FAILED x=FAILED v=SUCCEEDED", "u v"},
		"from a branch": {func() *core.Plan {
			return plan(undo(stage("a", shell("w")), shell("u")), undo(on(stage("b", group("g", parallel(shell("x"), shell("y")), shell("z"))), back), shell("v")))
		}, "x" + unknown, "a=SUCCEEDED w=SUCCEEDED u=SUCCEEDED b=FAILED g=FAILED x=FAILED y=SUCCEEDED v=SUCCEEDED", "v u"},
		"a failure in it": {func() *core.Plan {
			return plan(undo(stage("a", shell("w")), shell("u")), undo(on(stage("b", shell("x")), back), shell("v"), shell("r")))
		}, "x" + unknown + " v" + unknown, "a=SUCCEEDED w=SUCCEEDED u=SUCCEEDED b=FAILED x=FAILED v=FAILED", "v u"},
		"rollback in it": {func() *core.Plan {
			return plan(undo(stage("a", shell("w")), shell("u")), undo(on(stage("b", shell("x")), back), on(shell("v"), back), shell("r")))
		}, "x" + unknown + " v" + unknown, "a=SUCCEEDED w=SUCCEEDED u=SUCCEEDED b=FAILED x=FAILED v=FAILED r=SKIPPED", "v u"},
		"branches in it": {func() *core.Plan {
			return plan(undo(stage("a", shell("w")), parallel(shell("u"), group("g", shell("l"))), shell("m")), on(stage("b", shell("x")), back))
		}, "x" + unknown, "a=SUCCEEDED w=SUCCEEDED u=SUCCEEDED g=SUCCEEDED l=SUCCEEDED m=SUCCEEDED b=FAILED x=FAILED", "{l u} m"},
		"conditions in it ask about the stage": {func() *core.Plan {
			return plan(undo(stage("a", shell("w")), when(core.WhenSuccess, "", shell("u")), when(core.WhenFailure, "", shell("l"))), undo(on(stage("b", shell("x")), back), when(core.WhenSuccess, "", shell("v")), when(core.WhenFailure, "", shell("r"))))
		}, "x" + unknown, "a=SUCCEEDED w=SUCCEEDED u=SUCCEEDED l=SKIPPED b=FAILED x=FAILED v=SKIPPED r=SUCCEEDED", "r u"},
		"after a group's": {func() *core.Plan {
			return plan(undo(stage("a", shell("w")), shell("u")), on(stage("b", undo(on(group("g", shell("x")), act(core.ActionStepGroupRollback)), shell("l"))), back))
		}, "x" + unknown, "a=SUCCEEDED w=SUCCEEDED u=SUCCEEDED b=FAILED g=FAILED x=FAILED l=SUCCEEDED", "l u"},
		"the mode is known": {func() *core.Plan {
			mode := func(id string) *core.Node {
				return when(core.WhenAll, `<+pipeline.executionMode> == "PIPELINE_ROLLBACK"`, shell(id))
			}
			return plan(undo(stage("a", shell("w"), mode("q")), mode("u"), parallel(mode("l"))), on(stage("b", shell("x")), back))
		}, "x" + unknown, "a=SUCCEEDED w=SUCCEEDED q=SKIPPED u=SUCCEEDED l=SUCCEEDED b=FAILED x=FAILED", "u l"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(40) {
				s := newSim(t, seed, tc.plan())
				s.Twice, s.outcome = true, script(tc.fail)
				if got := s.play().Status; got != core.Failed {
					t.Errorf("seed %d: the run ended %s", seed, got)
				}
				if got := s.ends(); got != tc.want {
					t.Fatalf("seed %d:\n got %s\nwant %s", seed, got, tc.want)
				}
				s.inOrder(seed, tc.order)
				s.check(seed)
			}
		})
	}
}

// inOrder holds that each step has started after those before it had ended: "r {v u} w".
func (s *sim) inOrder(seed uint64, order string) {
	s.t.Helper()
	last, wave, open := int64(0), int64(0), false
	for word := range strings.FieldsSeq(order) {
		open = open || strings.HasPrefix(word, "{")
		n := s.named(strings.Trim(word, "{}"))
		if n.Started < last {
			s.t.Fatalf("seed %d: %s started at %d, before %d", seed, word, n.Started, last)
		}
		if wave = max(wave, n.Ended); strings.HasSuffix(word, "}") {
			open = false
		}
		if !open {
			last = wave
		}
	}
}

// named is the step of that identifier.
func (s *sim) named(id string) (found struct{ Started, Ended int64 }) {
	s.Run.Plan.Root.Walk(func(n *core.Node) {
		if n.Identifier == id {
			if at := s.Node(s.Run, n.FQN); at != nil {
				found.Started, found.Ended = at.Started, at.Ended
			}
		}
	})
	return found
}

// TestFailAll does not wait for the stages beside the one that has failed.
func TestFailAll(t *testing.T) {
	back := act(core.ActionPipelineRollback)
	back.FailAll = true
	for seed := range uint64(40) {
		s := newSim(t, seed, plan(parallel(undo(stage("a", approval("ask", 1)), shell("u")), undo(on(stage("b", parallel(shell("x"))), back), shell("v")))))
		s.Twice, s.outcome, s.people = true, script("x=UNKNOWN_FAILURE"), nil
		if got := s.play().Status; got != core.Failed || s.ends() != "a=FAILED ask=FAILED u=SUCCEEDED b=FAILED x=FAILED v=SUCCEEDED" {
			t.Fatalf("seed %d: the run ended %s: %s", seed, got, s.ends())
		}
		s.check(seed)
	}
}

// TestPipelineRollbackByAPerson is one of the answers where a stage has something to
// roll back.
func TestPipelineRollbackByAPerson(t *testing.T) {
	s := newSim(t, 1, plan(undo(stage("a", shell("w")), shell("u")), on(stage("b", shell("x"), shell("y")), intervention(act(core.ActionAbort)))))
	s.Twice, s.outcome, s.answers = true, script("x=ODD"), []core.ActionType{core.ActionPipelineRollback}
	if got := s.play().Status; got != core.Failed || s.ends() != "a=SUCCEEDED w=SUCCEEDED u=SUCCEEDED b=FAILED x=FAILED" {
		t.Errorf("the run ended %s: %s", got, s.ends())
	}
	s.check(1)
}
