package delegate

import (
	"github.com/slipway-cd/slipway/delegate/journal"
	"github.com/slipway-cd/slipway/delegate/runner"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/wire"
)

// deliver sends what is left of the log and then the completion, until both are
// acknowledged or nobody wants them. It returns the next task.
func (d *Delegate) deliver(h *held, entry *journal.Entry, log *taskLog, o wire.Outcome) *wire.Task {
	last, ok := log.drain()
	if !ok {
		d.forget(h, entry, log)
		return nil
	}
	resp, err := d.complete(h, wire.CompleteRequest{
		Delegate: d.identity.ID, Task: h.task.TaskRef, Outcome: o, Log: last, More: d.more(),
	})
	if err != nil && (!final(err) || h.life.Err() != nil) {
		d.forget(h, entry, log)
		return nil
	}
	switch {
	case fault.Is(err, fault.Gone) || resp.Stale:
		d.log.Info("completion was stale, dropped", "task", h.task.ID, "fence", h.task.Fence)
	case err != nil:
		d.log.Error("completion refused, dropped", "task", h.task.ID, "error", err)
	}
	log.close()
	if entry != nil {
		if err := entry.Remove(); err != nil {
			d.log.Warn("task not removed", "task", h.task.ID, "error", err)
		}
	}
	return resp.Next
}

// complete sends a completion. One that the server calls wrong is replaced by a
// failure that says so, for the step must end.
func (d *Delegate) complete(h *held, req wire.CompleteRequest) (resp wire.CompleteResponse, err error) {
	send := func() error {
		return d.persist(h.life, "complete", func() (err error) {
			// Not h.life: a sync that was answered after this completion was recorded
			// calls the task canceled, and the answer may hold the next one.
			resp, err = d.cfg.Server.Complete(d.base, req)
			return err
		})
	}
	err = send()
	if fault.Is(err, fault.Invalid) || fault.Is(err, fault.TooLarge) {
		req.Outcome = runner.Fail(runner.Unknown, "the control plane refused the outcome of the step: %v", err)
		req.Log = wire.LogChunk{}
		err = send()
	}
	return resp, err
}
