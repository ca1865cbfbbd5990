package engine_test

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// undo gives a stage or group rollback steps.
func undo(n *core.Node, steps ...*core.Node) *core.Node {
	n.Rollback = steps
	return n
}

// TestRollback is BEHAVIOUR §8.7, §8.8. Every plan is played in
// many orders with everything delivered twice.
func TestRollback(t *testing.T) {
	stageBack, groupBack := act(core.ActionStageRollback), act(core.ActionStepGroupRollback)
	const unknown = "=UNKNOWN_FAILURE"
	later := func() []*core.Node {
		return []*core.Node{stage("b", shell("q")), when(core.WhenFailure, "", stage("c", shell("r"))), when(core.WhenAll, "", stage("d", shell("s")))}
	}
	tests := map[string]struct {
		plan func() *core.Plan
		fail string
		run  core.Status
		want string
	}{
		"a stage": {func() *core.Plan {
			return plan(append([]*core.Node{on(undo(stage("a", shell("w"), shell("x"), when(core.WhenAll, "", shell("y"))), shell("u"), shell("v")), stageBack)}, later()...)...)
		}, "x" + unknown, core.Failed, "a=FAILED w=SUCCEEDED x=FAILED u=SUCCEEDED v=SUCCEEDED b=SKIPPED c=SKIPPED d=SUCCEEDED s=SUCCEEDED"},
		"a stage, and one behind it that was not": {func() *core.Plan {
			return plan(on(undo(stage("a", shell("x")), shell("u")), stageBack), when(core.WhenAll, "", stage("b", shell("q"))), when(core.WhenFailure, "", stage("c", shell("r"))), when(core.WhenAll, "", stage("d", shell("s"))))
		}, "x" + unknown, core.Failed, "a=FAILED x=FAILED u=SUCCEEDED b=SUCCEEDED q=SUCCEEDED c=SKIPPED d=SUCCEEDED s=SUCCEEDED"},
		"nothing to roll back": {func() *core.Plan {
			return plan(append([]*core.Node{on(stage("a", shell("x"), when(core.WhenAll, "", shell("y"))), stageBack)}, later()...)...)
		}, "x" + unknown, core.Failed, "a=FAILED x=FAILED b=SKIPPED c=SUCCEEDED r=SUCCEEDED d=SUCCEEDED s=SUCCEEDED"},
		"a group, for the failure that led to it": {func() *core.Plan {
			g := func(id string) *core.Node { return group("g", on(shell(id), groupBack)) }
			return plan(on(stage("a", on(shell("x"), act(core.ActionMarkAsFailure)), when(core.WhenAll, "", g("y"))), act(core.ActionIgnore), "Authentication"))
		}, "x" + unknown + " y=AUTHENTICATION_FAILURE", core.Failed, "a=FAILED x=FAILED g=IGNORE_FAILED y=FAILED"},
		"a group, for the failure in a branch of it": {func() *core.Plan {
			return plan(on(stage("a", on(shell("x"), act(core.ActionMarkAsFailure)), when(core.WhenAll, "", group("g", parallel(on(shell("y"), groupBack), shell("z"))))), act(core.ActionIgnore), "Authentication"))
		}, "x" + unknown + " y=AUTHENTICATION_FAILURE", core.Failed, "a=FAILED x=FAILED g=IGNORE_FAILED y=FAILED z=SUCCEEDED"},
		"nothing has failed": {func() *core.Plan { return plan(on(undo(stage("a", shell("x")), shell("u")), stageBack)) }, "", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED"},
		"conditions in it": {func() *core.Plan {
			return plan(on(undo(stage("a", shell("x")), when(core.WhenSuccess, "", shell("u")), when(core.WhenFailure, "", shell("v")), when(core.WhenAll, "false", shell("w"))), stageBack))
		}, "x" + unknown, core.Failed, "a=FAILED x=FAILED u=SKIPPED v=SUCCEEDED w=SKIPPED"},
		"a failure in it stops it": {func() *core.Plan {
			return plan(on(undo(stage("a", shell("x")), group("g", shell("u"), shell("v")), when(core.WhenAll, "", shell("w"))), stageBack))
		}, "x" + unknown + " u" + unknown, core.Failed, "a=FAILED x=FAILED g=FAILED u=FAILED"},
		"marked, the rest is skipped": {func() *core.Plan {
			return plan(on(undo(stage("a", shell("x")), on(shell("u"), act(core.ActionMarkAsFailure)), shell("v"), when(core.WhenAll, "", shell("w"))), stageBack))
		}, "x" + unknown + " u" + unknown, core.Failed, "a=FAILED x=FAILED u=FAILED v=SKIPPED w=SUCCEEDED"},
		"marked in a branch": {func() *core.Plan {
			return plan(on(undo(stage("a", shell("x")), parallel(group("g", on(shell("u"), stageBack), shell("o")), parallel(shell("l"), on(shell("m"), act(core.ActionMarkAsFailure)))),
				shell("v"), when(core.WhenAll, "", shell("w"))), stageBack))
		}, "x" + unknown + " u" + unknown + " m" + unknown, core.Failed, "a=FAILED x=FAILED g=FAILED u=FAILED o=SKIPPED l=SUCCEEDED m=FAILED v=SKIPPED w=SUCCEEDED"},
		"a failure in a branch stops it": {func() *core.Plan {
			return plan(on(undo(stage("a", shell("x")), parallel(on(shell("l"), act(core.ActionMarkAsFailure)), group("g", parallel(shell("u"), shell("m")), when(core.WhenAll, "", shell("o")))),
				when(core.WhenAll, "", shell("w"))), stageBack))
		}, "x" + unknown + " u" + unknown + " l" + unknown, core.Failed, "a=FAILED x=FAILED l=FAILED g=FAILED u=FAILED m=SUCCEEDED"},
		"ignored in it": {func() *core.Plan {
			return plan(on(undo(stage("a", shell("x")), on(shell("u"), act(core.ActionIgnore)), shell("v")), stageBack))
		}, "x" + unknown + " u" + unknown, core.Failed, "a=FAILED x=FAILED u=IGNORE_FAILED v=SUCCEEDED"},
		"rollback in it": {func() *core.Plan {
			return plan(on(undo(stage("a", shell("x")), on(shell("u"), stageBack), when(core.WhenAll, "", shell("v"))), stageBack))
		}, "x" + unknown + " u" + unknown, core.Failed, "a=FAILED x=FAILED u=FAILED v=SUCCEEDED"},
		"retried in it": {func() *core.Plan {
			return plan(on(undo(stage("a", shell("x")), on(shell("u"), retry(2, core.ActionMarkAsFailure)), shell("v")), stageBack))
		}, "x" + unknown + " u" + unknown + "*2", core.Failed, "a=FAILED x=FAILED u=SUCCEEDED v=SUCCEEDED"},
		"branches in it": {func() *core.Plan {
			return plan(on(undo(stage("a", shell("x")), parallel(shell("u"), group("g", shell("v"), when(core.WhenFailure, "", shell("w")))), shell("z")), stageBack))
		}, "x" + unknown, core.Failed, "a=FAILED x=FAILED u=SUCCEEDED g=SUCCEEDED v=SUCCEEDED w=SUCCEEDED z=SUCCEEDED"},
		"from a branch": {func() *core.Plan {
			return plan(on(undo(stage("a", group("g", parallel(shell("x"), group("h", shell("l"), parallel(shell("m"), shell("n"))))), shell("y")), shell("u")), stageBack))
		}, "m" + unknown, core.Failed, "a=FAILED g=FAILED x=SUCCEEDED h=FAILED l=SUCCEEDED m=FAILED n=SUCCEEDED u=SUCCEEDED"},
		"after a retry": {func() *core.Plan {
			return plan(on(undo(stage("a", shell("x")), shell("u")), retry(1, core.ActionStageRollback)))
		}, "x" + unknown, core.Failed, "a=FAILED x=FAILED u=SUCCEEDED"},
		"by nobody": {func() *core.Plan {
			return plan(on(undo(stage("a", parallel(shell("x"), shell("y"))), shell("u")), intervention(stageBack)))
		}, "x" + unknown, core.Failed, "a=FAILED x=FAILED y=SUCCEEDED u=SUCCEEDED"},
		"a rejection": {func() *core.Plan { return plan(on(undo(stage("a", approval("ask", 1)), shell("u")), stageBack)) }, "", core.Failed, "a=FAILED ask=APPROVAL_REJECTED u=SUCCEEDED"},

		"a group": {func() *core.Plan {
			return plan(stage("a", undo(on(group("g", shell("x"), shell("y")), groupBack), shell("u")), when(core.WhenFailure, "", shell("z")), shell("w")))
		}, "x" + unknown, core.Failed, "a=FAILED g=FAILED x=FAILED u=SUCCEEDED z=SUCCEEDED w=SKIPPED"},
		"a group, then the stage": {func() *core.Plan {
			return plan(on(undo(stage("a", undo(on(group("g", shell("x"), shell("y")), groupBack), shell("u")), shell("z")), shell("v")), stageBack))
		}, "x" + unknown, core.Failed, "a=FAILED g=FAILED x=FAILED u=SUCCEEDED v=SUCCEEDED"},
		"a group, then ignored": {func() *core.Plan {
			return plan(on(stage("a", undo(on(group("g", shell("x")), groupBack), shell("u")), shell("z")), act(core.ActionIgnore)))
		}, "x" + unknown, core.IgnoreFailed, "a=IGNORE_FAILED g=IGNORE_FAILED x=FAILED u=SUCCEEDED z=SUCCEEDED"},
		"a group, the stage would try again": {func() *core.Plan {
			return plan(on(stage("a", undo(on(group("g", shell("x")), groupBack), shell("u")), shell("z")), retry(2, core.ActionIgnore)))
		}, "x" + unknown, core.IgnoreFailed, "a=IGNORE_FAILED g=IGNORE_FAILED x=FAILED u=SUCCEEDED z=SUCCEEDED"},
		"a group, then aborted": {func() *core.Plan {
			return plan(on(stage("a", undo(on(group("g", shell("x")), groupBack), shell("u")), shell("z")), act(core.ActionAbort)))
		}, "x" + unknown, core.Aborted, "a=ABORTED g=ABORTED x=FAILED u=SUCCEEDED"},
		"a group without steps to roll back": {func() *core.Plan {
			return plan(on(undo(stage("a", on(group("g", shell("x")), groupBack)), shell("v")), stageBack))
		}, "x" + unknown, core.Failed, "a=FAILED g=FAILED x=FAILED v=SUCCEEDED"},
		"the innermost group": {func() *core.Plan {
			return plan(stage("a", undo(group("g", undo(group("h", on(shell("x"), groupBack)), shell("u")), shell("y")), shell("v"))))
		}, "x" + unknown, core.Failed, "a=FAILED g=FAILED h=FAILED x=FAILED u=SUCCEEDED"},
		"the group whose strategy it is": {func() *core.Plan {
			return plan(stage("a", on(undo(group("g", undo(group("h", shell("x")), shell("u")), shell("y")), shell("v")), groupBack)))
		}, "x" + unknown, core.Failed, "a=FAILED g=FAILED h=FAILED x=FAILED v=SUCCEEDED"},
		"no group": {func() *core.Plan {
			return plan(stage("a", on(shell("x"), groupBack), when(core.WhenFailure, "", shell("y"))))
		}, "x" + unknown, core.Failed, "a=FAILED x=FAILED y=SUCCEEDED"},
		"a failure in a group's": {func() *core.Plan {
			return plan(on(undo(stage("a", undo(on(group("g", shell("x")), groupBack), shell("u"), shell("w"))), shell("v")), stageBack))
		}, "x" + unknown + " u" + unknown, core.Failed, "a=FAILED g=FAILED x=FAILED u=FAILED v=SUCCEEDED"},
		"a group around branches": {func() *core.Plan {
			return plan(stage("a", undo(on(group("g", parallel(shell("x"), shell("y")), shell("z")), groupBack), shell("u"))))
		}, "x" + unknown, core.Failed, "a=FAILED g=FAILED x=FAILED y=SUCCEEDED u=SUCCEEDED"},
		"a branch that is a group": {func() *core.Plan {
			return plan(on(undo(stage("a", parallel(undo(on(group("g", shell("x")), groupBack), shell("u")), shell("y"))), shell("v")), stageBack))
		}, "x" + unknown, core.Failed, "a=FAILED g=FAILED x=FAILED u=SUCCEEDED y=SUCCEEDED v=SUCCEEDED"},
		"two wishes, the outer one": {func() *core.Plan {
			return plan(undo(stage("a", undo(group("g", parallel(on(shell("x"), groupBack), on(shell("y"), stageBack))), shell("u"))), shell("v")))
		}, "x" + unknown + " y" + unknown, core.Failed, "a=FAILED g=FAILED x=FAILED y=FAILED v=SUCCEEDED"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(40) {
				s := newSim(t, seed, tc.plan())
				s.Twice, s.outcome, s.reject = true, script(tc.fail), true
				if got := s.play().Status; got != tc.run {
					t.Errorf("seed %d: the run ended %s, want %s", seed, got, tc.run)
				}
				if got := s.ends(); got != tc.want {
					t.Fatalf("seed %d:\n got %s\nwant %s", seed, got, tc.want)
				}
				s.check(seed)
			}
		})
	}
}

// TestRollbackByAPerson is offered only where there is something to roll back.
func TestRollbackByAPerson(t *testing.T) {
	s := newSim(t, 1, plan(on(undo(stage("a", shell("x"), shell("y")), shell("u")), intervention(act(core.ActionAbort)))))
	s.Twice, s.outcome, s.answers = true, script("x=ODD"), []core.ActionType{core.ActionStageRollback}
	if got := s.play().Status; got != core.Failed || s.ends() != "a=FAILED x=FAILED u=SUCCEEDED" {
		t.Errorf("the run ended %s: %s", got, s.ends())
	}
	s.check(1)
	for _, answer := range []core.ActionType{core.ActionStageRollback, core.ActionPipelineRollback} { // not in a rollback
		s = newSim(t, 1, plan(on(undo(stage("a", shell("x")), on(shell("u"), intervention(act(core.ActionIgnore)))), act(core.ActionStageRollback))))
		s.outcome, s.answers = script("x=ODD u=ODD"), []core.ActionType{answer}
		if s.play(); s.Node(s.Run, "pipeline.stages.a.spec.execution.rollbackSteps.u").Status != core.InterventionWaiting {
			t.Errorf("%s was taken in a rollback", answer)
		}
	}
	s = newSim(t, 1, plan(on(stage("a", shell("x")), intervention(act(core.ActionIgnore)))))
	s.outcome, s.answers = script("x=ODD"), []core.ActionType{core.ActionStageRollback}
	if s.play(); s.Node(s.Run, "pipeline.stages.a.spec.execution.steps.x").Status != core.InterventionWaiting {
		t.Error("a rollback of nothing was taken")
	}
}
