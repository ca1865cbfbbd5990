package delivery

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// world is all there is of a run at one moment: what simulate.World is while it plays,
// but as data, which can be copied and compared. No time passes in it.
type world struct {
	runs    map[string]*engine.Run // "" is the run, others are those that its stages have started
	outcome func(node string, attempt int) core.Completed
	answers []core.ActionType // to interventions, by attempt

	tracks  map[string]*engine.Track // of a run that a stage has started "RUN/TRACK"
	execs   map[string]exec
	ran     map[string]int // effects, by task id
	pending []message      // what is on its way, sorted
	twice   int            // how many more things may happen twice
	lose    int            // how many more machines lose their token while they work
}

// exec is one execution of a state machine.
type exec struct {
	Name, Track, Token, Parent string
	Segment, Given             int
	Ended                      bool
}

// message is something on its way to the engine, or a list of commands that nobody has
// executed yet.
type message struct {
	key   string
	do    func(*world) error
	other func(*world) error // what happens the second time, if not the same
}

const at = 1000 // the time of everything, ms

func (w *world) clone() *world {
	c := *w
	c.tracks, c.execs, c.ran, c.runs = maps.Clone(w.tracks), maps.Clone(w.execs), maps.Clone(w.ran), maps.Clone(w.runs)
	c.pending = slices.Clone(w.pending)
	return &c
}

// send puts a message on its way. Its key says all that there is in it.
func (w *world) send(m message) {
	i, _ := slices.BinarySearchFunc(w.pending, m.key, func(m message, key string) int { return strings.Compare(m.key, key) })
	w.pending = slices.Insert(w.pending, i, m)
}

func (w *world) track(id string) *engine.Track {
	if t := w.tracks[id]; t != nil {
		return t
	}
	return &engine.Track{ID: id[strings.LastIndexByte(id, '/')+1:]}
}

// of is the run that a track is of, and what its tracks' names begin with.
func (w *world) of(track string) (r *engine.Run, prefix string) {
	prefix = track[:strings.LastIndexByte(track, '/')+1]
	return w.runs[strings.TrimSuffix(prefix, "/")], prefix
}

// apply lets the engine decide; its commands are on their way then.
func (w *world) apply(track string, ev core.Event) error {
	t := w.track(track)
	ev.V, ev.N, ev.At = core.EventVersion, t.N+1, at
	facts := map[string]core.Fact{}
	run, prefix := w.of(track)
	others := engine.World{Track: func(id string) (*engine.Track, error) { return w.track(prefix + id), nil }}
	for {
		res, err := engine.Apply(run, t, ev, facts)
		if need, ok := errors.AsType[*engine.Need](err); ok {
			for _, ref := range need.Refs {
				if facts[ref], err = others.Fact(run, ref); err != nil {
					return err
				}
			}
			continue
		}
		if err != nil || res.Ignored {
			return err
		}
		w.tracks[track] = res.Track
		if len(res.Commands) > 0 {
			text, err := json.Marshal(res.Commands)
			if err != nil {
				return err
			}
			w.send(message{key: "commands " + track + string(text), do: func(w *world) error { return w.execute(track, res.Commands) }})
		}
		return nil
	}
}

func (w *world) execute(track string, cmds []core.Command) error {
	run, prefix := w.of(track)
	for _, c := range cmds {
		var err error
		switch c.Do {
		case core.DoStart:
			err = w.start(exec{Name: c.Name, Track: prefix + c.Track}, *c.Route)
		case core.DoFinish:
			for _, name := range slices.Sorted(maps.Keys(w.execs)) {
				if x := w.execs[name]; c.Token != "" && x.Token == c.Token {
					err = w.leave(x, *c.Route)
				}
			}
		case core.DoQueue:
			w.offer(prefix, *c.Task)
		case core.DoDeliver:
			to := prefix + c.Track
			if c.Run != "" { // the one that has started this one
				to = c.Track
			}
			err = w.apply(to, *c.Event)
		case core.DoChain:
			err = w.chain(run, c)
		case core.DoUnqueue, core.DoSaveRun, core.DoPublish, core.DoDeadline, core.DoDeployed:
		}
		if err != nil {
			return fmt.Errorf("%s of track %s: %w", c.Do, track, err)
		}
	}
	return nil
}

// chain starts the run of a stage's pipeline, or stops that.
func (w *world) chain(run *engine.Run, c core.Command) error {
	if w.runs[c.Run] == nil {
		n := run.ChainStage(c.Track)
		w.runs[c.Run] = engine.NewRun(core.Launch{Run: c.Run, Plan: n.Chain.Plan, Started: run.Launch.Started,
			Parent: &core.Parent{Run: run.Launch.Run, Track: c.Track, ChainCall: *c.Chain, Outputs: n.Chain.Outputs}})
	}
	ev := core.Event{Type: core.EventStarted}
	if c.Event != nil {
		ev = *c.Event
	}
	return w.apply(c.Run+"/0", ev)
}

func (w *world) start(x exec, r core.Route) error {
	if _, there := w.execs[x.Name]; there {
		return nil
	}
	return w.goTo(x, r)
}

// leave completes a route: who leaves a stage takes along where the pipeline goes.
func (w *world) leave(x exec, r core.Route) error {
	run, prefix := w.of(x.Track)
	if id := strings.TrimPrefix(x.Track, prefix); r.Kind == "Leave" && run.Serial(id) {
		above := prefix + core.ParentTrack(id)
		if err := w.apply(above, engine.EndOf(w.track(x.Track))); err != nil {
			return err
		}
		r.Then = w.track(above).Route
	}
	return w.goTo(x, r)
}

// goTo is what the state machines do with a route.
func (w *world) goTo(x exec, r core.Route) error {
	x.Token, x.Segment = "", r.Segment
	switch r.Kind {
	case "RunStage":
		w.execs[x.Name] = x
		_, prefix := w.of(x.Track)
		return w.start(exec{Name: r.Name, Track: prefix + r.Track, Parent: x.Name}, core.Route{Kind: "Work", Segment: r.Segment})
	case "Rollback":
		w.execs[x.Name] = x
		w.send(message{key: fmt.Sprint("turn ", x), do: func(w *world) error { return w.turn(x) }})
	case "Leave", "Done":
		x.Ended = true
		w.execs[x.Name] = x
		if x.Parent != "" && r.Then != nil {
			return w.goTo(w.execs[x.Parent], *r.Then)
		}
	default:
		x.Given++
		x.Token = fmt.Sprintf("%s/%d", x.Name, x.Given)
		w.execs[x.Name] = x
		w.send(message{key: fmt.Sprint("enter ", x, r.Kind), do: func(w *world) error { return w.enter(x, r) }})
	}
	return nil
}

func (w *world) turn(x exec) error {
	if now := w.execs[x.Name]; now != x {
		return nil // it has been there
	}
	if err := w.apply(x.Track, core.Event{Type: core.EventRecovered, Recovered: &core.Recovered{Segment: x.Segment, Error: engine.TurnRound}}); err != nil {
		return err
	}
	return w.goTo(x, core.Route{Kind: "Work", Segment: w.track(x.Track).Route.Segment})
}

// enter stores a token, and makes people and clocks do what they do about a hold.
func (w *world) enter(x exec, r core.Route) error {
	err := w.apply(x.Track, core.Event{Type: core.EventEntered, Entered: &core.Entered{Segment: r.Segment, Token: x.Token, At: int64(x.Given)}})
	if err != nil {
		return err
	}
	h := w.track(x.Track).Hold
	switch {
	case r.Kind == "Work" && w.lose > 0:
		w.lose--
		w.send(message{key: fmt.Sprint("lose ", x), do: func(w *world) error { return w.recover(x, "States.HeartbeatTimeout") }})
	case r.Kind == "Work" || h == nil || w.execs[x.Name] != x:
	case h.Kind == "Wait" || h.Kind == "BackOff":
		w.send(message{key: fmt.Sprint("time ", x), do: func(w *world) error { return w.recover(x, "States.Timeout") }})
	case h.Kind == "Approval":
		w.send(w.approve(x.Track, h.Node))
	case h.Kind == "Intervene":
		w.send(w.intervene(x.Track, h.Node))
	}
	return nil
}

// recover is the machine's Recover state, unless its token was finished in time.
func (w *world) recover(x exec, name string) error {
	if w.execs[x.Name] != x {
		return nil
	}
	err := w.apply(x.Track, core.Event{Type: core.EventRecovered, Recovered: &core.Recovered{Segment: x.Segment, Error: name, Lease: "alive", Eligible: true}})
	if err != nil {
		return err
	}
	return w.leave(x, *w.track(x.Track).Route)
}

// offer is the task on offer. A delegate takes it; if it happens twice, another.
func (w *world) offer(prefix string, q core.QueuedTask) {
	q.Track = prefix + q.Track

	claim := func(delegate string) func(*world) error {
		return func(w *world) error { return w.claim(q, delegate) }
	}
	w.send(message{key: "offer " + q.Track + " " + q.ID, do: claim("d1"), other: claim("d2")})
}

func (w *world) claim(q core.QueuedTask, delegate string) error {
	err := w.apply(q.Track, core.Event{Type: core.EventClaimed, Claimed: &core.Claimed{Task: q.ID, Delegate: core.DelegateRef{ID: delegate, Name: delegate}}})
	if fault.Is(err, fault.Gone) {
		return nil // somebody else was faster
	}
	if err == nil {
		w.work(q.Track, delegate, 0)
	}
	return err
}

// work does the track's task when it is the delegate's and not the one before.
func (w *world) work(track, delegate string, before int64) {
	task := w.track(track).Task
	if task == nil || task.Delegate == nil || task.Delegate.ID != delegate || task.Fence <= before || w.ran[task.ID] > 0 && before > 0 {
		return
	}
	run, _ := w.of(track)
	w.ran[task.ID]++
	done := w.outcome(run.Node(task.Node).Identifier, task.Attempt)
	done.Task, done.Fence, done.Delegate, done.More = task.ID, task.Fence, delegate, true
	w.send(message{key: fmt.Sprint("complete ", track, task.ID, task.Fence, delegate), do: func(w *world) error {
		err := w.apply(track, core.Event{Type: core.EventCompleted, Completed: &done})
		if fault.Is(err, fault.Gone) {
			return nil
		}
		if err == nil {
			w.work(track, delegate, done.Fence)
		}
		return err
	}})
}

// approve is alice's yes. What is refused has been decided before.
func (w *world) approve(track, node string) message {
	e := core.Decided{Approval: w.track(track).Nodes[node].Approval.ID, Action: "APPROVE", By: core.Actor{ID: "alice", Groups: []string{"approvers"}}}
	return message{key: fmt.Sprint("approve ", e.Approval), do: func(w *world) error {
		return unlessGone(w.apply(track, core.Event{Type: core.EventDecided, Decided: &e}))
	}}
}

// intervene is her answer about the attempt that has failed; she gives it once.
func (w *world) intervene(track, node string) message {
	attempt := w.track(track).Nodes[node].Attempt
	e := core.Intervened{Node: node, Action: w.answers[attempt-1], By: core.Actor{ID: "alice"}}
	return message{key: fmt.Sprint("answer ", node, attempt), do: func(w *world) error {
		if w.track(track).Nodes[node].Attempt != attempt {
			return nil
		}
		return unlessGone(w.apply(track, core.Event{Type: core.EventIntervened, Intervened: &e}))
	}}
}

func unlessGone(err error) error {
	if fault.Is(err, fault.Gone) {
		return nil
	}
	return err
}
