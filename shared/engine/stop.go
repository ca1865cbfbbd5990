package engine

import "github.com/slipway-cd/slipway/shared/core"

// stop ends everything open in the track at once: the task is taken from its
// delegate, a hold is over, children are told the same and awaited.
func (w *walk) stop(e core.Stop) error {
	if w.t.Round.N < e.Round.N {
		if err := w.renewTrack(e.Round); err != nil { // stopped before its machine arrived
			return err
		}
	}
	if w.t.Status == core.NotStarted {
		w.t.Round = e.Round
	}
	if w.t.Status.Terminal() || w.t.Stopping != "" || w.t.Round != e.Round {
		return errIgnored
	}
	if w.t.Status == core.NotStarted {
		w.beginTrack()
	}
	w.t.Stopping = e.Status
	f := stopFailure(e)
	if w.t.Failure == nil {
		w.t.Failure = f
	}
	w.stopStep(e.Status, f)
	open := w.t.openChildren()
	for _, track := range open {
		w.do(core.Command{Do: core.DoDeliver, Track: track, Event: &core.Event{
			V: core.EventVersion, Type: core.EventStop, Source: "stop:" + w.t.ID, Actor: w.ev.Actor, Stop: &core.Stop{Status: e.Status, Reason: e.Reason, Round: w.t.Children[track].Round},
		}})
	}
	c := w.t.chained()
	if c != nil {
		w.stopChain(c, e)
	}
	if len(open) == 0 && c == nil {
		w.endStopped()
	}
	return nil
}

// stopStep ends the step the track is at, when it is at one.
func (w *walk) stopStep(status core.Status, f *core.Failure) {
	if t := w.t.Task; t != nil {
		if t.Delegate == nil {
			q := t.QueuedTask
			w.do(core.Command{Do: core.DoUnqueue, Task: &q})
		}
		w.endNode(w.run.Node(t.Node), status, f)
		w.t.Task = nil
	}
	if h := w.t.Hold; h != nil && h.ofStep() && h.Kind != kindChild {
		w.endApproval(h.Node, string(status))
		w.endNode(w.run.Node(h.Node), status, f)
		w.t.Hold = nil
	}
}

// endStopped ends the nodes around the cursor and the track.
func (w *walk) endStopped() {
	w.t.Hold, w.t.Next = nil, nil
	w.t.Wanted, w.t.Because, w.t.Again = "", nil, nil // nothing more runs
	for _, n := range w.t.Nodes {
		if !n.Status.Terminal() && n.Status != core.NotStarted {
			n.Status, n.Ended, n.Asked = w.t.Stopping, w.ev.At, nil
		}
	}
	w.endTrack(w.t.Stopping)
}

func stopFailure(e core.Stop) *core.Failure {
	if e.Status == core.Expired {
		return &core.Failure{Types: []string{"TIMEOUT_FAILURE"}, Message: e.Reason}
	}
	return &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: e.Reason}
}
