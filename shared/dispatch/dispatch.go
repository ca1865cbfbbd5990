// Package dispatch hands tasks to delegates and takes their results: one sync
// call carries beats, claims, cancels and lost hand-overs; a completion carries
// the next task back.
package dispatch

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/wire"
)

// Pace is how often delegates call and how long silence is borne.
type Pace struct {
	Idle   time.Duration // between syncs of a delegate with nothing to do
	Active time.Duration // while it holds tasks
	Cool   time.Duration // after its last task, while it still counts as active
	Lease  time.Duration // a delegate silent for longer has lost its tasks
	Grace  time.Duration // behind a task's deadline, for its delegate to say so itself
	Lost   time.Duration // after which an unlisted hand-over is repeated
}

// DefaultPace is the pace on AWS, where every call is paid for.
func DefaultPace() Pace {
	return Pace{Idle: 15 * time.Second, Active: 15 * time.Second, Cool: time.Minute, Lease: time.Minute, Grace: 15 * time.Second, Lost: 5 * time.Second}
}

// LocalPace is the pace of a platform on one machine.
func LocalPace() Pace {
	p := DefaultPace()
	p.Idle, p.Active = time.Second, 250*time.Millisecond
	return p
}

// Calling returns the pace with delegates calling every d, 100 ms at least; what
// is slower stays as it is.
func (p Pace) Calling(d time.Duration) Pace {
	d = max(d, 100*time.Millisecond)
	p.Idle, p.Active = min(p.Idle, d), min(p.Active, d)
	return p
}

// Dispatch is safe for concurrent use.
type Dispatch struct {
	ports   core.Ports
	journal *journal.Journal
	pace    Pace

	mu     sync.Mutex
	active map[string]int64 // when each delegate last had work, ms
	seen   map[string]sighting
}

// New returns a dispatch over the journal's tracks.
func New(j *journal.Journal, pace Pace) *Dispatch {
	return &Dispatch{ports: j.Ports(), journal: j, pace: pace, active: map[string]int64{}, seen: map[string]sighting{}}
}

// handOver is the task as its delegate gets it, with the secrets it may use.
func (d *Dispatch) handOver(ctx context.Context, at core.Scope, t *engine.Task) (wire.Task, error) {
	spec, err := json.Marshal(t.Spec)
	if err != nil {
		return wire.Task{}, err
	}
	left := t.Timeout - (core.Millis(d.ports.Clock.Now()) - t.Claimed)
	task := wire.Task{
		TaskRef: wire.TaskRef{Run: t.Run, Track: t.Track, ID: t.ID, Fence: t.Fence},
		Node:    t.Node, Name: t.Name, Type: t.Type, Attempt: t.Attempt, Spec: spec,
		TimeoutMS: max(left, 1), Selectors: t.Selectors,
	}
	for _, ref := range t.Secrets {
		v, err := d.ports.Secrets.Get(ctx, core.SecretName(at, ref))
		if fault.Is(err, fault.NotFound) {
			return task, fault.New(fault.NotFound, "there is no secret %q; give it a value with --secret %s=@FILE or store it", ref, ref)
		}
		if err != nil {
			return task, err
		}
		if task.Secrets == nil {
			task.Secrets = map[string]string{}
		}
		task.Secrets[ref] = string(v)
	}
	return task, nil
}

// Bounds of what is handed over, in bytes. A function answers 6 MB, in which what
// is JSON already may take twice the room.
const (
	maxSpec     = 2 << 20 // of one task
	maxHandOver = 5 << 19 // of all tasks in one answer
)

// give appends the hand-over of a track's current task to tasks. A task that
// cannot be handed over, because a secret is missing or it has become too large
// with its expressions evaluated, fails here and now.
func (d *Dispatch) give(ctx context.Context, run *engine.Run, ref journal.Ref, t *engine.Task, tasks []wire.Task) ([]wire.Task, error) {
	task, err := d.handOver(ctx, run.Plan.Scope, t)
	if err == nil && len(task.Spec) > maxSpec {
		err = fault.New(fault.TooLarge, "with its expressions evaluated the step has %d bytes: at most %d can be handed to a delegate", len(task.Spec), maxSpec)
	}
	if err == nil {
		return append(tasks, task), nil
	}
	if !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.TooLarge) {
		return tasks, err
	}
	return tasks, d.fail(ctx, ref, t, "UNKNOWN_FAILURE", err.Error())
}

// fitting is what of the tasks one answer can carry, the first at least. The rest
// stays the delegate's and is handed over again, as what got lost on the way is.
func fitting(tasks []wire.Task) []wire.Task {
	room := maxHandOver
	for i, t := range tasks {
		room -= len(t.Spec)
		for _, s := range t.Secrets {
			room -= len(s)
		}
		if room < 0 && i > 0 {
			return tasks[:i]
		}
	}
	return tasks
}

// fail ends a track's current task in its delegate's stead.
func (d *Dispatch) fail(ctx context.Context, ref journal.Ref, t *engine.Task, failureType, message string) error {
	_, err := d.journal.Apply(ctx, ref, core.Event{Type: core.EventCompleted, Completed: &core.Completed{
		Task: t.ID, Fence: t.Fence, Delegate: t.Delegate.ID,
		Failure: &core.Failure{Types: []string{failureType}, Message: message},
	}})
	if fault.Is(err, fault.Gone) {
		return nil
	}
	return err
}

// owns reports whether the track's task is this delegate's under this fence.
func owns(t *engine.Track, delegate string, ref wire.TaskRef) bool {
	return t.Task != nil && t.Task.ID == ref.ID && t.Task.Fence == ref.Fence &&
		t.Task.Delegate != nil && t.Task.Delegate.ID == delegate
}
