package workflow

import (
	"slices"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/shared/core"
)

// env is what the interpreter may know of an execution.
func (c *change) env(d *draft) *asl.Env {
	return &asl.Env{
		ExecutionID: executionARN(d.rec.machine, d.rec.name), ExecutionName: d.rec.name,
		MachineID: machineARN(d.rec.machine), MachineName: d.rec.machine,
		Input: d.x.input, Started: time.UnixMilli(d.rec.started), Now: c.now,
		Token:  func() string { return newToken(d.x.key, c.w.IDs.Token()) },
		Jitter: c.w.Jitter,
		Budget: (core.MaxHistoryEvents - d.rec.events) / 2,
	}
}

// complete gives an execution's task its result.
func (c *change) complete(d *draft, result asl.Data) {
	c.step(d, d.x.machine.Complete(c.env(d), d.at, result))
}

// fail makes an execution's task fail.
func (c *change) fail(d *draft, f *asl.Failure) {
	c.step(d, d.x.machine.Fail(c.env(d), d.at, f))
}

// step moves an execution to where the interpreter says.
func (c *change) step(d *draft, st asl.Step) {
	c.leave(d, "the execution that waits for it moved on")
	c.count(d, st)
	switch {
	case st.End == nil && d.rec.events >= core.MaxHistoryEvents:
		c.end(d, core.ExecutionFailed, asl.Data{}, &asl.Failure{Error: asl.ErrRuntime, Cause: "the execution reached the maximum number of history events"})
	case st.End == nil:
		c.stand(d, st)
	case st.End.Failure != nil:
		c.end(d, core.ExecutionFailed, asl.Data{}, st.End.Failure)
	default:
		c.end(d, core.ExecutionSucceeded, st.End.Output, nil)
	}
}

// leave takes an execution out of its attempt: the child it waits for, if any, is
// aborted, and the token is gone.
func (c *change) leave(d *draft, cause string) {
	if child := d.rec.child; child != "" {
		d.rec.child = ""
		if x := c.w.running.get(child); x != nil && x.fam == c.fam {
			c.abort(c.edit(x), cause)
		}
	}
	d.rec.state, d.rec.token, d.rec.given, d.rec.retries = "", "", nil, nil
	d.rec.due, d.rec.deadline, d.rec.beat = 0, 0, 0
	d.at, d.task = asl.At{}, nil
	d.moved, d.ready = true, false
	d.rec.seq++
}

func (c *change) abort(d *draft, cause string) {
	c.leave(d, cause)
	d.rec.parent = "" // nobody waits any more
	c.end(d, core.ExecutionAborted, asl.Data{}, &asl.Failure{Cause: cause})
}

// historyEvents is how many events Step Functions writes for a state that goes
// well; a retry is one failure and a second attempt.
var historyEvents = map[asl.Kind]int{asl.Invoke: 5, asl.InvokeWait: 6, asl.StartSync: 6, asl.Choice: 2, asl.Succeed: 2, asl.Fail: 1}

const retryEvents = 4

func (c *change) count(d *draft, st asl.Step) {
	if st.Retried {
		d.rec.transitions++
		d.rec.events += retryEvents
		c.marks = append(c.marks, mark{d.rec.machine, st.At.State})
	}
	history := slices.Clip(d.rec.history)
	for _, name := range st.Entered {
		kind, _ := d.x.machine.Kind(name)
		d.rec.transitions++
		d.rec.events += historyEvents[kind]
		history = append(history, uint16(d.x.machine.Index(name)))
		c.marks = append(c.marks, mark{d.rec.machine, name})
	}
	d.rec.history = history[max(0, len(history)-maxHistory):]
}

// stand puts an execution at an attempt, which begins now or after a delay.
func (c *change) stand(d *draft, st asl.Step) {
	due := c.now.Add(st.Delay)
	r := &d.rec
	r.state, r.given, r.retries, r.token = st.At.State, st.At.Input.JSON(), st.At.Retries, st.At.Token
	r.entered, r.due, r.beat = st.At.Entered.UnixMilli(), due.UnixMilli(), st.Task.Heartbeat.Milliseconds()
	if st.Task.Timeout > 0 {
		r.deadline = due.Add(st.Task.Timeout).UnixMilli()
	}
	d.at, d.task = st.At, st.Task
	if st.Delay < time.Millisecond {
		c.launch(d)
	}
}

// launch begins an attempt.
func (c *change) launch(d *draft) {
	if d.task.Kind == asl.StartSync {
		c.startChild(d)
		return
	}
	d.ready = true
}

// end ends an execution and tells the one that waits for it.
func (c *change) end(d *draft, status core.ExecutionStatus, output asl.Data, f *asl.Failure) {
	r := &d.rec
	r.status, r.stopped = status, c.now.UnixMilli()
	r.events++
	if status == core.ExecutionSucceeded {
		r.output = output.JSON()
	}
	if f != nil {
		r.failure, r.cause = f.Error, f.Cause
	}
	if r.parent == "" {
		return
	}
	x := c.w.running.get(r.parent)
	if x == nil || x.fam != c.fam {
		return
	}
	p := c.edit(x)
	if p.rec.child != d.x.key {
		return
	}
	p.rec.child = ""
	c.childEnded(p, d, output)
}
