package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

func intervention(then core.FailureAction, allowed ...core.ActionType) core.FailureAction {
	return core.FailureAction{Type: core.ActionManualIntervention, Timeout: 60_000, Then: &then, Allowed: allowed}
}

// TestIntervention is BEHAVIOUR §8.10: what people answer, and what happens when
// nobody does.
func TestIntervention(t *testing.T) {
	tests := map[string]struct {
		action  core.FailureAction
		answers []core.ActionType
		fail    string
		run     core.Status
		want    string
		tried   string
	}{
		"Ignore":         {intervention(act(core.ActionAbort)), []core.ActionType{core.ActionIgnore}, "x=ODD", core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED", ""},
		"MarkAsSuccess":  {intervention(act(core.ActionAbort)), []core.ActionType{core.ActionMarkAsSuccess}, "x=ODD", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SUCCEEDED", ""},
		"MarkAsFailure":  {intervention(act(core.ActionAbort)), []core.ActionType{core.ActionMarkAsFailure}, "x=ODD", core.Failed, "a=FAILED x=FAILED y=SKIPPED", ""},
		"Abort":          {intervention(act(core.ActionIgnore)), []core.ActionType{core.ActionAbort}, "x=ODD", core.Aborted, "a=ABORTED x=ABORTED", ""},
		"Retry":          {intervention(act(core.ActionAbort)), []core.ActionType{core.ActionRetry}, "x=ODD*1", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SUCCEEDED", "x:2"},
		"Retry, again":   {intervention(act(core.ActionAbort)), []core.ActionType{core.ActionRetry, core.ActionRetry, core.ActionIgnore}, "x=ODD", core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED", "x:3"},
		"nobody answers": {intervention(act(core.ActionMarkAsSuccess)), nil, "x=ODD", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SUCCEEDED", ""},
		"then a retry":   {intervention(retry(2, core.ActionIgnore)), nil, "x=ODD", core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED", "x:3"},
		"after a retry":  {core.FailureAction{Type: core.ActionRetry, Retries: 1, Then: &core.FailureAction{Type: core.ActionManualIntervention, Timeout: 1000}}, []core.ActionType{core.ActionIgnore}, "x=ODD", core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED", "x:2"},
	}
	for name, tc := range tests {
		for shape, p := range map[string]func() *core.Plan{
			"":          func() *core.Plan { return plan(stage("a", on(shell("x"), tc.action), shell("y"))) },
			"stage":     func() *core.Plan { return plan(on(stage("a", shell("x"), shell("y")), tc.action)) },
			"by branch": func() *core.Plan { return plan(on(stage("a", parallel(shell("x")), shell("y")), tc.action)) },
		} {
			t.Run(name+shape, func(t *testing.T) {
				for seed := range uint64(20) {
					s := newSim(t, seed, p())
					s.Twice, s.outcome, s.answers = true, script(tc.fail), tc.answers
					if got := s.play().Status; got != tc.run || s.attempts() != tc.tried {
						t.Fatalf("seed %d: the run ended %s with tries %q: %s", seed, got, s.attempts(), s.ends())
					}
					if got := s.ends(); shape != "by branch" && got != tc.want {
						t.Fatalf("seed %d: got %s, want %s", seed, got, tc.want)
					}
					s.check(seed)
				}
			})
		}
	}
}

// holds plays until the track holds in the state kind.
func (s *sim) holds(track, kind string) {
	s.t.Helper()
	s.until(func() bool { h := s.Track(track).Hold; return h != nil && h.Kind == kind })
}

// TestAnswers refuses what nobody asked, and remembers who answered what.
func TestAnswers(t *testing.T) {
	const x = "pipeline.stages.a.spec.execution.steps.x"
	s := newSim(t, 1, plan(stage("a", on(shell("x"), intervention(act(core.ActionAbort), core.ActionIgnore, core.ActionRetry, core.ActionStageRollback)), shell("y"))))
	s.outcome = script("x=ODD")
	s.holds("0.1", "Intervene")
	answer := func(node string, a core.ActionType) error {
		return s.Apply("0.1", core.Event{Type: core.EventIntervened, Actor: "alice", Intervened: &core.Intervened{Node: node, Action: a, By: core.Actor{ID: "alice"}}})
	}
	for name, tc := range map[string]struct {
		node   string
		action core.ActionType
		kind   fault.Kind
	}{
		"not allowed":    {x, core.ActionAbort, fault.Invalid},
		"no answer":      {x, "Dance", fault.Invalid},
		"another node":   {"pipeline.stages.a.spec.execution.steps.y", core.ActionIgnore, fault.Gone},
		"has failed now": {x, core.InterruptMarkFailed, fault.Gone},
	} {
		if err := answer(tc.node, tc.action); !fault.Is(err, tc.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := s.Node(s.Run, x); got.Status != core.InterventionWaiting || got.Asked == nil {
		t.Errorf("x is %+v", got)
	}
	if err := answer(x, core.ActionIgnore); err != nil {
		t.Fatal(err)
	}
	if err := answer(x, core.ActionIgnore); !fault.Is(err, fault.Gone) {
		t.Errorf("a second answer: %v", err)
	}
	got := s.Node(s.Run, x)
	if diff := cmp.Diff([]engine.Answer{{By: core.Actor{ID: "alice"}, Action: core.ActionIgnore, At: got.Ended, Attempt: 1}}, got.Answers); diff != "" || got.Asked != nil {
		t.Error(diff)
	}
}

// TestMarkFailed fails what runs or waits because somebody says so.
func TestMarkFailed(t *testing.T) {
	for name, tc := range map[string]struct {
		step *core.Node
		hold string
	}{
		"an approval": {approval("x", 1), "Approval"},
		"a wait":      {wait("x"), "Wait"},
		"a back-off":  {on(shell("x"), retry(1, core.ActionIgnore), "Unknown"), "BackOff"},
		"a task":      {shell("x"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSim(t, 1, plan(stage("a", on(tc.step, act(core.ActionIgnore), "UserMarkedFailure"), shell("y"))))
			s.outcome, s.people = script("x=UNKNOWN_FAILURE"), nil
			mark := func() error {
				return s.Apply("0.1", core.Event{Type: core.EventIntervened, Intervened: &core.Intervened{Node: tc.step.FQN, Action: core.InterruptMarkFailed, By: core.Actor{ID: "bob"}}})
			}
			if tc.hold != "" {
				s.holds("0.1", tc.hold)
			} else {
				s.until(func() bool { return s.Track("0.1").Task != nil })
			}
			if err := mark(); err != nil {
				t.Fatal(err)
			}
			for s.Step() {
			}
			if got := s.ends(); s.Track("0").Status != core.IgnoreFailed || got != "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED" {
				t.Errorf("the run ended %s: %s", s.Track("0").Status, got)
			}
			s.check(1)
		})
	}
}

// TestAnswerOnTheWay takes an answer while the machine is still on its way from the hold
// in which the step failed to Intervene.
func TestAnswerOnTheWay(t *testing.T) {
	for name, tc := range map[string]struct {
		action core.ActionType
		want   core.Status
		ends   string
	}{
		"ignored":          {core.ActionIgnore, core.IgnoreFailed, "a=IGNORE_FAILED ask=IGNORE_FAILED y=SUCCEEDED"},
		"aborted":          {core.ActionAbort, core.Aborted, "a=ABORTED ask=ABORTED"},
		"tried again":      {core.ActionRetry, core.Succeeded, "a=SUCCEEDED ask=SUCCEEDED y=SUCCEEDED"},
		"marked as failed": {core.ActionMarkAsFailure, core.Failed, "a=FAILED ask=FAILED y=SKIPPED"},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				s := newSim(t, seed, plan(stage("a", on(approval("ask", 1), intervention(act(core.ActionIgnore))), shell("y"))))
				s.reject = true
				s.until(func() bool { return s.Track("0.1").Next != nil })
				s.reject = false
				e := core.Intervened{Node: s.Track("0.1").Next.Node, Action: tc.action, By: core.Actor{ID: "alice"}}
				if err := s.Apply("0.1", core.Event{Type: core.EventIntervened, Intervened: &e}); err != nil {
					t.Fatal(err)
				}
				for s.Step() {
				}
				if got := s.Track("0").Status; got != tc.want || s.ends() != tc.ends {
					t.Fatalf("seed %d: the run ended %s: %s", seed, got, s.ends())
				}
				s.check(seed)
			}
		})
	}
}
