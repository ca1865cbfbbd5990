package simulate

import (
	"fmt"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// claim has a delegate take a task; it has every selector that is asked for.
func (w *World) claim(q core.QueuedTask, delegate string) {
	err := w.Apply(q.Track, core.Event{Type: core.EventClaimed, Claimed: &core.Claimed{
		Task: q.ID, Delegate: core.DelegateRef{ID: delegate, Name: delegate, Tags: q.Selectors}}})
	switch {
	case fault.Is(err, fault.Gone): // somebody else was faster
	case err != nil:
		w.fail(fmt.Errorf("claiming: %w", err))
	default:
		w.work(q.Track, delegate)
	}
}

// work runs the track's task, and the next when it rides back.
func (w *World) work(track, delegate string) {
	task := w.Track(track).Task
	if task == nil || task.Delegate == nil || task.Delegate.ID != delegate {
		return
	}
	w.Ran[task.ID]++
	done, ms := w.outcome(task)
	done.Task, done.Fence, done.Delegate, done.More = task.ID, task.Fence, delegate, w.Dice == nil || w.Dice.IntN(3) > 0
	w.After(ms, func() {
		before := w.Track(track).Task
		err := w.Apply(track, core.Event{Type: core.EventCompleted, Completed: &done})
		if err != nil && !fault.Is(err, fault.Gone) {
			w.fail(fmt.Errorf("completing: %w", err))
		}
		if after := w.Track(track).Task; after != nil && after != before && after.Fence > task.Fence && w.Ran[after.ID] == 0 {
			w.work(track, delegate)
		}
	})
}

// outcome is what becomes of a task: the delegate ends it when its time is out.
func (w *World) outcome(t *engine.Task) (core.Completed, int64) {
	done, ms := w.Work(t)
	if t.Timeout > 0 && ms > t.Timeout {
		return TimedOut, t.Timeout
	}
	return done, ms
}

// TimedOut is how a delegate reports a task that took too long.
var TimedOut = core.Completed{Failure: &core.Failure{Types: []string{"TIMEOUT_FAILURE"}, Message: "the step's timeout has passed"}}
