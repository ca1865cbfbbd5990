// Package simulate plays runs without touching anything: the engine decides, and
// everything around it, machines, delegates, people and time, is made up here.
// The same input always gives the same run.
package simulate

import (
	"errors"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/lock"
)

// World is what is around the engine during one run. What may happen next lies in
// a queue. It happens in the order of time; with Dice in any order, as it does to a
// platform that is late, forgetful or repeats itself.
type World struct {
	Run        *engine.Run
	Now        int64 // ms
	Tracks     map[string]*engine.Track
	Events     map[string][]core.Event
	Executions map[string]*Execution
	Ran        map[string]int // effects, by task id
	Locks      map[string]*lock.Lock
	Chains     map[string]*World // of the runs that its stages have started

	// Work tells what becomes of a task and after how many ms. A task that would
	// take longer than it may times out.
	Work func(t *engine.Task) (core.Completed, int64)
	// Held is told when a machine begins to hold; who answers does it by After. Under
	// Dice, where there is no time, a hold that is not awaited is out of time at any moment.
	Held func(track string, h engine.Hold) (awaited bool)
	// Lasts says after how many ms a hold is out of time that may last most.
	Lasts func(h engine.Hold, most int64) int64
	// Decide is engine.Apply unless somebody looks over its shoulder.
	Decide func(*engine.Run, *engine.Track, core.Event, map[string]core.Fact) (engine.Result, error)
	// Decided is told of every event that changed a track.
	Decided func(track string, ev core.Event, before *engine.Track, res engine.Result)
	// Chained, when not nil, is told of a run that a stage starts, before it begins.
	Chained func(c core.Command, child *World)
	// Dice choose what happens next, whenever it is due. Time is then a count of events.
	Dice Dice
	// Timed: time passes nevertheless, and Dice choose only among what is due first.
	Timed bool
	// Twice, under Dice: things happen twice now and then, and whoever does them dies.
	Twice bool
	// Limit is how many things may happen: a run that takes more never ends.
	Limit int

	starter *World // the world of the run that has started this one
	queue   []action
	queued  int
	tokens  map[string]*Execution
	given   int // tokens
	err     error
}

// Dice choose a number from 0 to below n.
type Dice interface{ IntN(n int) int }

// action is something that may happen, not before at.
type action struct {
	at int64
	n  int
	do func()
}

// NewWorld returns the world of a run in which every step succeeds at once and
// nobody answers.
func NewWorld(l core.Launch) *World {
	return &World{
		Run: engine.NewRun(l), Now: l.At, Limit: 1_000_000,
		Tracks: map[string]*engine.Track{}, Events: map[string][]core.Event{},
		Executions: map[string]*Execution{}, tokens: map[string]*Execution{}, Ran: map[string]int{},
		Chains:  map[string]*World{},
		Work:    func(*engine.Task) (core.Completed, int64) { return core.Completed{OK: true}, 0 },
		Held:    func(string, engine.Hold) bool { return false },
		Lasts:   func(_ engine.Hold, most int64) int64 { return most },
		Decide:  engine.Apply,
		Decided: func(string, core.Event, *engine.Track, engine.Result) {},
	}
}

// Play starts the run and lets things happen until nothing more can. It returns the
// pipeline's track.
func (w *World) Play() (*engine.Track, error) {
	if err := w.Apply("0", core.Event{Type: core.EventStarted}); err != nil {
		return nil, err
	}
	for i := 0; w.Step(); i++ {
		if i > w.Limit {
			return nil, fault.New(fault.TooLarge, "the run does not end: after %d events it is %s", i, w.Track("0").Status.API())
		}
	}
	return w.Track("0"), w.err
}

// Step lets one thing happen. It reports false when nothing is left, when the run
// is over, or when something went wrong.
func (w *World) Step() bool {
	if w.err != nil || len(w.queue) == 0 {
		return false
	}
	k := w.next()
	a := w.queue[k]
	if !w.timeless() && a.at > w.Now {
		if w.Track("0").Status.Terminal() {
			return false // only time would pass
		}
		w.Now = a.at
	}
	w.queue = slices.Delete(w.queue, k, k+1)
	a.do()
	return w.err == nil
}

// next is which action comes next.
func (w *World) next() int {
	if w.timeless() {
		return w.Dice.IntN(len(w.queue))
	}
	if w.Dice != nil {
		return w.due()
	}
	first := 0
	for i, a := range w.queue {
		if b := w.queue[first]; a.at < b.at || a.at == b.at && a.n < b.n {
			first = i
		}
	}
	return first
}

// due is one of what may happen first.
func (w *World) due() int {
	var first []int
	for i, a := range w.queue {
		if len(first) > 0 && a.at < w.queue[first[0]].at {
			first = first[:0]
		}
		if len(first) == 0 || a.at == w.queue[first[0]].at {
			first = append(first, i)
		}
	}
	return first[w.Dice.IntN(len(first))]
}

// timeless reports whether time is a count of events.
func (w *World) timeless() bool { return w.Dice != nil && !w.Timed }

// After lets something happen in so many ms.
func (w *World) After(ms int64, do func()) {
	if top := w.top(); top != w {
		top.After(ms, func() { w.Now = top.Now; do() })
		return
	}
	w.queued++
	a := action{w.Now + max(0, ms), w.queued, do}
	w.queue = append(w.queue, a)
	if w.repeats(4) {
		w.queue = append(w.queue, a)
	}
}

// repeats reports in one of n cases that something is done once more.
func (w *World) repeats(n int) bool { return w.Twice && w.Dice != nil && w.Dice.IntN(n) == 0 }

// fail ends the play: the engine or this package has a fault.
func (w *World) fail(err error) {
	if w = w.top(); w.err == nil {
		w.err = err
	}
}

// Track returns a track, one that has not begun when there is none.
func (w *World) Track(id string) *engine.Track {
	if w.Tracks[id] == nil {
		w.Tracks[id] = &engine.Track{ID: id}
	}
	return w.Tracks[id]
}

// Apply lets the engine decide on an event and has its commands executed soon. It
// returns the engine's refusal.
func (w *World) Apply(track string, ev core.Event) error {
	top := w.top()
	if w.timeless() {
		top.Now++
	}
	w.Now = top.Now
	t := w.Track(track)
	ev.V, ev.N, ev.At = core.EventVersion, t.N+1, w.Now
	facts := map[string]core.Fact{}
	for {
		res, err := w.Decide(w.Run, t, ev, facts)
		if need, ok := errors.AsType[*engine.Need](err); ok {
			for _, ref := range need.Refs {
				if _, known := facts[ref]; known {
					return fault.New(fault.Internal, "the engine was told %s and asks again", ref)
				}
				if facts[ref], err = w.facts().Fact(w.Run, ref); err != nil {
					return err
				}
			}
			continue
		}
		if err != nil || res.Ignored {
			return err
		}
		w.Tracks[track] = res.Track
		ev.Commands, ev.Facts = res.Commands, res.Facts
		w.Events[track] = append(w.Events[track], ev)
		w.Decided(track, ev, t, res)
		w.After(0, func() { w.execute(track, res.Commands) })
		return nil
	}
}
