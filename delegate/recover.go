package delegate

import (
	"errors"
	"sync"

	"github.com/slipway-cd/slipway/delegate/journal"
	"github.com/slipway-cd/slipway/delegate/process"
	"github.com/slipway-cd/slipway/delegate/runner"
	"github.com/slipway-cd/slipway/shared/wire"
)

// recover takes over what an earlier process left behind. When it returns none of
// its step processes is left, so that the first sync tells the truth.
func (d *Delegate) recover() error {
	entries, err := d.journal.Entries()
	if err != nil {
		return err
	}
	var ended sync.WaitGroup
	for _, e := range entries {
		ended.Go(func() { d.endOrphan(e) })
	}
	ended.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range entries {
		if d.seen.has(e.Task) {
			_ = e.Remove() // of two dispatches of a task the later one counts
			continue
		}
		if old := d.held[e.Task.ID]; old != nil {
			_ = old.entry.Remove()
			old.drop(errReplaced)
		}
		d.hold(wire.Task{TaskRef: e.Task}).entry = e
	}
	for _, h := range d.held {
		d.workers.Go(func() { d.work(h) })
	}
	return nil
}

// endOrphan ends the processes of a task that was begun and records how it ended,
// unless that is recorded already.
func (d *Delegate) endOrphan(e *journal.Entry) {
	if _, ok, _ := e.Outcome(); ok {
		return
	}
	what := "it had no processes left"
	if id, ok := e.Process(); ok && process.End(id, d.cfg.Clock, d.cfg.Grace) {
		what = "its processes were ended"
	}
	d.log.Warn("a task did not survive a restart", "task", e.Task.ID, "fence", e.Task.Fence, "processes", what)
	outcome := runner.Fail(runner.Restart, "delegate %s was restarted while the step ran; %s", d.cfg.Name, what)
	if err := errors.Join(e.SetOutcome(outcome), e.Ended()); err != nil {
		d.log.Error("the outcome is not on disk", "task", e.Task.ID, "error", err)
	}
}

// resume delivers the recorded outcome of an earlier process's task.
func (d *Delegate) resume(h *held) *wire.Task {
	outcome, ok, err := h.entry.Outcome()
	if !ok {
		outcome = runner.Fail(runner.Restart, "delegate %s was restarted while the step ran", d.cfg.Name)
	}
	if err != nil {
		outcome = runner.Fail(runner.Restart, "the step had ended, but delegate %s was restarted before it could report it: %v", d.cfg.Name, err)
	}
	log := d.newLog(h, h.entry)
	logged, err := h.entry.ReadLog()
	if err != nil {
		d.log.Error("a part of the log is lost", "task", h.task.ID, "error", err)
	}
	log.load(logged)
	log.finish()
	return d.deliver(h, h.entry, log, outcome)
}
