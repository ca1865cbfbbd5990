package engine_test

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// pause has alice pause a track, or resume it. As on a platform that is well, all below
// have been told when she has her answer.
func (s *sim) pause(track string, resume bool) error {
	e := core.Pause{Resume: resume, By: core.Actor{ID: "alice"}}
	if err := s.Apply(track, core.Event{Type: core.EventPause, Actor: "alice", Pause: &e}); err != nil {
		return err
	}
	e.Of, e.N = track, s.Track(track).Pauses[track].N
	s.tellBelow(track, e)
	return nil
}

func (s *sim) tellBelow(track string, e core.Pause) {
	for id, c := range s.Track(track).Children {
		if e.Round = c.Round; c.Status != core.NotStarted && !c.Status.Terminal() {
			_ = s.Apply(id, core.Event{Type: core.EventPause, Pause: new(e)})
			s.tellBelow(id, e)
		}
	}
}

// TestPause pauses a run, or one stage, while a step runs, lets come to an end what runs,
// and has it go on: it ends as if nothing had been.
func TestPause(t *testing.T) {
	rolledBack := func() *core.Plan {
		return plan(undo(stage("a", shell("x")), shell("u")), on(undo(stage("b", shell("no"), shell("y")), shell("v")), act(core.ActionPipelineRollback)))
	}
	loops := func() *core.Plan {
		return plan(stage("a", matrix(1, shell("x")), shell("y")), stage("b", shell("z")))
	}
	twoStages := func() *core.Plan { return plan(stage("a", shell("x"), shell("y")), stage("b", shell("z"))) }
	tests := map[string]struct {
		plan  func() *core.Plan
		track string // that is paused
		while string // when this step runs
		idle  string // how far it comes, by the steps that have ended
	}{
		"inside a stage":        {twoStages, "0", "x", "x"},
		"one stage":             {twoStages, "0.1", "x", "x"},
		"between stages":        {twoStages, "0", "y", "x y"},
		"at the end of a stage": {twoStages, "0.1", "y", "x y z"}, // the stage ends, and with it its pause
		"branches": {func() *core.Plan {
			return plan(stage("a", parallel(group("g", shell("x"), shell("y")), group("h", shell("q"), shell("r"))), shell("z")))
		}, "0", "x", "x q? r?"},
		"parallel stages, one": {func() *core.Plan {
			return plan(parallel(stage("a", shell("x"), shell("y")), stage("b", shell("q"), shell("r"))), stage("c", shell("z")))
		}, "0.1", "x", "x q r"},
		"a loop of one at a time": {loops, "0", "x", "x"},
		"a stage with a loop":     {loops, "0.1", "x", "x"},
		"a loop of stages":        {func() *core.Plan { return plan(matrix(1, stage("a", shell("x"))), stage("b", shell("z"))) }, "0", "x", "x"},
		"before another try": {func() *core.Plan {
			return plan(stage("a", on(shell("again"), retry(2, core.ActionIgnore)), shell("y")))
		}, "0", "again", ""},
		"before a rollback": {rolledBack, "0", "no", "x no"},
		"in a rollback":     {rolledBack, "0", "v", "x no v"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			undisturbed := newSim(t, 1, tc.plan())
			undisturbed.outcome = tried(undisturbed)
			want := undisturbed.play().Status
			ends := undisturbed.ends()
			for seed := range uint64(30) {
				s := newSim(t, seed, tc.plan())
				s.Twice = true
				paused := false
				work := tried(s)
				s.outcome = func(node string) core.Completed {
					if strings.HasSuffix(strings.TrimRight(node, "_0123456789"), "."+tc.while) && !paused {
						paused = true
						if err := s.pause(tc.track, false); err != nil {
							t.Fatalf("seed %d: %v", seed, err)
						}
					}
					return work(node)
				}
				s.Held = func(track string, h engine.Hold) bool { return h.IsPaused() || s.held(track, h) }
				s.until(func() bool { return paused })
				for s.Step() {
				}
				if !s.came(tc.idle) {
					t.Fatalf("seed %d: it came to %s, want %s", seed, s.ends(), tc.idle)
				}
				if s.Track("0").Status.Terminal() != (name == "at the end of a stage") {
					t.Fatalf("seed %d: the run stands as %s", seed, s.Track("0").Status)
				}
				if err := s.pause(tc.track, true); err != nil && name != "at the end of a stage" {
					t.Fatalf("seed %d: %v", seed, err)
				}
				for s.Step() {
				}
				if got := s.Track("0").Status; got != want || s.ends() != ends {
					t.Fatalf("seed %d: it ended %s, not %s:\n got %s\nwant %s", seed, got, want, s.ends(), ends)
				}
				s.check(seed)
			}
		})
	}
}

// tried fails steps called no, and those called again the first time.
func tried(s *sim) func(string) core.Completed {
	return func(node string) core.Completed {
		n := s.Node(s.Run, node)
		bad := strings.HasSuffix(node, ".no") || strings.HasSuffix(node, ".again") && n.Attempt == 1
		return core.Completed{OK: !bad, Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}}}
	}
}

// came reports whether these steps have ended, once each, those with a question mark
// perhaps, and no others. Of a loop one iteration is one end.
func (s *sim) came(want string) bool {
	ended := map[string]int{}
	for _, tr := range s.Tracks {
		for fqn, n := range tr.Nodes {
			if n.Completed && n.Status.Terminal() {
				id, _, _ := strings.Cut(fqn[strings.LastIndexByte(fqn, '.')+1:], "_")
				ended[id]++
			}
		}
	}
	for word := range strings.FieldsSeq(want) {
		id, optional := strings.CutSuffix(word, "?")
		if ended[id] != 1 && !optional {
			return false
		}
		delete(ended, id)
	}
	return len(ended) == 0
}

// TestPausedHolds answers what waits while the run is paused: it is kept.
func TestPausedHolds(t *testing.T) {
	for seed := range uint64(30) {
		s := newSim(t, seed, plan(stage("a", approval("ask", 1), shell("x"))))
		s.Twice = true
		s.until(func() bool { h := s.Track("0.1").Hold; return h != nil && h.Kind == "Approval" })
		if err := s.pause("0", false); err != nil {
			t.Fatal(err)
		}
		s.until(func() bool { return s.Track("0.1").Paused() != nil })
		s.people = []core.Actor{{ID: "alice", Groups: []string{"approvers"}}}
		s.approve("0.1", s.people[0])
		for s.Step() {
		}
		if got := s.Track("0.1").Nodes["pipeline.stages.a.spec.execution.steps.ask"].Status; got != core.Succeeded || s.Track("0.1").Task != nil {
			t.Fatalf("seed %d: the approval is %s", seed, got)
		}
		if err := s.pause("0", true); err != nil {
			t.Fatal(err)
		}
		for s.Step() {
		}
		if got := s.Track("0").Status; got != core.Succeeded {
			t.Fatalf("seed %d: the run ended %s", seed, got)
		}
		s.check(seed)
	}
}

// TestPausedOffer takes back what no delegate has taken, and offers it again later as the
// same attempt.
func TestPausedOffer(t *testing.T) {
	s := newSim(t, 1, plan(stage("a", shell("x"))))
	s.Work = nil
	s.until(func() bool { tr := s.Track("0.1"); return tr.Task != nil })
	task := s.Track("0.1").Task.ID
	if err := s.pause("0.1", false); err != nil {
		t.Fatal(err)
	}
	claim := core.Event{Type: core.EventClaimed, Claimed: &core.Claimed{Task: task, Delegate: core.DelegateRef{ID: "d", Name: "d"}}}
	if err := s.Apply("0.1", claim); !fault.Is(err, fault.Gone) {
		t.Errorf("a delegate took it while the stage is paused: %v", err)
	}
	if h := s.Track("0.1").Hold; !h.IsPaused() {
		t.Errorf("held for %+v", h)
	}
	s.until(func() bool { return s.Track("0.1").Segment.Kind == "Pause" && s.Track("0.1").Segment.Token != "" })
	if err := s.pause("0.1", true); err != nil {
		t.Fatal(err)
	}
	s.until(func() bool { return s.Track("0.1").Task != nil })
	if got := s.Track("0.1").Task; got.ID != task || got.Attempt != 1 {
		t.Errorf("offered again as %s, attempt %d", got.ID, got.Attempt)
	}
}

// TestPauseStops ends a paused run: by a person, and when its stage's time is out.
func TestPauseStops(t *testing.T) {
	for name, want := range map[string]core.Status{"aborted": core.Aborted, "out of time": core.Expired} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				a := stage("a", shell("x"), shell("y"))
				a.Timeout = 60_000
				s := newSim(t, seed, plan(undo(a, shell("u"))))
				s.Twice = true
				s.until(func() bool { tr := s.Track("0.1"); return tr.Task != nil && tr.Task.Delegate != nil })
				if err := s.pause("0", false); err != nil {
					t.Fatal(err)
				}
				s.Held = func(string, engine.Hold) bool { return want == core.Aborted }
				s.until(func() bool { return s.Track("0.1").Hold.IsPaused() || s.Track("0").Status.Terminal() })
				if want == core.Aborted {
					_ = s.Apply("0", core.Event{Type: core.EventStop, Stop: &core.Stop{Status: core.Aborted}})
				}
				for s.Step() {
				}
				if got := s.Track("0").Status; got != want || s.Track("0.1").Status != want {
					t.Fatalf("seed %d: the run ended %s, its stage %s", seed, got, s.Track("0.1").Status)
				}
				s.check(seed)
			}
		})
	}
}

// TestPauseRefused is what a person cannot mean, and what comes late.
func TestPauseRefused(t *testing.T) {
	s := newSim(t, 1, plan(stage("a", approval("ask", 1)), stage("b", parallel(shell("x"), shell("y")))))
	s.Held = func(string, engine.Hold) bool { return true }
	s.until(func() bool { h := s.Track("0.1").Hold; return h != nil && h.Kind == "Approval" })
	refused := func(track string, resume bool, kind fault.Kind) {
		t.Helper()
		if err := s.pause(track, resume); !fault.Is(err, kind) {
			t.Errorf("%s resume %v: %v", track, resume, err)
		}
	}
	refused("0", true, fault.Conflict)
	refused("0.2", false, fault.Conflict)
	refused("0.2.1", false, fault.Invalid)
	if err := s.pause("0", false); err != nil {
		t.Fatal(err)
	}
	before := s.Track("0").N
	if err := s.pause("0", false); err != nil || s.Track("0").N != before {
		t.Errorf("paused again: %v, event %d behind %d", err, s.Track("0").N, before)
	}
	s.until(func() bool { return s.Track("0.1").Paused() != nil })
	refused("0.1", true, fault.Conflict)
	if p := s.Track("0.1").Paused(); p.By.ID != "alice" || s.Track("0.1").PausedHere() {
		t.Errorf("%+v", p)
	}
	old := *s.Track("0.1").Paused()
	if err := s.pause("0", true); err != nil {
		t.Fatal(err)
	}
	s.until(func() bool { return s.Track("0.1").Paused() == nil })
	late := core.Event{Type: core.EventPause, Pause: &core.Pause{Of: "0", N: old.N, By: old.By}}
	if _ = s.Apply("0.1", late); s.Track("0.1").Paused() != nil {
		t.Error("a word that came late has paused the stage")
	}
}
