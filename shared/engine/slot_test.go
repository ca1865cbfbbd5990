package engine_test

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/lock"
)

// TestSlot has a run wait for its turn: without a machine, until another ends or it is
// stopped itself.
func TestSlot(t *testing.T) {
	tests := map[string]struct {
		happens func(s *sim)
		want    core.Status
		started int
	}{
		"another run ends": {func(s *sim) {
			l := s.Locks["runs#"]
			l.Release("other", "other", 1)
			_ = s.Apply("0", core.Event{Type: core.EventLock, Lock: &core.LockAnswer{Claim: l.Holders[0].ID, Held: true}})
		}, core.Succeeded, 2},
		"it is stopped": {func(s *sim) {
			_ = s.Apply("0", core.Event{Type: core.EventStop, Stop: &core.Stop{Status: core.Aborted}})
		}, core.Aborted, 0},
		"the line is full": {func(s *sim) {
			_ = s.Apply("0", core.Event{Type: core.EventLock, Lock: &core.LockAnswer{Claim: s.Track("0").Slot.ID, Refused: "full"}})
		}, core.Errored, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(30) {
				s := newSim(t, seed, plan(stage("a", shell("x"))))
				s.Run.Limit, s.Twice = 1, true
				l := &lock.Lock{}
				l.Acquire(core.Claim{ID: "other", Run: "other", Limit: 1}, 0)
				s.Locks = map[string]*lock.Lock{"runs#": l}
				if got := s.play().Status; got != core.QueuedConcurrency || len(s.Executions) > 0 {
					t.Fatalf("seed %d: the run is %s with %d executions", seed, got, len(s.Executions))
				}
				if c := s.Track("0").Slot; l.Standing(c.ID) != lock.Waiting {
					t.Fatal("it is not in line")
				}
				tc.happens(s)
				for s.Step() {
				}
				root := s.Track("0")
				if root.Status != tc.want || len(s.Executions) != tc.started || (tc.started == 0) != (root.Transitions == 0) {
					t.Fatalf("seed %d: the run ended %s with %d executions and %d transitions", seed, root.Status, len(s.Executions), root.Transitions)
				}
				s.free(seed)
				s.check(seed)
			}
		})
	}
}
