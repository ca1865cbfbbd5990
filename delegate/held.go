package delegate

import (
	"context"
	"errors"
	"time"

	"github.com/slipway-cd/slipway/delegate/journal"
	"github.com/slipway-cd/slipway/shared/wire"
)

// Why a task was stopped.
var (
	errTimeout  = errors.New("the time for the step is over")
	errStopped  = errors.New("the delegate was stopped")
	errCanceled = errors.New("the control plane canceled the task")
	errReplaced = errors.New("the task was given out again")
)

// held is a task from its arrival until its completion is acknowledged.
type held struct {
	task  wire.Task
	entry *journal.Entry // set when an earlier process began it
	after *held          // an older dispatch that must have ended first

	disarm func() // ends the timer of the step's timeout

	run  context.Context // ends when the work is to be stopped
	stop context.CancelCauseFunc
	life context.Context // ends when nobody wants to know any more
	drop context.CancelCauseFunc
	done chan struct{} // closed when nothing of it is left
}

// hold makes the task one of those held. Called with the lock.
func (d *Delegate) hold(t wire.Task) *held {
	h := &held{task: t, done: make(chan struct{}), disarm: func() {}}
	h.life, h.drop = context.WithCancelCause(d.base)
	h.run, h.stop = context.WithCancelCause(h.life)
	d.held[t.ID] = h
	d.seen.add(t.TaskRef)
	if t.TimeoutMS > 0 {
		h.disarm = d.cfg.Clock.AfterFunc(time.Duration(t.TimeoutMS)*time.Millisecond, func() { h.stop(errTimeout) })
	}
	return h
}

// take begins the tasks of a sync that are new: not those held or ended already,
// nor more than the capacity. What is left out is not in the next sync's Holding
// either, so the server gives it out again.
func (d *Delegate) take(tasks []wire.Task) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range tasks {
		old := d.held[t.ID]
		if d.draining || d.seen.has(t.TaskRef) || old == nil && len(d.held) >= d.cfg.Capacity {
			continue
		}
		h := d.hold(t)
		if old != nil {
			h.after = old
			old.drop(errReplaced)
		}
		d.workers.Go(func() { d.work(h) })
	}
}

// cancel stops and forgets tasks.
func (d *Delegate) cancel(refs []wire.TaskRef) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, ref := range refs {
		if h := d.held[ref.ID]; h != nil && h.task.Fence == ref.Fence {
			h.drop(errCanceled)
		}
	}
}

// release lets go of a task and takes the next of its track in its place. It
// returns nil when there is none.
func (d *Delegate) release(h *held, next *wire.Task) *held {
	d.mu.Lock()
	defer d.mu.Unlock()
	full := len(d.held) >= d.cfg.Capacity
	if d.held[h.task.ID] == h {
		delete(d.held, h.task.ID)
	}
	h.disarm()
	h.drop(nil)
	close(h.done)
	if next != nil && !d.stopped && d.held[next.ID] == nil && !d.seen.has(next.TaskRef) {
		return d.hold(*next)
	}
	if full || len(d.held) == 0 && d.draining {
		d.wake()
	}
	return nil
}

// holding lists the tasks held and how many more there is room for.
func (d *Delegate) holding() (refs []wire.TaskRef, free int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	refs = make([]wire.TaskRef, 0, len(d.held))
	for _, h := range d.held {
		refs = append(refs, h.task.TaskRef)
	}
	if d.draining {
		return refs, 0
	}
	return refs, max(0, d.cfg.Capacity-len(refs))
}

// more reports whether a worker may take the next task once it has let go of its own.
func (d *Delegate) more() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.draining && len(d.held) <= d.cfg.Capacity
}

func (d *Delegate) wake() {
	select {
	case d.kick <- struct{}{}:
	default:
	}
}

// fences remembers the last dispatches seen, so that an answer that was under way
// while a task ended does not begin it again.
type fences struct {
	last  map[string]int64
	order []string // ids by their first arrival
}

const maxFences = 4096

func (f *fences) has(ref wire.TaskRef) bool {
	last, ok := f.last[ref.ID]
	return ok && ref.Fence <= last
}

func (f *fences) add(ref wire.TaskRef) {
	if f.last == nil {
		f.last = map[string]int64{}
	}
	if _, ok := f.last[ref.ID]; !ok {
		f.order = append(f.order, ref.ID)
	}
	f.last[ref.ID] = ref.Fence
	if len(f.order) > maxFences {
		delete(f.last, f.order[0])
		f.order = f.order[1:]
	}
}
