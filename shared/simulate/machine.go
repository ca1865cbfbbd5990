package simulate

import (
	"fmt"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Execution is one execution of a state machine, played.
type Execution struct {
	Name, Track string
	Ended       bool

	token   string
	segment int
	entered int64 // ms
	parent  *Execution
}

// round is which walk of the track the execution is for.
func (x *Execution) round() core.Round { return x.which().Round }

func (x *Execution) which() core.ExecutionID { return core.ParseExecution(x.Name) }

// execute carries out an event's commands in order; who does so may die half-way,
// and then somebody does it all again.
func (w *World) execute(track string, cmds []core.Command) {
	for i, c := range cmds {
		if i > 0 && w.repeats(8) {
			w.After(0, func() { w.execute(track, cmds) })
			return
		}
		w.command(track, c)
	}
}

func (w *World) command(track string, c core.Command) {
	switch c.Do {
	case core.DoStart:
		w.start(c.Name, c.Track, nil, *c.Route)
	case core.DoFinish:
		if x := w.tokens[c.Token]; x != nil && x.token == c.Token {
			w.goTo(x, w.answer(track, *c.Route))
		}
	case core.DoQueue:
		w.After(0, func() { w.claim(*c.Task, "d1") })
		if w.Twice {
			w.After(0, func() { w.claim(*c.Task, "d2") })
		}
	case core.DoDeliver:
		w.deliver(c)
	case core.DoChain:
		w.chain(c)
	case core.DoDeadline:
		w.deadline(c.At)
	case core.DoAcquire, core.DoRelease:
		w.claimed(c)
	case core.DoUnqueue, core.DoSaveRun, core.DoPublish, core.DoDeployed: // nobody looks
	default:
		w.fail(fault.New(fault.Internal, "command %q is not known", c.Do))
	}
}

// deadline stops the run when its time has passed. Dice know no time.
func (w *World) deadline(at int64) {
	if at == 0 || w.timeless() {
		return
	}
	w.After(at-w.Now, func() {
		if w.Track("0").Open() {
			w.must("0", core.Event{Type: core.EventStop, Stop: &core.Stop{Status: core.Expired, Reason: "the pipeline's timeout has passed"}})
		}
	})
}

// must applies an event that the engine may not refuse.
func (w *World) must(track string, ev core.Event) {
	if err := w.Apply(track, ev); err != nil {
		w.fail(fmt.Errorf("%s of track %s: %w", ev.Type, track, err))
	}
}

// answer completes a route as shared/journal does: who leaves a stage takes with it
// where the pipeline's machine goes.
func (w *World) answer(track string, r core.Route) core.Route {
	if r.Kind == "Leave" && r.Then == nil && w.Run.Serial(track) {
		w.must(core.ParentTrack(track), engine.EndOf(w.Track(track))) // before its route is read
		if then := w.Track(core.ParentTrack(track)).Route; then != nil {
			next := *then
			if c := w.Track(core.ParentTrack(track)).Children[track]; c.Then != nil {
				next = *c.Then
			}
			r.Then = &next
		}
	}
	return r
}

func (w *World) start(name, track string, parent *Execution, r core.Route) {
	if w.Executions[name] != nil {
		return
	}
	x := &Execution{Name: name, Track: track, parent: parent}
	w.Executions[name] = x
	w.goTo(x, r)
}

// goTo is what the state machines do with a route. Every state that is not singled
// out takes a token, and holds unless it is Work.
func (w *World) goTo(x *Execution, r core.Route) {
	x.token, x.segment = "", r.Segment
	switch r.Kind {
	case "RunStage":
		w.start(r.Name, r.Track, x, core.Route{Kind: "Work", Segment: r.Segment})
	case "Rollback":
		w.After(0, func() {
			if x.segment != r.Segment || x.Ended {
				return // it has been there
			}
			w.must(x.Track, core.Event{Type: core.EventRecovered, Recovered: &core.Recovered{Segment: r.Segment, Error: engine.TurnRound, Round: x.round()}})
			w.goTo(x, core.Route{Kind: "Work", Segment: w.Track(x.Track).Route.Segment})
		})
	case "Leave", "Done":
		x.Ended = true
		if x.parent != nil && r.Then != nil {
			w.goTo(x.parent, *r.Then)
		}
	default:
		w.given++
		token := fmt.Sprintf("%s/%d", x.Name, w.given)
		x.token, w.tokens[token] = token, x
		x.entered = max(w.Now, x.entered+1) // no state is entered and left within a millisecond
		at := x.entered
		w.After(0, func() { w.enter(x, r, token, at) })
	}
}

// enter stores the token of the state a machine has come to.
func (w *World) enter(x *Execution, r core.Route, token string, at int64) {
	e := core.Entered{Segment: r.Segment, Token: token, At: at, Round: x.round()}
	if which := x.which(); !which.First() {
		e.State, e.Generation, e.Continued = r.Kind, which.Generation, which.Continued
	}
	w.must(x.Track, core.Event{Type: core.EventEntered, Entered: &e})
	if w.repeats(6) { // the platform lost the token
		w.After(0, func() { w.recover(x, r, token, "States.HeartbeatTimeout", "alive") })
	}
	h := w.Track(x.Track).Hold
	if r.Kind == "Work" || x.token != token || h == nil {
		return
	}
	awaited := w.Held(x.Track, *h)
	if !w.timeless() || !awaited {
		w.After(w.Lasts(*h, w.left(r, *h)), func() { w.recover(x, r, token, "States.Timeout", "") })
	}
}

// left is how many ms a hold may last. A machine counts in seconds, the engine does not.
func (w *World) left(r core.Route, h engine.Hold) int64 {
	if h.Until > w.Now {
		return h.Until - w.Now
	}
	if h.Until > 0 {
		return 0
	}
	return r.TimeoutSeconds * 1000
}

// recover is the machine's Recover state, unless its token was finished in time.
func (w *World) recover(x *Execution, r core.Route, token, err, lease string) {
	if x.token != token {
		return
	}
	if away := w.Run.Over(w.Track(x.Track), x.which()); away != nil {
		w.goTo(x, *away)
		return
	}
	w.must(x.Track, core.Event{Type: core.EventRecovered, Recovered: &core.Recovered{Segment: r.Segment, Error: err, Lease: lease, Eligible: true, Round: x.round()}})
	if x.round().N < w.Track(x.Track).Round.N {
		w.goTo(x, core.Route{Kind: "Leave"})
		return
	}
	if route := w.Track(x.Track).Route; route != nil {
		w.goTo(x, w.answer(x.Track, *route))
	}
}
