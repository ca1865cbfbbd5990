package workflow

import (
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/shared/core"
)

// arm sets the timers of where x stands; its lock is held. The heartbeat counts
// from now, also after a restart: the time down is not the task's fault.
func (w *Workflow) arm(x *execution, now time.Time) {
	x.stopTimers()
	r := x.saved.Load()
	if !r.running() {
		if x.end != nil {
			x.end()
		}
		w.running.remove(x.key)
		return
	}
	if limit := x.machine.Timeout(); limit > 0 && x.end == nil {
		at := time.UnixMilli(r.started).Add(limit)
		x.end = w.Clock.AfterFunc(at.Sub(now), func() { w.expire(x, firstRetry) })
	}
	after := func(at int64, f func()) {
		x.stops = append(x.stops, w.Clock.AfterFunc(time.UnixMilli(at).Sub(now), f))
	}
	if r.due > now.UnixMilli() {
		after(r.due, func() { w.launch(x, r.seq) })
	}
	if r.deadline > 0 {
		after(r.deadline, func() { w.timeOut(x, r.seq, asl.ErrTimeout) })
	}
	if r.beat > 0 {
		x.beaten.Store(max(r.due, now.UnixMilli()))
		x.pulse = w.Clock.AfterFunc(time.UnixMilli(x.beaten.Load()+r.beat).Sub(now), func() { w.listen(x, r.seq) })
	}
}

// happen applies something that was not asked for through the port to the attempt
// it belongs to. What cannot be saved is tried again until it can.
func (w *Workflow) happen(x *execution, seq uint64, fn func(*change, *draft)) {
	w.try(x, firstRetry, func(c *change) {
		if r := x.saved.Load(); r.running() && r.seq == seq {
			fn(c, c.edit(x))
		}
	})
}

func (w *Workflow) try(x *execution, wait time.Duration, fn func(*change)) {
	c := w.begin(x.fam)
	fn(c)
	err := c.commit(w.ctx)
	if err == nil || w.ctx.Err() != nil {
		return
	}
	w.Log.Error("a step could not be saved and will be tried again", "execution", x.key, "error", err, "in", wait)
	w.Clock.AfterFunc(wait, func() { w.try(x, min(2*wait, lastRetry), fn) })
}

// launch begins an attempt whose delay is over, or again after a restart.
func (w *Workflow) launch(x *execution, seq uint64) {
	x.fam.mu.Lock()
	r, j := x.saved.Load(), job{}
	current := r.running() && r.seq == seq
	if current {
		j = newJob(x)
	}
	x.fam.mu.Unlock()
	switch {
	case !current || r.child != "":
	case j.task.Kind == asl.StartSync:
		w.happen(x, seq, func(c *change, d *draft) { c.startChild(d) })
	default:
		w.dispatch(j)
	}
}

func (w *Workflow) timeOut(x *execution, seq uint64, name string) {
	w.happen(x, seq, func(c *change, d *draft) { c.fail(d, &asl.Failure{Error: name}) })
}

// listen looks whether the heartbeat was heard; beats only note their time.
func (w *Workflow) listen(x *execution, seq uint64) {
	if !w.heard(x, seq) {
		w.timeOut(x, seq, asl.ErrHeartbeatTimeout)
	}
}

// heard reports whether the attempt lives, and then sets the next look.
func (w *Workflow) heard(x *execution, seq uint64) bool {
	x.fam.mu.Lock()
	defer x.fam.mu.Unlock()
	r := x.saved.Load()
	if !r.running() || r.seq != seq {
		return true // over: nothing to time out
	}
	left := time.Duration(x.beaten.Load()+r.beat-w.Clock.Now().UnixMilli()) * time.Millisecond
	if left <= 0 {
		return false
	}
	x.pulse = w.Clock.AfterFunc(left, func() { w.listen(x, seq) })
	return true
}

// expire ends an execution past its machine's TimeoutSeconds.
func (w *Workflow) expire(x *execution, wait time.Duration) {
	w.try(x, wait, func(c *change) {
		if !x.saved.Load().running() {
			return
		}
		d := c.edit(x)
		c.leave(d, "the execution that waits for it timed out")
		c.end(d, core.ExecutionTimedOut, asl.Data{}, &asl.Failure{Error: asl.ErrTimeout, Cause: "TimeoutSeconds of the state machine passed"})
	})
}
