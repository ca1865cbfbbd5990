package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/target"
)

// Result is what an event did to a track.
type Result struct {
	Track    *Track
	Commands []core.Command
	// Facts are the looked-up facts that were used, to be stored with the event.
	Facts map[string]core.Fact
	// Ignored says that the event changed nothing and is not to be stored: it was
	// a repetition, or came too late. Track is then the one given.
	Ignored bool
}

// Need is returned as an error when Apply must know more: the references (see
// NodeRef) to put into facts for the next try.
type Need struct{ Refs []string }

func (n *Need) Error() string { return "needs " + strings.Join(n.Refs, ", ") }

// Apply decides what ev does to track t of run r. t is not changed. ev.N must be
// t.N+1. facts holds what was looked up outside the track, by reference.
//
// Errors: *Need; fault.Forbidden, fault.Invalid and fault.Gone for a decision
// that is not taken; anything else is a bug. An error means nothing happened.
func Apply(r *Run, t *Track, ev core.Event, facts map[string]core.Fact) (Result, error) {
	return apply(r, t, ev, facts, nil)
}

func apply(r *Run, t *Track, ev core.Event, facts map[string]core.Fact, trace func(Decision)) (Result, error) {
	w := &walk{base: r, run: r, t: t.clone(), ev: &ev, facts: facts, trace: trace}
	w.t.N = ev.N
	err := w.place()
	if err == nil {
		err = w.apply()
	}
	switch {
	case errors.Is(err, errIgnored):
		return Result{Track: t, Ignored: true}, nil
	case err != nil:
		return Result{}, err
	}
	w.letGo(t)
	if err := w.missed(t); err != nil {
		return Result{}, err
	}
	w.unchain(t)
	if err := w.report(t); err != nil {
		return Result{}, err
	}
	if w.begun() { // else there is no machine
		w.t.Transitions += w.passed(t.Segment, t.Route)
	}
	return Result{Track: w.t, Commands: w.cmds, Facts: w.used}, nil
}

// errIgnored ends an Apply whose event changes nothing.
var errIgnored = errors.New("ignored")

// walk is one Apply under way.
type walk struct {
	base  *Run // the plan's
	run   *Run // as the track sees it
	t     *Track
	root  *core.Node
	ev    *core.Event
	facts map[string]core.Fact
	used  map[string]core.Fact
	cmds  []core.Command
	// chosen is what Deployment stages deploy, by their nodes.
	chosen map[*core.Node]*target.Chosen
	// previous is the delegate whose completion this event is.
	previous *core.DelegateRef
	// trace, when not nil, is told what is decided.
	trace func(Decision)
}

// place finds out what the track walks. One in an iteration asks for that once, at its
// first event.
func (w *walk) place() error {
	if strings.Contains(w.t.ID, iterationMark) && w.t.Within == nil {
		f, err := w.fact(PlaceRef(w.t.ID))
		if err != nil {
			return err
		}
		w.t.Within = f.Within
	}
	w.run = w.run.From(w.t)
	if w.root = w.run.TrackRoot(w.t.ID); w.root == nil || w.root.Loop != nil {
		return fault.New(fault.NotFound, "run %s has no track %q", w.run.Launch.Run, w.t.ID)
	}
	return nil
}

func (w *walk) apply() error {
	switch w.ev.Type {
	case core.EventStarted:
		return w.started()
	case core.EventEntered:
		return w.entered(*w.ev.Entered)
	case core.EventClaimed:
		return w.claimed(*w.ev.Claimed)
	case core.EventCompleted:
		return w.completed(*w.ev.Completed)
	case core.EventDecided:
		return w.decided(*w.ev.Decided)
	case core.EventChild:
		return w.childEnded(*w.ev.Child)
	case core.EventStop:
		return w.stop(*w.ev.Stop)
	case core.EventRecovered:
		return w.recovered(*w.ev.Recovered)
	case core.EventIntervened:
		return w.intervened(*w.ev.Intervened)
	case core.EventGiven:
		return w.given(*w.ev.Given)
	case core.EventWarned:
		return w.warned(*w.ev.Warned)
	case core.EventLock:
		return w.lockAnswered(*w.ev.Lock)
	case core.EventPause:
		return w.pauseAsked(*w.ev.Pause)
	case core.EventBarrier:
		return w.barrier(*w.ev.Barrier)
	case core.EventChained:
		return w.chainEnded(*w.ev.Chained)
	default:
		return fmt.Errorf("event type %q is not known", w.ev.Type)
	}
}

func (w *walk) do(c core.Command) { w.cmds = append(w.cmds, c) }

func (w *walk) isPipeline() bool { return w.root.Kind == core.KindPipeline }
