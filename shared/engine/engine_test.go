package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// plans are the shapes every property is tried on.
var plans = map[string]func() *core.Plan{
	"serial": func() *core.Plan { return plan(stage("a", shell("x"), shell("y")), stage("b", shell("x"))) },
	"branches": func() *core.Plan {
		return plan(stage("a", shell("x"), parallel(shell("l"), group("g", shell("m"), shell("n"))), shell("z")))
	},
	"nested": func() *core.Plan {
		return plan(stage("a", parallel(group("g", shell("x"), parallel(shell("p"), shell("q"))), shell("r"))))
	},
	"stages": func() *core.Plan {
		return plan(stage("a", shell("x")), parallel(stage("b", shell("x")), stage("c", shell("y"))), stage("d", shell("x")))
	},
	"stages first": func() *core.Plan { return plan(parallel(stage("b", shell("x")), stage("c", shell("y"), shell("z")))) },
	"two parallel": func() *core.Plan {
		return plan(parallel(stage("a", shell("x")), stage("b")), parallel(stage("c", shell("x")), stage("d", shell("x"))))
	},
	"wait": func() *core.Plan { return plan(stage("a", shell("x"), wait("w"), shell("y"))) },
	"approval": func() *core.Plan {
		return plan(stage("a", shell("x")), stage("ok", approval("ask", 1)), stage("b", shell("y")))
	},
	"loops": func() *core.Plan {
		return plan(matrix(2, stage("a", shell("x"), parallel(repeat(2, shell("l")), shell("m")))), stage("b", repeat(3, group("g", wait("w"), repeat(2, shell("y"))))))
	},
	"queue": func() *core.Plan {
		return plan(stage("a", shell("x"), queue("q", "k", "Stage"), shell("y"), parallel(queue("l", "k", "Stage"), queue("m", "j", "Pipeline"))), stage("b", queue("q", "k", "Pipeline"), queue("r", "j", "Stage")))
	},
	"queue in a loop": func() *core.Plan {
		return plan(matrix(3, stage("a", queue("q", "k", "Stage"), repeat(2, queue("r", "j", "Pipeline")), shell("x"))))
	},
	"queues side by side": func() *core.Plan {
		return plan(parallel(stage("a", queue("q", "k", "Stage"), shell("x")), stage("b", queue("q", "k", "Stage"), shell("x"), wait("w")), stage("c", shell("x"), queue("q", "k", "Stage"))))
	},
	"all": func() *core.Plan {
		return plan(stage("a", parallel(wait("w"), group("g", shell("x"), approval("ask", 1), shell("y")))), parallel(stage("b", wait("w")), stage("c", shell("x"))))
	},
}

// TestAnyOrder plays every plan in many orders with duplicates and lost beats:
// each ends the same, every effect once, every machine gone.
func TestAnyOrder(t *testing.T) {
	for name, p := range plans {
		t.Run(name, func(t *testing.T) {
			want := newSim(t, 0, p())
			want.play()
			for seed := range uint64(60) {
				s := newSim(t, seed, p())
				s.Twice = true
				if root := s.play(); root.Status != core.Succeeded {
					t.Fatalf("seed %d: the run ended %q", seed, root.Status)
				}
				if d := cmp.Diff(want.statuses(), s.statuses()); d != "" {
					t.Fatalf("seed %d: %s", seed, d)
				}
				s.check(seed)
			}
		})
	}
}

// check holds what every finished run must show.
func (s *sim) check(seed uint64) {
	s.t.Helper()
	for id, n := range s.Ran {
		if n != 1 {
			s.t.Fatalf("seed %d: task %s ran %d times", seed, id, n)
		}
	}
	for name, x := range s.Executions {
		if !x.Ended {
			s.t.Fatalf("seed %d: execution %s never ended", seed, name)
		}
	}
	for id := range s.Tracks {
		s.refold(seed, id)
	}
}

// refold folds the stored events again: the state must be the same.
func (s *sim) refold(seed uint64, track string) {
	s.t.Helper()
	t := &engine.Track{ID: track}
	for _, ev := range s.Events[track] {
		body, err := json.Marshal(ev)
		if err != nil {
			s.t.Fatal(err)
		}
		if ev, err = core.ParseEvent(body); err != nil {
			s.t.Fatal(err)
		}
		res, err := engine.Apply(s.Run, t, ev, ev.Facts)
		if err != nil || res.Ignored {
			s.t.Fatalf("seed %d: folding event %d of %s: ignored %v, %v %s", seed, ev.N, track, res.Ignored, err, body)
		}
		t = res.Track
	}
	got, want := canonical(s.t, t), canonical(s.t, s.Tracks[track])
	if d := cmp.Diff(want, got); d != "" {
		s.t.Fatalf("seed %d: track %s folds to something else: %s", seed, track, d)
	}
}

func canonical(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestFailure fails one step: its stage, what encloses it and the run fail, and
// nothing behind it runs; branches beside it are awaited.
func TestFailure(t *testing.T) {
	tests := map[string]struct {
		plan *core.Plan
		fail string
		ran  string // identifiers of the steps that ran, in plan order
	}{
		"first of two":    {plan(stage("a", shell("x"), shell("y")), stage("b", shell("z"))), "x", "x"},
		"in a group":      {plan(stage("a", group("g", shell("x"), shell("y")), shell("z"))), "x", "x"},
		"beside a branch": {plan(stage("a", parallel(shell("x"), group("g", shell("l"), shell("m"))), shell("z"))), "x", "x l m"},
		"beside a stage":  {plan(parallel(stage("a", shell("x"), shell("y")), stage("b", shell("l"), shell("m"))), stage("c", shell("z"))), "x", "x l m"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(50) {
				s := newSim(t, seed, tc.plan)
				s.Twice = true
				s.outcome = func(node string) core.Completed {
					if strings.HasSuffix(node, "."+tc.fail) {
						return core.Completed{Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: "no"}}
					}
					return core.Completed{OK: true}
				}
				root := s.play()
				if root.Status != core.Failed || root.Failure == nil || root.Failure.Message != "no" {
					t.Fatalf("seed %d: the run ended %s because %+v", seed, root.Status, root.Failure)
				}
				if got := s.stepsRun(); got != tc.ran {
					t.Fatalf("seed %d: ran %q, want %q", seed, got, tc.ran)
				}
				s.check(seed)
			}
		})
	}
}

// stepsRun names the steps whose task ran, in plan order.
func (s *sim) stepsRun() string {
	var ids []string
	s.Run.Plan.Root.Walk(func(n *core.Node) {
		if n.Kind == core.KindStep && s.Ran[engine.TaskID("R", n.FQN, 1, "normal")] > 0 {
			ids = append(ids, n.Identifier)
		}
	})
	return strings.Join(ids, " ")
}

// TestStop aborts at every moment of every plan: the run ends Aborted, unless it
// had ended before, and no machine is left waiting.
func TestStop(t *testing.T) {
	for name, p := range plans {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(60) {
				s := newSim(t, seed, p())
				s.Twice = true
				s.After(0, func() {
					if s.Track("0").Status == core.NotStarted {
						return
					}
					_ = s.Apply("0", core.Event{Type: core.EventStop, Actor: "admin", Stop: &core.Stop{Status: core.Aborted, Reason: "enough"}})
				})
				root := s.play()
				if root.Status != core.Aborted && root.Status != core.Succeeded {
					t.Fatalf("seed %d: the run ended %s", seed, root.Status)
				}
				for id, tr := range s.Tracks {
					if tr.Open() {
						t.Fatalf("seed %d: track %s is still %s", seed, id, tr.Status)
					}
				}
				s.check(seed)
			}
		})
	}
}

func TestApproval(t *testing.T) {
	who := func(id string, groups ...string) core.Actor { return core.Actor{ID: id, Groups: groups} }
	tests := map[string]struct {
		count  int
		people []core.Actor
		reject bool
		want   core.Status
	}{
		"one of one":                     {1, []core.Actor{who("alice", "approvers")}, false, core.Succeeded},
		"two of two":                     {2, []core.Actor{who("alice", "approvers"), who("bob", "approvers")}, false, core.Succeeded},
		"the same person twice":          {2, []core.Actor{who("alice", "approvers"), who("alice", "approvers")}, false, core.Running},
		"somebody else":                  {1, []core.Actor{who("carol")}, false, core.Running},
		"who started the run":            {1, []core.Actor{who("admin", "approvers")}, false, core.Running},
		"rejected":                       {2, []core.Actor{who("alice", "approvers")}, true, core.ApprovalRejected},
		"rejected by who may not reject": {1, []core.Actor{who("carol")}, true, core.Running},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newSim(t, 1, plan(stage("a", approval("ask", tc.count), shell("x"))))
			s.people, s.reject = tc.people, tc.reject
			if got := s.play().Status; got != tc.want {
				t.Errorf("the run is %s, want %s", got, tc.want)
			}
		})
	}
}

// TestCompletion judges completions by their fence.
func TestCompletion(t *testing.T) {
	s := newSim(t, 1, plan(stage("a", shell("x"), shell("y"))))
	s.until(func() bool { return s.Track("0.1").Task != nil })
	task := s.Track("0.1").Task.ID
	claim := func(d string) error {
		return s.Apply("0.1", core.Event{Type: core.EventClaimed, Claimed: &core.Claimed{Task: task, Delegate: core.DelegateRef{ID: d}}})
	}
	complete := func(d string, fence int64) error {
		return s.Apply("0.1", core.Event{Type: core.EventCompleted, Completed: &core.Completed{Task: task, Fence: fence, Delegate: d, OK: true, More: true}})
	}
	if err := claim("d1"); err != nil {
		t.Fatal(err)
	}
	if claim("d2") == nil {
		t.Error("a second claim must lose")
	}
	fence := s.Track("0.1").Task.Fence
	if complete("d1", fence-1) == nil || complete("d2", fence) == nil {
		t.Error("a stale fence and another delegate must be refused")
	}
	if err := complete("d1", fence); err != nil {
		t.Fatal(err)
	}
	n, next := s.Track("0.1").N, s.Track("0.1").Task
	if err := complete("d1", fence); err != nil {
		t.Errorf("a repeated completion is refused: %v", err)
	}
	if s.Track("0.1").N != n || next == nil || next.Delegate.ID != "d1" || next.Fence <= fence {
		t.Error("the next task must ride back once, under a higher fence")
	}
}
