package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/lock"
)

func queue(id, key, scope string) *core.Node {
	return step(id, "Queue", map[string]any{"key": key, "scope": scope})
}

// free checks that the run has let go of everything when it has ended.
func (s *sim) free(seed uint64) {
	s.t.Helper()
	for name, l := range s.Locks {
		for _, h := range append(slices.Clone(l.Holders), l.Waiters...) {
			if h.Run == "R" {
				s.t.Fatalf("seed %d: %s is still with %s (track %s)", seed, name, h.Node, h.Track)
			}
		}
	}
}

// held by another run: what a Queue step has to wait for.
func (s *sim) taken(key string) {
	l := &lock.Lock{}
	l.Acquire(core.Claim{ID: "other", Run: "other", Scope: core.ScopePipeline}, 0)
	s.Locks = map[string]*lock.Lock{core.LockName(core.LockQueue, key): l}
}

// TestQueueHolds looks at who holds the key at a moment of the run.
func TestQueueHolds(t *testing.T) {
	fails := func(node string) bool { return strings.HasSuffix(node, ".no") }
	tests := map[string]struct {
		plan *core.Plan
		when string // a step that runs at that moment
		held bool
	}{
		"behind the step":            {plan(stage("a", queue("q", "k", "Stage"), shell("x"))), "x", true},
		"in the next stage, Stage":   {plan(stage("a", queue("q", "k", "Stage")), stage("b", shell("x"))), "x", false},
		"in the next stage, run":     {plan(stage("a", queue("q", "k", "Pipeline")), stage("b", shell("x"))), "x", true},
		"after a branch, Stage":      {plan(stage("a", parallel(queue("q", "k", "Stage"), shell("y")), shell("x"))), "x", true},
		"after a failed stage":       {plan(stage("a", queue("q", "k", "Stage"), shell("no")), when(core.WhenFailure, "", stage("b", shell("x")))), "x", false},
		"in the stage's rollback":    {plan(undo(stage("a", queue("q", "k", "Stage"), on(shell("no"), act(core.ActionStageRollback), core.AllErrors)), shell("x"))), "x", true},
		"again inside: after a step": {plan(stage("a", queue("q", "k", "Stage"), queue("r", "k", "Stage"), shell("x"))), "x", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				s := newSim(t, seed, tc.plan)
				s.Twice = tc.held // who died may let go late
				seen := false
				s.outcome = func(node string) core.Completed {
					if strings.HasSuffix(node, "."+tc.when) {
						l := s.Locks["queue#k"]
						seen = true
						if got := !l.Free(); got != tc.held {
							t.Fatalf("seed %d: held is %v", seed, got)
						}
					}
					return core.Completed{OK: !fails(node), Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}}}
				}
				s.play()
				if !seen {
					t.Fatalf("seed %d: the moment never came", seed)
				}
				s.free(seed)
			}
		})
	}
}

// TestQueueWaits waits for a key that another run holds: until it is given, the time
// is out, somebody fails the step or the run is stopped.
func TestQueueWaits(t *testing.T) {
	step := "pipeline.stages.a.spec.execution.steps.q"
	tests := map[string]struct {
		happens func(s *sim)
		step    core.Status
		run     core.Status
		failure string
	}{
		"it is given": {func(s *sim) {
			for _, l := range s.Locks {
				l.Release("other", "other", 1)
				for _, h := range l.Given("other") {
					_ = s.Apply(h.Track, core.Event{Type: core.EventLock, Lock: &core.LockAnswer{Claim: h.ID, Held: true}})
				}
			}
		}, core.Succeeded, core.Succeeded, ""},
		"its time is out": {func(*sim) {}, core.Expired, core.Expired, "TIMEOUT_FAILURE"},
		"somebody fails it": {func(s *sim) {
			_ = s.Apply("0.1", core.Event{Type: core.EventIntervened, Intervened: &core.Intervened{Node: step, Action: core.InterruptMarkFailed}})
		}, core.Failed, core.Failed, "USER_MARKED_FAILURE"},
		"the run is stopped": {func(s *sim) {
			_ = s.Apply("0", core.Event{Type: core.EventStop, Stop: &core.Stop{Status: core.Aborted}})
		}, core.Aborted, core.Aborted, ""},
		"its line is full": {func(s *sim) {
			_ = s.Apply("0.1", core.Event{Type: core.EventLock, Lock: &core.LockAnswer{Claim: s.Track("0.1").Claim().ID, Refused: "full"}})
		}, core.Failed, core.Failed, "UNKNOWN_FAILURE"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				s := newSim(t, seed, plan(stage("a", queue("q", "k", "Pipeline"), shell("x"))))
				s.taken("k")
				s.Held = func(string, engine.Hold) bool { return tc.step != core.Expired }
				s.until(func() bool { h := s.Track("0.1").Hold; return h != nil && !h.Asked })
				if got := s.Track("0.1").Nodes[step].Status; got != core.ResourceWaiting {
					t.Fatalf("it waits as %s", got)
				}
				if s.Track("0.1").Task != nil {
					t.Fatal("a task is on offer while the step waits")
				}
				tc.happens(s)
				for s.Step() {
				}
				n := s.Track("0.1").Nodes[step]
				if n.Status != tc.step || s.Track("0").Status != tc.run {
					t.Fatalf("seed %d: the step ended %s, the run %s", seed, n.Status, s.Track("0").Status)
				}
				if tc.failure != "" && n.Failure.Types[0] != tc.failure {
					t.Fatalf("it failed because of %+v", n.Failure)
				}
				s.free(seed)
				s.check(seed)
			}
		})
	}
}

// TestQueueRetried tries a Queue step again after its time was out: with a claim of
// its own, and with nothing left of the first.
func TestQueueRetried(t *testing.T) {
	q := queue("q", "k", "Pipeline")
	s := newSim(t, 1, plan(stage("a", on(q, retry(1, core.ActionMarkAsFailure), "Timeout"), shell("x"))))
	s.taken("k")
	s.Held = func(_ string, h engine.Hold) bool { return false }
	waits := func() bool { h := s.Track("0.1").Hold; return h != nil && h.Kind == "Lock" && !h.Asked }
	s.until(waits)
	first := s.Track("0.1").Claim().ID
	s.until(func() bool {
		return waits() && s.Track("0.1").Claim().ID != first && s.Locks["queue#k"].Standing(first) == lock.Absent
	})
	if c := s.Track("0.1").Claim(); c.ID == first || s.Locks["queue#k"].Standing(c.ID) != lock.Waiting {
		t.Errorf("the second try asks as %s, which is not in line", c.ID)
	}
	if err := s.Apply("0.1", core.Event{Type: core.EventLock, Lock: &core.LockAnswer{Claim: first, Held: true}}); err == nil {
		t.Error("the first try's claim was given the lock after its time was out")
	}
}
