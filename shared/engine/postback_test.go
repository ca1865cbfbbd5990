package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/simulate"
)

// rollingBack is a run that rolls back the stages of one that has ended.
func rollingBack(t *testing.T, seed uint64, old *sim, stages ...string) *sim {
	s := newSim(t, seed, old.Run.Plan)
	b := &core.Rollback{Of: "R", Stages: stages, Loops: map[string][]core.Iteration{}}
	for fqn, l := range old.Track("0").Loops {
		b.Loops[fqn] = l.Iterations
	}
	s.World = simulate.NewWorld(core.Launch{Run: "B", Plan: old.Run.Plan, Rollback: b, Started: core.Started{Sequence: 2, By: core.Actor{ID: "admin"}}})
	s.Dice, s.Limit, s.Held, s.Twice = s.rng, 20_000, s.held, true
	s.Work = func(task *engine.Task) (core.Completed, int64) { return s.outcome(task.Node), 0 }
	was := engine.World{Track: func(id string) (*engine.Track, error) { return old.Track(id), nil }}
	s.Decide = func(r *engine.Run, t *engine.Track, ev core.Event, facts map[string]core.Fact) (engine.Result, error) {
		for {
			res, err := engine.Apply(r, t, ev, facts)
			need, ok := errors.AsType[*engine.Need](err)
			if !ok {
				return res, err
			}
			for _, ref := range need.Refs {
				if !r.OfRolledBack(ref) {
					return res, err
				}
				if facts[ref], err = was.Fact(old.Run, ref); err != nil {
					return res, err
				}
			}
		}
	}
	return s
}

// TestPostRollback rolls back a run that has succeeded: its rollback steps alone, the last
// stage's first, with what that run's steps gave.
func TestPostRollback(t *testing.T) {
	reads := func(id, what string) *core.Node {
		n := shell(id)
		n.Spec = map[string]any{"shell": "Bash", "source": map[string]any{"spec": map[string]any{"script": what}}}
		return n
	}
	const own, other = "<+execution.steps.w.output.v>", "<+pipeline.stages.b.spec.execution.steps.x.output.v>"
	tests := map[string]struct {
		plan   func() *core.Plan
		stages []string
		fail   string
		want   string
		order  string
		status core.Status
	}{
		"in reverse": {func() *core.Plan {
			return plan(undo(deploys("k", stage("a", shell("w"))), reads("u", own+" "+other+" <+pipeline.executionMode> <+pipeline.stages.a.status>")),
				undo(stage("b", shell("x")), shell("v"), when(core.WhenFailure, "", shell("no")), when(core.WhenSuccess, "", shell("r"))), stage("c", shell("y")))
		}, []string{"0.1", "0.2"}, "", "a=SUCCEEDED lock=SUCCEEDED u=SUCCEEDED b=SUCCEEDED v=SUCCEEDED no=SKIPPED r=SUCCEEDED", "v r u", core.Succeeded},
		"one of them": {func() *core.Plan {
			return plan(undo(stage("a", shell("w")), shell("u")), undo(stage("b", shell("x")), shell("v")))
		}, []string{"0.1"}, "", "a=SUCCEEDED u=SUCCEEDED", "u", core.Succeeded},
		"side by side, in branches": {func() *core.Plan {
			return plan(parallel(undo(stage("a", shell("w")), parallel(shell("u"), group("g", shell("l")))), undo(stage("b", shell("x")), shell("v"))))
		}, []string{"0.1", "0.2"}, "", "a=SUCCEEDED u=SUCCEEDED g=SUCCEEDED l=SUCCEEDED b=SUCCEEDED v=SUCCEEDED", "{u l v}", core.Succeeded},
		"a step fails": {func() *core.Plan {
			return plan(undo(stage("a", shell("w")), shell("u")), undo(stage("b", shell("x")), shell("v"), shell("r")))
		}, []string{"0.1", "0.2"}, "v=UNKNOWN_FAILURE", "a=SUCCEEDED u=SUCCEEDED b=FAILED v=FAILED", "v u", core.Failed},
		"aborted": {func() *core.Plan {
			return plan(undo(stage("a", shell("w")), shell("u")), undo(stage("b", shell("x")), on(shell("v"), act(core.ActionAbort))))
		}, []string{"0.1", "0.2"}, "v=UNKNOWN_FAILURE", "b=ABORTED v=ABORTED", "", core.Aborted},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			old := newSim(t, 1, tc.plan())
			old.outcome = func(node string) core.Completed {
				return core.Completed{OK: true, Outputs: map[string]any{"v": "of " + node[strings.LastIndexByte(node, '.')+1:]}}
			}
			if got := old.play().Status; got != core.Succeeded {
				t.Fatal(got, old.ends())
			}
			for seed := range uint64(30) {
				s := rollingBack(t, seed, old, tc.stages...)
				s.outcome = script(tc.fail)
				s.Work = func(task *engine.Task) (core.Completed, int64) {
					source, _ := task.Spec["source"].(map[string]any)
					if spec, ok := source["spec"].(map[string]any); ok && spec["script"] != "of w of x POST_EXECUTION_ROLLBACK SUCCEEDED" {
						t.Errorf("seed %d: it reads %v", seed, spec)
					}
					return s.outcome(task.Node), 0
				}
				if got := s.play().Status; got != tc.status || s.ends() != tc.want {
					t.Fatalf("seed %d: it ended %s:\n got %s\nwant %s", seed, got, s.ends(), tc.want)
				}
				s.inOrder(seed, tc.order)
				s.free(seed)
				s.check(seed)
			}
		})
	}
}

// TestPostRollbackOfLoops rolls back iterations of a stage, each with its own values.
func TestPostRollbackOfLoops(t *testing.T) {
	old := newSim(t, 1, plan(matrix(2, undo(stage("a", shell("w")), shell("u")))))
	if got := old.play().Status; got != core.Succeeded {
		t.Fatal(got)
	}
	for seed := range uint64(20) {
		s := rollingBack(t, seed, old, "0.1~0", "0.1~1")
		if got := s.play().Status; got != core.Succeeded || len(s.Ran) != 2 {
			t.Fatalf("seed %d: it ended %s with %d tasks", seed, got, len(s.Ran))
		}
		s.check(seed)
	}
}

// TestDeployedIsNoted tells what a stage has deployed to, only when it has.
func TestDeployedIsNoted(t *testing.T) {
	for name, tc := range map[string]struct {
		fail string
		want int
	}{"when it succeeds": {"", 1}, "not when it fails": {"x=UNKNOWN_FAILURE", 0}} {
		t.Run(name, func(t *testing.T) {
			s := newSim(t, 1, plan(undo(deploys("k", stage("a", shell("x"))), shell("u"))))
			s.outcome = script(tc.fail)
			s.play()
			noted := 0
			for _, ev := range s.Events["0.1"] {
				for _, c := range ev.Commands {
					if c.Do == core.DoDeployed && c.Claim.Lock == "infra#k" {
						noted++
					}
				}
			}
			if noted != tc.want {
				t.Errorf("noted %d times", noted)
			}
		})
	}
}
