package engine

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/steps"
)

// startLock asks for the lock that the step is about. The machine stays in Work until
// the answer is known: as a rule the lock is free.
func (w *walk) startLock(n *core.Node, step steps.Step, spec map[string]any) error {
	name, scope, err := steps.ReadLock(step.Type, spec)
	if err != nil {
		return err
	}
	if step.Type == steps.InfrastructureLock {
		kind, key := core.LockParts(name)
		if key, err = w.infraKey(n, key); err != nil {
			return err
		}
		name = core.LockName(kind, key)
	}
	ms := n.Timeout
	if ms == 0 {
		ms = step.DefaultTimeout.Milliseconds()
	}
	h := Hold{Kind: kindLock, Node: n.FQN, Asked: true, Claim: &core.Claim{
		ID: TaskID(w.run.Launch.Run, n.FQN, w.t.Nodes[n.FQN].Attempt, "lock"), Lock: name,
		Run: w.run.Launch.Run, Track: w.t.ID, Node: n.FQN, Stage: w.stageTrack(), Scope: scope,
	}}
	if left, ok := w.stageLeft(); ok && left < ms {
		ms, h.Stage = left, true
	}
	h.Until = w.ev.At + ms
	w.t.Hold = &h
	w.do(core.Command{Do: core.DoAcquire, Claim: h.Claim})
	return nil
}

// stageTrack is the track of the stage that this one is part of, "" of the pipeline's.
func (w *walk) stageTrack() string {
	for id := w.t.ID; id != ""; id = core.ParentTrack(id) {
		if n := w.run.TrackRoot(id); n != nil && n.Kind == core.KindStage {
			return id
		}
	}
	return ""
}

// Claim is the claim that the track has not been given a lock for yet, nil for none.
func (t *Track) Claim() *core.Claim {
	if t.Slot != nil {
		return t.Slot
	}
	for _, h := range []*Hold{t.Hold, t.Next} {
		if h != nil && h.Claim != nil {
			return h.Claim
		}
	}
	return nil
}

// lockAnswered takes what a claim was told. fault.Gone says that the claim is not
// wanted any more: whoever told it gives the lock to the next.
func (w *walk) lockAnswered(e core.LockAnswer) error {
	if slices.ContainsFunc(w.t.Held, func(c core.Claim) bool { return c.ID == e.Claim }) {
		return errIgnored
	}
	c := w.t.Claim()
	if c != nil && c.ID == e.Claim && w.t.Slot != nil {
		return w.slotAnswered(e)
	}
	if c == nil || c.ID != e.Claim || w.t.Hold == nil {
		return fault.New(fault.Gone, "claim %s is not wanted any more", e.Claim)
	}
	h := *w.t.Hold
	switch {
	case e.Refused != "":
		return w.lockOver(h, core.Failed, &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: e.Refused})
	case e.Held:
		w.t.Held = append(slices.Clip(w.t.Held), *c)
		return w.lockOver(h, core.Succeeded, nil)
	case !h.Asked:
		return errIgnored // it knows that it waits
	}
	h.Asked = false
	w.t.Nodes[h.Node].Status = core.ResourceWaiting
	w.t.Hold = nil
	w.pause(h, max(0, h.Until-w.ev.At))
	return nil
}

// lockOver ends the step that waited for a lock.
func (w *walk) lockOver(h Hold, status core.Status, f *core.Failure) error {
	if err := w.stepEnded(w.run.Node(h.Node), status, f); err != nil {
		return err
	}
	return w.resume(h)
}

// resume goes on after a hold: at once when the machine never left Work for it.
func (w *walk) resume(h Hold) error {
	switch {
	case !w.t.Open():
		return nil
	case h.Asked:
		return w.walk()
	}
	w.release()
	return nil
}

// letGo gives up what the event has put an end to: a claim that the track no longer
// makes, and when a stage or the run has ended, what it held.
func (w *walk) letGo(before *Track) {
	var over []core.Claim
	if w.t.Status.Terminal() {
		w.t.Slot = nil
	}
	if c := before.Claim(); c != nil && !w.claims(c.ID) {
		over = append(over, *c)
	}
	if w.t.Status.Terminal() && !before.Status.Terminal() {
		for _, c := range w.t.Held {
			if w.owns(c) {
				over = append(over, c)
			}
		}
	}
	if len(over) == 0 {
		return
	}
	at := len(w.cmds)
	if at > 0 && w.cmds[at-1].Do == core.DoSaveRun { // it stays last: see endRun
		at--
	}
	for _, c := range over {
		w.cmds = slices.Insert(w.cmds, at, core.Command{Do: core.DoRelease, Claim: &core.Claim{ID: c.ID, Lock: c.Lock, Run: c.Run, Track: c.Track}})
		at++
	}
}

// claims reports whether the track still makes the claim, or holds by it.
func (w *walk) claims(id string) bool {
	if c := w.t.Claim(); c != nil && c.ID == id {
		return true
	}
	return slices.ContainsFunc(w.t.Held, func(c core.Claim) bool { return c.ID == id })
}

// owns reports whether the lock is let go of when this track ends.
func (w *walk) owns(c core.Claim) bool {
	return w.isPipeline() || c.Scope == core.ScopeStage && c.Stage == w.t.ID
}

// outlasting are the locks that a track hands to the one above it when it ends.
func outlasting(t *Track) []core.Claim {
	var up []core.Claim
	for _, c := range t.Held {
		if c.Scope != core.ScopeStage || c.Stage != t.ID {
			up = append(up, c)
		}
	}
	return up
}
