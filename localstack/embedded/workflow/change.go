package workflow

import (
	"context"
	"slices"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// change is one step of a family while it is put together: copies of the records
// it touches, saved all at once, and what happens once they are.
type change struct {
	w      *Workflow
	fam    *family
	now    time.Time
	drafts []*draft
	marks  []mark
}

// draft is an execution as it will be.
type draft struct {
	x     *execution
	rec   record
	at    asl.At
	task  *asl.Task
	fresh bool // made by this change
	moved bool // to another attempt, or to the end
	ready bool // its function is to be invoked
}

// mark is a transition to be counted.
type mark struct{ machine, state string }

// begin takes the family's lock; commit or abandon gives it back.
func (w *Workflow) begin(fam *family) *change {
	fam.mu.Lock()
	return &change{w: w, fam: fam, now: time.UnixMilli(w.Clock.Now().UnixMilli())}
}

func (c *change) abandon() {
	c.forget()
	c.fam.mu.Unlock()
}

// forget takes executions that are not to be out of the register.
func (c *change) forget() {
	for _, d := range c.drafts {
		if d.fresh {
			c.w.running.remove(d.x.key)
		}
	}
}

// edit returns the draft of an execution of the family.
func (c *change) edit(x *execution) *draft {
	for _, d := range c.drafts {
		if d.x == x {
			return d
		}
	}
	d := &draft{x: x, rec: *x.saved.Load(), at: x.at, task: x.task}
	c.drafts = append(c.drafts, d)
	return d
}

// create registers a new execution. It returns who has the name when it is taken.
func (c *change) create(m *asl.Machine, machine, name string, input asl.Data, parent string) (*draft, *execution) {
	x := &execution{key: executionKey(machine, name), machine: m, fam: c.fam, input: input.Value}
	if other := c.w.running.add(x); other != nil {
		return nil, other
	}
	d := &draft{x: x, fresh: true, rec: record{
		status: core.ExecutionRunning, machine: machine, name: name, digest: m.Digest(),
		input: input.JSON(), started: c.now.UnixMilli(), parent: parent, events: 1,
	}}
	c.drafts = append(c.drafts, d)
	return d, nil
}

// commit saves the change, publishes it and gives the lock back. What it returns
// is to be run without the lock.
func (c *change) commit(ctx context.Context) error {
	if len(c.drafts) == 0 {
		c.fam.mu.Unlock()
		return nil
	}
	if err := c.save(ctx); err != nil {
		c.abandon()
		return err
	}
	var jobs []job
	var failed []*record
	for _, d := range c.drafts {
		x := d.x
		x.at, x.task = d.at, d.task
		x.saved.Store(&d.rec)
		if !d.moved {
			continue
		}
		x.attempt.Store(d.rec.seq)
		c.w.arm(x, c.now)
		if d.ready {
			jobs = append(jobs, newJob(x))
		}
		if d.rec.failed() {
			failed = append(failed, &d.rec)
		}
	}
	c.fam.mu.Unlock()
	for _, m := range c.marks {
		c.w.OnTransition(m.machine, m.state)
	}
	for _, j := range jobs {
		c.w.dispatch(j)
	}
	for _, r := range failed {
		c.w.tell(r, firstRetry)
	}
	return nil
}

func (c *change) save(ctx context.Context) error {
	if c.w.ctx.Err() != nil {
		return fault.New(fault.Unavailable, "the workflow is closed")
	}
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Canceled, "before the step was saved: %w", err)
	}
	put := make(map[string][]byte, len(c.drafts))
	for _, d := range c.drafts {
		put[d.x.key] = d.rec.encode()
	}
	del := slices.DeleteFunc(c.fam.suspects, func(key string) bool { return put[key] != nil })
	// A caller that gives up now would leave it open whether the step was made.
	if err := c.w.Records.Save(context.WithoutCancel(ctx), put, del); err != nil {
		c.fam.suspects = del
		for _, d := range c.drafts {
			if d.fresh {
				c.fam.suspects = append(c.fam.suspects, d.x.key)
			}
		}
		if fault.KindOf(err) == fault.Internal {
			return fault.New(fault.Unavailable, "saving the step: %w", err)
		}
		return err
	}
	c.fam.suspects = nil
	return nil
}
