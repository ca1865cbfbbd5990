package engine_test

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

func meet(id, barrier string) *core.Node {
	return step(id, "Barrier", map[string]any{"barrierRef": barrier})
}

// TestBarrier lets stages and branches meet: in any order of events each ends so.
func TestBarrier(t *testing.T) {
	tests := map[string]struct {
		plan *core.Plan
		fail string // the step that fails
		want string // of the steps: identifier=status
	}{
		"two stages": {plan(parallel(stage("a", shell("x"), meet("m", "k"), shell("y")), stage("b", meet("n", "k"), shell("z")))),
			"", "x=SUCCEEDED m=SUCCEEDED y=SUCCEEDED n=SUCCEEDED z=SUCCEEDED"},
		"three branches": {plan(stage("a", parallel(group("g", shell("x"), meet("m", "k")), group("h", meet("n", "k"), shell("y")), meet("o", "k")))),
			"", "x=SUCCEEDED m=SUCCEEDED n=SUCCEEDED y=SUCCEEDED o=SUCCEEDED"},
		"two barriers": {plan(parallel(stage("a", meet("m", "k"), meet("n", "l")), stage("b", meet("o", "k"), shell("x"), meet("p", "l")))),
			"", "m=SUCCEEDED n=SUCCEEDED o=SUCCEEDED x=SUCCEEDED p=SUCCEEDED"},
		"a branch of a stage and a stage": {plan(parallel(stage("a", parallel(group("g", meet("m", "k"), shell("x")), shell("y"))), stage("b", shell("z"), meet("n", "k")))),
			"", "m=SUCCEEDED x=SUCCEEDED y=SUCCEEDED z=SUCCEEDED n=SUCCEEDED"},
		"alone":                      {plan(stage("a", meet("m", "k"), shell("x"))), "", "m=SUCCEEDED x=SUCCEEDED"},
		"one is skipped":             {plan(parallel(stage("a", meet("m", "k")), stage("b", when(core.WhenSuccess, "false", meet("n", "k"))))), "", "m=SUCCEEDED n=SKIPPED"},
		"its group is skipped":       {plan(parallel(stage("a", meet("m", "k")), stage("b", when(core.WhenSuccess, "false", group("g", meet("n", "k")))))), "", "m=SUCCEEDED n="},
		"its branch is skipped":      {plan(parallel(stage("a", meet("m", "k")), stage("b", parallel(shell("x"), when(core.WhenSuccess, "false", meet("n", "k")))))), "", "m=SUCCEEDED x=SUCCEEDED n=SKIPPED"},
		"its stage is skipped":       {plan(parallel(stage("a", meet("m", "k")), when(core.WhenSuccess, "false", stage("b", meet("n", "k"))))), "", "m=SUCCEEDED n="},
		"one fails before":           {plan(parallel(stage("a", meet("m", "k"), shell("x")), stage("b", shell("no"), meet("n", "k")))), "no", "m=FAILED x= no=FAILED n="},
		"one is skipped by failure":  {plan(parallel(stage("a", meet("m", "k")), stage("b", shell("no"), meet("n", "k"), when(core.WhenAll, "", shell("x"))))), "no", "m=FAILED no=FAILED n=SKIPPED x=SUCCEEDED"},
		"a branch below fails":       {plan(parallel(stage("a", meet("m", "k")), stage("b", shell("no"), parallel(meet("n", "k"), shell("x"))))), "no", "m=FAILED no=FAILED n= x="},
		"a rollback begins":          {plan(parallel(stage("a", meet("m", "k")), undo(stage("b", on(shell("no"), act(core.ActionStageRollback), core.AllErrors), meet("n", "k")), shell("r")))), "no", "m=FAILED no=FAILED n= r=SUCCEEDED"},
		"who waits ignores it":       {plan(parallel(stage("a", on(meet("m", "k"), act(core.ActionIgnore), "Unknown"), shell("x")), stage("b", shell("no"), meet("n", "k")))), "no", "m=IGNORE_FAILED x=SUCCEEDED no=FAILED n="},
		"the failing one is ignored": {plan(parallel(stage("a", meet("m", "k")), stage("b", on(shell("no"), act(core.ActionIgnore), core.AllErrors), meet("n", "k")))), "no", "m=SUCCEEDED no=IGNORE_FAILED n=SUCCEEDED"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(60) {
				s := newSim(t, seed, tc.plan)
				s.Twice = true
				s.outcome = func(node string) core.Completed {
					ok := tc.fail == "" || !strings.HasSuffix(node, "."+tc.fail)
					return core.Completed{OK: ok, Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: "no"}}
				}
				if !s.play().Status.Terminal() {
					t.Fatalf("seed %d: it waits for ever: %s", seed, s.steps())
				}
				if got := s.steps(); got != tc.want {
					t.Fatalf("seed %d: %s, want %s", seed, got, tc.want)
				}
				s.check(seed)
			}
		})
	}
}

// steps is how every step ended, in plan order.
func (s *sim) steps() string {
	var out []string
	s.Run.Plan.Root.Walk(func(n *core.Node) {
		if n.Kind != core.KindStep {
			return
		}
		status := core.NotStarted
		for _, tr := range s.Tracks {
			if x := tr.Nodes[n.FQN]; x != nil {
				status = x.Status
			}
		}
		out = append(out, n.Identifier+"="+string(status))
	})
	return strings.Join(out, " ")
}

// TestBarrierTimeout gives up waiting: those who still wait fail, who comes later too.
func TestBarrierTimeout(t *testing.T) {
	for seed := range uint64(60) {
		s := newSim(t, seed, plan(parallel(stage("a", meet("m", "k")), stage("b", meet("n", "k")), stage("c", approval("ask", 1), meet("o", "k")))))
		s.people = nil // nobody answers
		s.Held = func(_ string, h engine.Hold) bool { return !strings.HasSuffix(h.Node, ".m") }
		s.play()
		if got := s.steps(); got != "m=EXPIRED n=FAILED ask=APPROVAL_WAITING o=" {
			t.Fatalf("seed %d: %s", seed, got)
		}
		s.approve("0.3", core.Actor{ID: "alice", Groups: []string{"approvers"}})
		for s.Step() {
		}
		if got := s.steps(); got != "m=EXPIRED n=FAILED ask=SUCCEEDED o=FAILED" {
			t.Fatalf("seed %d: %s", seed, got)
		}
		s.check(seed)
	}
}
