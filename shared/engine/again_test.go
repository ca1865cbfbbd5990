package engine_test

import (
	"slices"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

func retryGroup(count int) core.FailureAction {
	return core.FailureAction{Type: core.ActionRetryStepGroup, Retries: count, Intervals: []int64{1000, 5000}}
}

// TestRetryStepGroup runs groups again from their first step. Every plan is played in
// many orders with everything delivered twice.
func TestRetryStepGroup(t *testing.T) {
	const unknown, timeout = "UNKNOWN_FAILURE", "TIMEOUT_FAILURE"
	tests := map[string]struct {
		plan  func() *core.Plan
		fail  string
		run   core.Status
		want  string
		tried string
	}{
		"once": {func() *core.Plan {
			return plan(stage("a", shell("w"), on(group("g", shell("x"), shell("y"), shell("z")), retryGroup(2)), shell("q")))
		}, "y=" + unknown + "*1", core.Succeeded, "a=SUCCEEDED w=SUCCEEDED g=SUCCEEDED x=SUCCEEDED y=SUCCEEDED z=SUCCEEDED q=SUCCEEDED", "g:2 x:2 y:2"},
		"in vain": {func() *core.Plan {
			return plan(stage("a", on(group("g", shell("x"), shell("y")), retryGroup(2)), shell("q")))
		}, "y=" + unknown, core.Failed, "a=FAILED g=FAILED x=SUCCEEDED y=FAILED", "g:3 x:3 y:3"},
		"in vain, the stage's strategy": {func() *core.Plan {
			return plan(undo(on(stage("a", on(group("g", shell("x"), shell("y")), retryGroup(1)), shell("q")), act(core.ActionStageRollback)), shell("u")))
		}, "y=" + unknown, core.Failed, "a=FAILED g=FAILED x=SUCCEEDED y=FAILED u=SUCCEEDED", "g:2 x:2 y:2"},
		"never": {func() *core.Plan {
			return plan(on(stage("a", on(group("g", shell("x")), retryGroup(0)), shell("q")), act(core.ActionIgnore)))
		}, "x=" + unknown, core.IgnoreFailed, "a=IGNORE_FAILED g=IGNORE_FAILED x=IGNORE_FAILED q=SUCCEEDED", ""},
		"no group": {func() *core.Plan { return plan(on(stage("a", shell("x"), shell("q")), retryGroup(3))) }, "x=" + unknown, core.Failed, "a=FAILED x=FAILED q=SKIPPED", ""},
		"the nearest group": {func() *core.Plan {
			return plan(on(stage("a", group("g", shell("x"), group("h", shell("y"), shell("z")))), retryGroup(1)))
		}, "z=" + unknown + "*1", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED x=SUCCEEDED h=SUCCEEDED y=SUCCEEDED z=SUCCEEDED", "h:2 y:2 z:2"},
		"the group whose list it is": {func() *core.Plan {
			return plan(stage("a", on(group("g", shell("x"), group("h", shell("y"), shell("z"))), retryGroup(1))))
		}, "z=" + unknown + "*1", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED x=SUCCEEDED h=SUCCEEDED y=SUCCEEDED z=SUCCEEDED", "g:2 x:2 h:2 y:2 z:2"},
		"inner, then outer": {func() *core.Plan {
			return plan(stage("a", on(group("g", shell("x"), on(group("h", shell("y")), retryGroup(1))), retryGroup(1))))
		}, "y=" + unknown + "*3", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED x=SUCCEEDED h=SUCCEEDED y=SUCCEEDED", "g:2 x:2 h:4 y:4"},
		"each strategy counts": {func() *core.Plan {
			return plan(stage("a", on(on(group("g", shell("x")), retryGroup(1), "Timeout"), retryGroup(1))))
		}, "x=" + timeout + "*1 x=" + unknown + "*4", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED x=SUCCEEDED", "g:3 x:3"},
		"a step's own retries begin anew": {func() *core.Plan {
			return plan(stage("a", on(group("g", on(shell("x"), retry(1, core.ActionRetryStepGroup)), shell("y")), act(core.ActionAbort))))
		}, "x=" + unknown + "*0", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED x=SUCCEEDED y=SUCCEEDED", ""},
		"conditions are decided anew": {func() *core.Plan {
			return plan(stage("a", on(group("g", when(core.WhenAll, "<+stepGroup.retryCount> == 0", shell("x")), when(core.WhenAll, "<+stepGroup.retryCount> == 1", shell("y")), shell("z")), retryGroup(2))))
		}, "z=" + unknown + "*2", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED x=SKIPPED y=SKIPPED z=SUCCEEDED", "g:3 z:3"},
		"branches": {func() *core.Plan {
			return plan(stage("a", on(group("g", shell("w"), parallel(shell("x"), group("h", shell("l"), shell("m"))), shell("y")), retryGroup(2)), shell("q")))
		}, "m=" + unknown + "*1 y=" + unknown + "*1", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED w=SUCCEEDED x=SUCCEEDED h=SUCCEEDED l=SUCCEEDED m=SUCCEEDED y=SUCCEEDED q=SUCCEEDED", "g:3 w:3 x:3 h:3 l:3 m:3 y:2"},
		"branches of branches, in vain": {func() *core.Plan {
			return plan(on(stage("a", on(group("g", parallel(shell("x"), group("h", parallel(shell("m"), shell("n"))))), retryGroup(1))), act(core.ActionIgnore)))
		}, "m=" + unknown + " x=" + unknown + "*1", core.IgnoreFailed, "a=IGNORE_FAILED g=IGNORE_FAILED x=SUCCEEDED h=IGNORE_FAILED m=IGNORE_FAILED n=SUCCEEDED", "g:2 x:2 h:2 m:2 n:2"},
		"a branch that is a group": {func() *core.Plan {
			return plan(stage("a", parallel(on(group("g", shell("l"), shell("m")), retryGroup(1)), shell("x")), shell("y")))
		}, "m=" + unknown + "*1", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED l=SUCCEEDED m=SUCCEEDED x=SUCCEEDED y=SUCCEEDED", "g:2 l:2 m:2"},
		"a branch that is skipped then": {func() *core.Plan {
			return plan(stage("a", on(group("g", parallel(when(core.WhenAll, "<+stepGroup.retryCount> == 0", shell("x")), shell("y"))), retryGroup(1))))
		}, "y=" + unknown + "*1", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED x=SKIPPED y=SUCCEEDED", "g:2 y:2"},
		"two wishes, the rollback": {func() *core.Plan {
			return plan(undo(stage("a", undo(group("g", parallel(on(shell("x"), act(core.ActionStepGroupRollback)), on(shell("y"), retryGroup(2)))), shell("u"))), shell("v")))
		}, "x=" + unknown + " y=" + unknown, core.Failed, "a=FAILED g=FAILED x=FAILED y=FAILED u=SUCCEEDED", ""},
		"two wishes, the outer one": {func() *core.Plan {
			return plan(stage("a", on(group("g", undo(group("h", parallel(on(shell("x"), act(core.ActionStepGroupRollback)), shell("y"))), shell("u"))), retryGroup(1))))
		}, "x=" + unknown + "*1 y=" + unknown + "*1", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED h=SUCCEEDED x=SUCCEEDED y=SUCCEEDED", "g:2 h:2 x:2 y:2"},
		"in a rollback": {func() *core.Plan {
			return plan(on(undo(stage("a", shell("x")), on(group("g", shell("u"), shell("v")), retryGroup(1))), act(core.ActionStageRollback)))
		}, "x=" + unknown + " v=" + unknown + "*1", core.Failed, "a=FAILED x=FAILED g=SUCCEEDED u=SUCCEEDED v=SUCCEEDED", "g:2 u:2 v:2"},
		"by nobody": {func() *core.Plan {
			return plan(stage("a", on(group("g", shell("x"), shell("y")), intervention(retryGroup(1)))))
		}, "y=" + unknown + "*1", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED x=SUCCEEDED y=SUCCEEDED", "g:2 x:2 y:2"},
		"an approval is asked for again": {func() *core.Plan {
			return plan(stage("a", on(group("g", approval("ask", 1), shell("y")), retryGroup(1))))
		}, "y=" + unknown + "*1", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED ask=SUCCEEDED y=SUCCEEDED", "g:2 ask:2 y:2"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(40) {
				s := newSim(t, seed, tc.plan())
				s.Twice, s.outcome = true, script(tc.fail)
				if got := s.play().Status; got != tc.run {
					t.Errorf("seed %d: the run ended %s, want %s", seed, got, tc.run)
				}
				if got := s.ends(); got != tc.want {
					t.Fatalf("seed %d:\n got %s\nwant %s", seed, got, tc.want)
				}
				if got := s.attempts(); got != tc.tried {
					t.Fatalf("seed %d: attempts %q, want %q", seed, got, tc.tried)
				}
				s.check(seed)
			}
		})
	}
}

// TestGroupRetryKeepsAttempts holds what is left of a group's earlier tries, the
// pauses between them, and that the failure of a try is not the stage's.
func TestGroupRetryKeepsAttempts(t *testing.T) {
	s := newSim(t, 1, plan(stage("a", on(group("g", shell("x"), parallel(shell("y"))), retryGroup(3)))))
	s.outcome = script("y=UNKNOWN_FAILURE*3")
	s.play()
	var pauses []int64
	for _, ev := range s.Events["0.1"] {
		for _, c := range ev.Commands {
			if c.Do == core.DoFinish && c.Route.Kind == "BackOff" {
				pauses = append(pauses, c.Route.TimeoutSeconds)
			}
		}
	}
	if !slices.Equal(pauses, []int64{1, 5, 5}) {
		t.Errorf("waited %v", pauses)
	}
	const steps = "pipeline.stages.a.spec.execution.steps.g"
	for fqn, want := range map[string]core.Status{steps: core.Failed, steps + ".steps.x": core.Succeeded, s.Run.TrackRoot("0.1.1").FQN: core.Failed} {
		n := s.Node(s.Run, fqn)
		if n == nil {
			t.Fatalf("no %s", fqn)
		}
		if len(n.Earlier) != 3 || n.Attempt != 4 || n.Earlier[2].N != 3 || n.Earlier[2].Status != want {
			t.Errorf("%s: attempt %d after %+v", fqn, n.Attempt, n.Earlier)
		}
	}
	if f := s.Track("0.1").Failure; f != nil {
		t.Errorf("the stage's failure is %v", f)
	}
}

// TestLoopsWalkedAgain tries groups with loops again, and rolls looped stages back.
func TestLoopsWalkedAgain(t *testing.T) {
	tests := map[string]struct {
		plan func() *core.Plan
		fail string
		run  core.Status
		want string
	}{
		"a loop in a group": {func() *core.Plan {
			return plan(stage("a", on(group("g", shell("x"), repeat(2, shell("y")), shell("z")), retryGroup(2))))
		}, "z=UNKNOWN_FAILURE*1 y_1=UNKNOWN_FAILURE*1", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED x=SUCCEEDED y=SUCCEEDED y_0=SUCCEEDED y_1=SUCCEEDED z=SUCCEEDED"},
		"a looped group": {func() *core.Plan {
			return plan(stage("a", on(repeat(2, group("g", shell("x"), parallel(shell("y")))), retryGroup(2))))
		}, "y=UNKNOWN_FAILURE*1", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED g_0=SUCCEEDED x=SUCCEEDED y=SUCCEEDED g_1=SUCCEEDED x=SUCCEEDED y=SUCCEEDED"},
		"a looped stage rolled back": {func() *core.Plan {
			return plan(undo(repeat(2, stage("a", shell("w"))), shell("u")), on(stage("b", shell("x")), act(core.ActionPipelineRollback)))
		}, "x=UNKNOWN_FAILURE", core.Failed, "a=SUCCEEDED a_0=SUCCEEDED w=SUCCEEDED u=SUCCEEDED a_1=SUCCEEDED w=SUCCEEDED u=SUCCEEDED b=FAILED x=FAILED"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			holdEnds(t, tc.plan, func() outcome { return script(tc.fail) }, tc.run, tc.want)
		})
	}
}
