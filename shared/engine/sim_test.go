package engine_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/engine/enginetest"
	"github.com/slipway-cd/slipway/shared/simulate"
)

// Plans are written as small trees: stage("s", shell("a"), group("g", …), …).
var (
	step, shell, wait, approval  = enginetest.Step, enginetest.Shell, enginetest.Wait, enginetest.Approval
	group, parallel, stage, plan = enginetest.Group, enginetest.Parallel, enginetest.Stage, enginetest.Plan
)

// sim is a world in which everything happens in any order, and people answer.
type sim struct {
	*simulate.World
	t       *testing.T
	rng     *rand.Rand
	outcome func(node string) core.Completed
	people  []core.Actor // answer every approval, in order
	reject  bool
	given   string            // to whoever asks while running; "" for nobody
	answers []core.ActionType // to interventions, one after the other; then they time out
}

func newSim(t *testing.T, seed uint64, p *core.Plan) *sim {
	s := &sim{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)),
		World:   simulate.NewWorld(core.Launch{Run: "R", Plan: p, Started: core.Started{Sequence: 1, By: core.Actor{ID: "admin"}}}),
		outcome: func(string) core.Completed { return core.Completed{OK: true} },
		people:  []core.Actor{{ID: "alice", Groups: []string{"approvers"}}},
	}
	s.Dice, s.Limit, s.Held, s.Decide = s.rng, 20_000, s.held, s.decide
	s.Work = func(task *engine.Task) (core.Completed, int64) { return s.outcome(task.Node), 0 }
	return s
}

// play starts the run and lets things happen until nothing is left to happen.
func (s *sim) play() *engine.Track {
	s.t.Helper()
	root, err := s.Play()
	if err != nil {
		s.t.Fatal(err)
	}
	return root
}

// until starts the run and lets things happen until something is the case.
func (s *sim) until(what func() bool) {
	s.t.Helper()
	if s.Track("0").N == 0 {
		if err := s.Apply("0", core.Event{Type: core.EventStarted}); err != nil {
			s.t.Fatal(err)
		}
	}
	for !what() {
		if !s.Step() {
			s.t.Fatal("it never came to that")
		}
	}
}

// decide is the engine, which may not change the track it is given.
func (s *sim) decide(r *engine.Run, t *engine.Track, ev core.Event, facts map[string]core.Fact) (engine.Result, error) {
	if s.rng.IntN(4) > 0 {
		return engine.Apply(r, t, ev, facts)
	}
	before := canonical(s.t, t)
	res, err := engine.Apply(r, t, ev, facts)
	if before != canonical(s.t, t) {
		s.t.Fatalf("%s changed the track it was given", ev.Type)
	}
	return res, err
}

// held has people answer. What nobody answers runs out of time; what ends by itself
// is awaited.
func (s *sim) held(track string, h engine.Hold) (awaited bool) {
	switch h.Kind {
	case "Wait", "BackOff":
		return false
	case "Intervene":
		if len(s.answers) == 0 {
			return false
		}
		s.After(0, func() { s.intervene(track) })
	case "Input":
		if s.given == "" {
			return false
		}
		s.After(0, func() { s.give(track) })
	case "Approval":
		for _, who := range s.people {
			s.After(0, func() { s.approve(track, who) })
		}
	}
	return true
}

// give gives what the track waits for.
func (s *sim) give(track string) {
	h := s.Track(track).Hold
	if h == nil || h.Kind != "Input" {
		return
	}
	values := map[string]string{}
	for _, a := range s.Run.Node(h.Node).Asks {
		values[a.Path] = s.given
	}
	_ = s.Apply(track, core.Event{Type: core.EventGiven, Given: &core.Given{Node: h.Node, Values: values, By: core.Actor{ID: "alice"}}})
}

func (s *sim) approve(track string, who core.Actor) {
	h := s.Track(track).Hold
	if h == nil || h.Kind != "Approval" {
		return
	}
	action := "APPROVE"
	if s.reject {
		action = "REJECT"
	}
	_ = s.Apply(track, core.Event{Type: core.EventDecided, Decided: &core.Decided{
		Approval: s.Track(track).Nodes[h.Node].Approval.ID, Action: action, By: who}})
}

// intervene gives the next answer to what the track waits for.
func (s *sim) intervene(track string) {
	h := s.Track(track).Hold
	if h == nil || h.Kind != "Intervene" || len(s.answers) == 0 {
		return
	}
	e := core.Intervened{Node: h.Node, Action: s.answers[0], By: core.Actor{ID: "alice"}}
	if s.Apply(track, core.Event{Type: core.EventIntervened, Actor: "alice", Intervened: &e}) == nil {
		s.answers = s.answers[1:]
	}
}

// statuses is how every node ended, for comparing runs.
func (s *sim) statuses() map[string]core.Status {
	out := map[string]core.Status{}
	for _, id := range slices.Sorted(maps.Keys(s.Tracks)) {
		for fqn, n := range s.Tracks[id].Nodes {
			out[id+" "+fqn] = n.Status
		}
		out[id] = s.Tracks[id].Status
	}
	return out
}
