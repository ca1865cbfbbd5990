package engine_test

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// TestStageDeadline: a stage whose time has passed is Expired with all that was open
// in it, whatever failed before; a step that is out of time earlier is a step that
// failed (BEHAVIOUR §8.14).
func TestStageDeadline(t *testing.T) {
	tests := map[string]struct {
		steps []*core.Node
		takes map[string]int64 // ms until the step times out by itself
		want  string
	}{
		"after a failure": {
			[]*core.Node{shell("x"), group("g", on(shell("y"), act(core.ActionMarkAsFailure)), when(core.WhenAll, "", shell("z")))},
			map[string]int64{"z": 20_000}, "a=EXPIRED x=SUCCEEDED g=EXPIRED y=FAILED z=EXPIRED"},
		"a timeout of the step's own": {
			[]*core.Node{on(shell("x"), act(core.ActionIgnore)), shell("y")},
			map[string]int64{"x": 5_000}, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED"},
		"both at once": {
			[]*core.Node{on(shell("x"), act(core.ActionIgnore)), shell("y")},
			map[string]int64{"x": 10_000}, "a=EXPIRED x=EXPIRED"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := plan(stage("a", tc.steps...))
			p.Root.Children[0].Timeout = 10_000
			s := newSim(t, 1, p)
			s.Dice = nil
			s.Work = func(task *engine.Task) (core.Completed, int64) {
				id := s.Run.Node(task.Node).Identifier
				if ms, late := tc.takes[id]; late {
					return core.Completed{Failure: &core.Failure{Types: []string{"TIMEOUT_FAILURE"}, Message: "late"}}, ms
				}
				return core.Completed{OK: id != "y" || tc.takes["x"] > 0, Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: "no"}}, 0
			}
			if s.play(); s.ends() != tc.want {
				t.Errorf("got %s\nwant %s", s.ends(), tc.want)
			}
		})
	}
}

// TestDeadlineAgain: when a machine that waits for stopped branches is out of time once
// more, it gets a segment of its own to wait in; else nobody would know its new token.
func TestDeadlineAgain(t *testing.T) {
	p := plan(stage("a", parallel(shell("x"), shell("y"))))
	p.Root.Children[0].Timeout = 10_000
	s := newSim(t, 1, p)
	s.holds("0.1", "Branches")
	for range 2 {
		before := s.Track("0.1").Segment.N
		if err := s.Apply("0.1", core.Event{Type: core.EventRecovered, Recovered: &core.Recovered{Segment: before, Error: "States.Timeout"}}); err != nil {
			t.Fatal(err)
		}
		if at := s.Track("0.1").Segment; at.N != before+1 || at.Kind != "Branches" || at.Token != "" {
			t.Errorf("the machine of segment %d is at %+v", before, at)
		}
	}
}

// TestUnansweredGroupRollback: what follows an unanswered question is still the word of
// the group whose strategy asked.
func TestUnansweredGroupRollback(t *testing.T) {
	ask := core.FailureAction{Type: core.ActionManualIntervention, Timeout: 1000, Then: &core.FailureAction{Type: core.ActionStepGroupRollback}}
	s := newSim(t, 1, plan(stage("a", undo(on(group("g", undo(group("h", shell("x")), shell("u"))), ask), shell("v")))))
	s.outcome = script("x=UNKNOWN_FAILURE")
	if s.play(); s.ends() != "a=FAILED g=FAILED h=FAILED x=FAILED v=SUCCEEDED" {
		t.Errorf("the run ended %s", s.ends())
	}
}

// TestDeadlineOfARollback holds that a stage which is out of time while another branch of
// it is awaited wants no rollback any more: what is behind it is asked as ever.
func TestDeadlineOfARollback(t *testing.T) {
	p := plan(on(undo(stage("a", parallel(shell("x"), shell("y"))), shell("u")), act(core.ActionStageRollback)),
		when(core.WhenFailure, "", stage("b", shell("z"))))
	p.Root.Children[0].Timeout = 10_000
	s := newSim(t, 1, p)
	s.Dice = nil
	s.Work = func(task *engine.Task) (core.Completed, int64) {
		switch s.Run.Node(task.Node).Identifier {
		case "x":
			return core.Completed{Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: "no"}}, 0
		case "y":
			return core.Completed{OK: true}, 20_000
		}
		return core.Completed{OK: true}, 0
	}
	if got := s.play().Status; got != core.Expired || s.ends() != "a=EXPIRED x=FAILED y=EXPIRED b=SUCCEEDED z=SUCCEEDED" {
		t.Errorf("the run ended %s: %s", got, s.ends())
	}
}

// TestNothingStartsOutOfTime holds that no stage begins once the pipeline's time is over,
// though the word of that may come after the end of the stage before.
func TestNothingStartsOutOfTime(t *testing.T) {
	p := plan(stage("a", parallel(shell("x"), shell("z"))), when(core.WhenAll, "", stage("b", shell("y"))))
	p.Root.Timeout = 10_000
	for seed := range uint64(20) {
		s := newSim(t, seed, p)
		s.Timed = true
		s.Work = func(*engine.Task) (core.Completed, int64) { return core.Completed{OK: true}, 20_000 }
		if got := s.play().Status; got != core.Expired || s.ends() != "a=EXPIRED x=EXPIRED z=EXPIRED" {
			t.Fatalf("seed %d: the run ended %s: %s", seed, got, s.ends())
		}
	}
}

// TestOutOfTimeTogether: a run whose time is out while a stage runs is Expired, whatever
// failed beside it, though the stage notices first (BEHAVIOUR §8.14).
func TestOutOfTimeTogether(t *testing.T) {
	for seed := range uint64(400) {
		s := outOfTime(t, seed, plan(parallel(stage("a", shell("x")), stage("b", parallel(shell("y"))))), 20_000)
		if got := s.play().Status; got != core.Expired || s.ends() != "a=FAILED x=FAILED b=EXPIRED y=EXPIRED" {
			t.Fatalf("seed %d: the run ended %s: %s", seed, got, s.ends())
		}
	}
}

// TestNoIterationOutOfTime: nor does another iteration of a stage begin.
func TestNoIterationOutOfTime(t *testing.T) {
	for _, ms := range []int64{10_000, 20_000} {
		for seed := range uint64(20) {
			s := outOfTime(t, seed, plan(parallel(matrix(1, stage("b", shell("y"))))), ms)
			if got := s.play().Status; got != core.Expired || strings.Contains(s.ends(), "b_1_0") {
				t.Fatalf("seed %d: the run ended %s: %s", seed, got, s.ends())
			}
		}
	}
}

// outOfTime is a world in which a run may take ten seconds, x fails and y takes longer.
func outOfTime(t *testing.T, seed uint64, p *core.Plan, ms int64) *sim {
	p.Root.Timeout = 10_000
	s := newSim(t, seed, p)
	s.Timed = true
	s.Work = func(task *engine.Task) (core.Completed, int64) {
		if strings.HasSuffix(task.Node, ".x") {
			return core.Completed{Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: "no"}}, 0
		}
		return core.Completed{OK: true}, ms
	}
	return s
}
