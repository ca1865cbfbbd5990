package engine

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
)

// lineUp has a run wait until fewer than its limit go on (BEHAVIOUR §11.4). No machine
// is started and no time limit counts until it is its turn.
func (w *walk) lineUp() {
	w.t.Status = core.QueuedConcurrency
	w.t.Slot = &core.Claim{ID: TaskID(w.run.Launch.Run, w.root.FQN, 1, "slot"), Lock: core.LockName(core.LockRuns, ""),
		Run: w.run.Launch.Run, Track: w.t.ID, Scope: core.ScopePipeline, Limit: w.run.Limit}
	w.do(core.Command{Do: core.DoSaveRun, Status: w.t.Status})
	w.do(core.Command{Do: core.DoAcquire, Claim: w.t.Slot})
}

// slotAnswered begins the run when it is its turn.
func (w *walk) slotAnswered(e core.LockAnswer) error {
	switch {
	case e.Refused != "":
		return w.stop(core.Stop{Status: core.Errored, Reason: e.Refused})
	case !e.Held:
		return errIgnored
	}
	w.t.Held = append(slices.Clip(w.t.Held), *w.t.Slot)
	w.t.Slot = nil
	return w.goAhead()
}

// begun reports whether it has been the run's turn.
func (w *walk) begun() bool { return !w.isPipeline() || w.run.Limit == 0 || len(w.t.Held) > 0 }
