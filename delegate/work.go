package delegate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/slipway-cd/slipway/delegate/journal"
	"github.com/slipway-cd/slipway/delegate/process"
	"github.com/slipway-cd/slipway/delegate/redact"
	"github.com/slipway-cd/slipway/delegate/runner"
	"github.com/slipway-cd/slipway/shared/wire"
)

// work runs a task, and then the tasks of its track that come back with each
// completion, without a poll between them.
func (d *Delegate) work(h *held) {
	for h != nil {
		if h.after != nil {
			<-h.after.done
			h.after = nil
		}
		var next *wire.Task
		if h.entry != nil {
			next = d.resume(h)
		} else {
			next = d.begin(h)
		}
		h = d.release(h, next)
	}
}

// begin runs a new task to its acknowledged completion and returns the next.
func (d *Delegate) begin(h *held) *wire.Task {
	if h.life.Err() != nil {
		return nil
	}
	began := d.cfg.Clock.Now()
	r, ok := d.runners[h.task.Type]
	if !ok {
		return d.deliver(h, nil, d.newLog(h, nil), runner.Fail(runner.Configuration, "not supported yet: this delegate cannot run steps of type %s", h.task.Type))
	}
	var entry *journal.Entry
	if runner.HasEffects(r) {
		var err error
		if entry, err = d.journal.Begin(h.task.TaskRef); err != nil {
			return d.deliver(h, nil, d.newLog(h, nil), runner.Fail(runner.Unknown, "the delegate could not record the task: %v", err))
		}
	}
	log := d.newLog(h, entry)
	outcome := d.execute(h, r, entry, log)
	outcome.DurationMS = d.cfg.Clock.Now().Sub(began).Milliseconds()
	if h.life.Err() != nil {
		d.forget(h, entry, log)
		return nil
	}
	log.finish()
	if entry != nil {
		if err := errors.Join(entry.SetOutcome(outcome), entry.Ended()); err != nil {
			d.log.Error("the outcome is not on disk", "task", h.task.ID, "error", err)
		}
	}
	return d.deliver(h, entry, log, outcome)
}

// execute runs the runner and makes its outcome fit to be sent.
func (d *Delegate) execute(h *held, r runner.Runner, entry *journal.Entry, log *taskLog) wire.Outcome {
	mask := redact.New(slices.Collect(maps.Values(h.task.Secrets))...)
	out, errOut := newLines(log, "INFO"), newLines(log, "ERROR")
	stdout, stderr := mask.Writer(out), mask.Writer(errOut)
	job := &runner.Job{
		Task: h.task, Stdout: stdout, Stderr: stderr, Clock: d.cfg.Clock, Grace: d.cfg.Grace,
		Recorded: func(process.Identity) error { return nil },
	}
	if entry != nil {
		job.Dir, job.Recorded = entry.WorkDir(), entry.SetProcess
	}
	outcome := guard(h.run, r, job)
	for _, w := range []io.Closer{stdout, out, stderr, errOut} {
		_ = w.Close() // they write to the log, which never fails
	}
	switch cause := context.Cause(h.run); {
	case errors.Is(cause, errTimeout):
		limit := time.Duration(h.task.TimeoutMS) * time.Millisecond
		outcome = stopped(outcome, runner.Timeout, fmt.Sprintf("the step did not end within %v and was stopped", limit))
	case errors.Is(cause, errStopped):
		outcome = stopped(outcome, runner.Restart, fmt.Sprintf("delegate %s was stopped while the step ran; the step's processes were ended", d.cfg.Name))
	}
	if len(outcome.Secret) > 0 {
		mask = redact.New(slices.AppendSeq(slices.Collect(maps.Values(h.task.Secrets)), maps.Values(outcome.Secret))...)
	}
	return fit(outcome, mask)
}

// stopped is the outcome of a step that was not left to end by itself.
func stopped(o wire.Outcome, failureType, message string) wire.Outcome {
	o.OK, o.Failure = false, &wire.Failure{Types: []string{failureType}, Message: message}
	return o
}

// guard keeps a runner that panics from taking the other tasks with it.
func guard(ctx context.Context, r runner.Runner, job *runner.Job) (o wire.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = runner.Fail(runner.Unknown, "the runner of %s steps broke: %v", r.Type(), p)
		}
	}()
	return r.Run(ctx, job)
}

// fit masks an outcome and keeps it within the size the server takes.
func fit(o wire.Outcome, mask *redact.Matcher) wire.Outcome {
	if o.Failure != nil {
		o.Failure = &wire.Failure{Types: o.Failure.Types, Message: mask.String(o.Failure.Message)}
	}
	if len(o.Outputs) == 0 {
		return o
	}
	o.Outputs, _ = mask.Value(o.Outputs).(map[string]any)
	if b, err := json.Marshal(o.Outputs); err != nil || len(b) > wire.MaxOutputBytes {
		o = stopped(o, runner.Unknown, fmt.Sprintf("the step's outputs are larger than %d KB", wire.MaxOutputBytes>>10))
		o.Outputs, o.Secret = nil, nil
	}
	return o
}

// forget drops a task that is no longer ours.
func (d *Delegate) forget(h *held, entry *journal.Entry, log *taskLog) {
	log.close()
	if cause := context.Cause(h.life); errors.Is(cause, context.Canceled) {
		return // the process ends: what is on disk is for the next one
	} else if cause != nil {
		d.log.Info("task dropped", "task", h.task.ID, "fence", h.task.Fence, "cause", cause)
	}
	if entry != nil {
		if err := entry.Remove(); err != nil {
			d.log.Warn("task not removed", "task", h.task.ID, "error", err)
		}
	}
}
