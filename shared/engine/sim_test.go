package engine

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// sim is a world for the engine: it executes commands and plays machines,
// delegates and people, each action once, twice and in any order.
type sim struct {
	t       *testing.T
	rng     *rand.Rand
	run     *Run
	at      int64
	tracks  map[string]*Track
	events  map[string][]core.Event
	bag     []func() // what may happen next
	execs   map[string]*exec
	tokens  map[string]*exec
	taken   int            // tokens given out
	ran     map[string]int // effects, by task id
	outcome func(node string) core.Completed
	people  []core.Actor // answer every approval, in order
	reject  bool
	answers []core.ActionType // to interventions, one after the other; then they time out
	twice   bool              // duplicate actions and heartbeat failures
}

// exec is one execution of a state machine, played.
type exec struct {
	name, track string
	token       string
	segment     int
	parent      *exec
	ended       bool
}

func newSim(t *testing.T, seed uint64, p *core.Plan) *sim {
	s := &sim{t: t, rng: rand.New(rand.NewPCG(seed, 1)), tracks: map[string]*Track{}, events: map[string][]core.Event{},
		execs: map[string]*exec{}, tokens: map[string]*exec{}, ran: map[string]int{},
		outcome: func(string) core.Completed { return core.Completed{OK: true} },
		people:  []core.Actor{{ID: "alice", Groups: []string{"approvers"}}}}
	s.run = NewRun(core.Launch{Run: "R", Plan: p, Started: core.Started{Sequence: 1, By: core.Actor{ID: "admin"}}})
	return s
}

// soon puts an action into the bag, now and then twice.
func (s *sim) soon(f func()) {
	s.bag = append(s.bag, f)
	if s.twice && s.rng.IntN(4) == 0 {
		s.bag = append(s.bag, f)
	}
}

// play starts the run and lets things happen until nothing is left to happen.
func (s *sim) play() *Track {
	s.t.Helper()
	s.apply("0", core.Event{Type: core.EventStarted})
	for i := 0; len(s.bag) > 0; i++ {
		if i > 20_000 {
			s.t.Fatal("the run never ends")
		}
		k := s.rng.IntN(len(s.bag))
		f := s.bag[k]
		s.bag = slices.Delete(s.bag, k, k+1)
		f()
	}
	return s.tracks["0"]
}

func (s *sim) track(id string) *Track {
	if s.tracks[id] == nil {
		s.tracks[id] = &Track{ID: id}
	}
	return s.tracks[id]
}

// apply lets the engine decide and puts the commands into the bag. It returns the
// engine's refusal.
func (s *sim) apply(track string, ev core.Event) error {
	s.at++
	t := s.track(track)
	ev.V, ev.N, ev.At = core.EventVersion, t.N+1, s.at
	facts := map[string]core.Fact{}
	before := ""
	if s.rng.IntN(4) == 0 {
		before = canonical(s.t, t)
	}
	for {
		res, err := Apply(s.run, t, ev, facts)
		if before != "" && before != canonical(s.t, t) {
			s.t.Fatalf("%s changed the track it was given", ev.Type)
		}
		if need, ok := errors.AsType[*Need](err); ok {
			for _, ref := range need.Refs {
				facts[ref] = s.fact(ref)
			}
			continue
		}
		if err != nil || res.Ignored {
			return err
		}
		s.tracks[track] = res.Track
		ev.Commands, ev.Facts = res.Commands, res.Facts
		s.events[track] = append(s.events[track], ev)
		s.soon(func() { s.execute(track, res.Commands) })
		return nil
	}
}

// fact looks up a node in the other tracks.
func (s *sim) fact(ref string) core.Fact {
	kind, name, _ := strings.Cut(ref, ":")
	if kind == "past" {
		return Past(s.run, s.track(core.ParentTrack(name)), name)
	}
	if n := s.node(name); n != nil {
		return core.Fact{Found: true, Status: n.Status, Outputs: n.Outputs}
	}
	return core.Fact{}
}

// node is how a node stands: in its own track, or, of a branch that was not let in,
// in the track above.
func (s *sim) node(fqn string) *Node {
	owner := s.run.Owner(fqn)
	t := s.track(owner)
	if n := s.run.TrackRoot(owner); n.FQN == fqn && t.Nodes[fqn] == nil {
		if t.Status != core.NotStarted {
			return &Node{Status: t.Status}
		}
		t = s.track(core.ParentTrack(owner))
	}
	return t.Nodes[fqn]
}

// execute carries out an event's commands in order; who does so may die half-way,
// and then somebody does it all again.
func (s *sim) execute(track string, cmds []core.Command) {
	for i, c := range cmds {
		if s.twice && i > 0 && s.rng.IntN(8) == 0 {
			s.bag = append(s.bag, func() { s.execute(track, cmds) })
			return
		}
		s.command(track, c)
	}
}

func (s *sim) command(track string, c core.Command) {
	switch c.Do {
	case core.DoStart:
		s.start(c.Name, c.Track, nil, *c.Route)
	case core.DoFinish:
		if x := s.tokens[c.Token]; x != nil && x.token == c.Token {
			s.goTo(x, s.answer(track, *c.Route))
		}
	case core.DoQueue:
		s.soon(func() { s.claim(*c.Task, "d1") })
		if s.twice {
			s.soon(func() { s.claim(*c.Task, "d2") })
		}
	case core.DoDeliver:
		if err := s.apply(c.Track, *c.Event); err != nil {
			s.t.Fatalf("delivering to %s: %v", c.Track, err)
		}
	}
}

func (s *sim) answer(track string, r core.Route) core.Route {
	if r.Kind == kindLeave && s.run.Serial(track) {
		if e := s.apply(core.ParentTrack(track), EndOf(s.track(track))); e != nil { // before its route is read
			s.t.Fatal(e)
		}
		then := *s.track(core.ParentTrack(track)).Route
		r.Then = &then
	}
	return r
}

func (s *sim) start(name, track string, parent *exec, r core.Route) {
	if s.execs[name] != nil {
		return
	}
	x := &exec{name: name, track: track, parent: parent}
	s.execs[name] = x
	s.goTo(x, r)
}

// goTo is what the state machines do with a route.
func (s *sim) goTo(x *exec, r core.Route) {
	x.token, x.segment = "", r.Segment
	switch r.Kind {
	case kindRunStage:
		s.start(r.Name, r.Track, x, core.Route{Kind: kindWork, Segment: r.Segment})
	case kindRollback:
		s.soon(func() {
			if x.segment != r.Segment || x.ended {
				return // it has been there
			}
			if e := s.apply(x.track, core.Event{Type: core.EventRecovered, Recovered: &core.Recovered{Segment: r.Segment, Error: TurnRound}}); e != nil {
				s.t.Fatalf("turning round %s: %v", x.track, e)
			}
			s.goTo(x, core.Route{Kind: kindWork, Segment: s.track(x.track).Route.Segment})
		})
	case kindLeave, kindDone:
		x.ended = true
		if x.parent != nil && r.Then != nil {
			s.goTo(x.parent, *r.Then)
		}
	default:
		s.taken++
		token := fmt.Sprintf("%s/%d", x.name, s.taken)
		x.token, s.tokens[token] = token, x
		at := s.at
		s.soon(func() { s.enter(x, r, token, at) })
	}
}

func (s *sim) enter(x *exec, r core.Route, token string, at int64) {
	_ = s.apply(x.track, core.Event{Type: core.EventEntered, Entered: &core.Entered{Segment: r.Segment, Token: token, At: at}})
	recover := func(err, lease string) {
		if x.token != token {
			return // finished in time
		}
		if e := s.apply(x.track, core.Event{Type: core.EventRecovered, Recovered: &core.Recovered{
			Segment: r.Segment, Error: err, Lease: lease, Eligible: true}}); e != nil {
			s.t.Fatalf("recovering %s: %v", x.track, e)
		}
		s.goTo(x, s.answer(x.track, *s.track(x.track).Route))
	}
	switch {
	case r.Kind == kindWait || r.Kind == kindBackOff:
		s.soon(func() { recover("States.Timeout", "") })
	case r.Kind == kindIntervene:
		if len(s.answers) == 0 {
			s.soon(func() { recover("States.Timeout", "") })
			return
		}
		s.soon(func() { s.intervene(x.track) })
	case r.Kind == kindApproval:
		for _, who := range s.people {
			s.soon(func() { s.decide(x.track, who) })
		}
	case s.twice && s.rng.IntN(6) == 0: // the platform lost the token's beat
		s.soon(func() { recover("States.HeartbeatTimeout", "alive") })
	}
}

func (s *sim) decide(track string, who core.Actor) {
	h := s.track(track).Hold
	if h == nil || h.Kind != kindApproval {
		return
	}
	action := "APPROVE"
	if s.reject {
		action = "REJECT"
	}
	_ = s.apply(track, core.Event{Type: core.EventDecided, Decided: &core.Decided{
		Approval: s.track(track).Nodes[h.Node].Approval.ID, Action: action, By: who}})
}

// intervene gives the next answer to what the track waits for.
func (s *sim) intervene(track string) {
	h := s.track(track).Hold
	if h == nil || h.Kind != kindIntervene || len(s.answers) == 0 {
		return
	}
	e := core.Intervened{Node: h.Node, Action: s.answers[0], By: core.Actor{ID: "alice"}}
	if s.apply(track, core.Event{Type: core.EventIntervened, Actor: "alice", Intervened: &e}) == nil {
		s.answers = s.answers[1:]
	}
}

func (s *sim) claim(q core.QueuedTask, delegate string) {
	err := s.apply(q.Track, core.Event{Type: core.EventClaimed, Claimed: &core.Claimed{Task: q.ID, Delegate: core.DelegateRef{ID: delegate, Name: delegate}}})
	if fault.Is(err, fault.Gone) {
		return
	}
	if err != nil {
		s.t.Fatalf("claiming: %v", err)
	}
	s.work(q.Track, delegate)
}

// work runs the track's task, and the next when it rides back.
func (s *sim) work(track, delegate string) {
	task := s.track(track).Task
	if task == nil || task.Delegate == nil || task.Delegate.ID != delegate {
		return
	}
	s.ran[task.ID]++
	done := s.outcome(task.Node)
	done.Task, done.Fence, done.Delegate, done.More = task.ID, task.Fence, delegate, s.rng.IntN(3) > 0
	s.soon(func() {
		before := s.track(track).Task
		err := s.apply(track, core.Event{Type: core.EventCompleted, Completed: &done})
		if err != nil && !fault.Is(err, fault.Gone) {
			s.t.Fatalf("completing: %v", err)
		}
		if after := s.track(track).Task; after != nil && after != before && after.Fence > task.Fence && s.ran[after.ID] == 0 {
			s.work(track, delegate)
		}
	})
}

// statuses is how every node ended, for comparing runs.
func (s *sim) statuses() map[string]core.Status {
	out := map[string]core.Status{}
	for _, id := range slices.Sorted(maps.Keys(s.tracks)) {
		for fqn, n := range s.tracks[id].Nodes {
			out[id+" "+fqn] = n.Status
		}
		out[id] = s.tracks[id].Status
	}
	return out
}
