package engine

import "github.com/slipway-cd/slipway/shared/core"

// startStage sends the pipeline's machine to run the stage at the cursor.
func (w *walk) startStage(n *core.Node) {
	w.child(n)
	w.outcome(core.Route{Kind: kindRunStage, Track: n.Track,
		Name: core.ExecutionName(w.run.Launch.Run, n.Track, 1)})
	w.t.Route.Segment = 1 // the child's first segment
}

// child records that a track below is started.
func (w *walk) child(n *core.Node) {
	w.t.Children[n.Track] = &Child{Status: core.Queued, Generation: 1}
	w.begin(n)
}

// startParallel starts every branch at once and makes the machine wait for all.
func (w *walk) startParallel(n *core.Node) {
	w.begin(n)
	for _, c := range n.Children {
		w.child(c)
		first := core.Route{Kind: kindWork, Segment: 1}
		w.do(core.Command{Do: core.DoStart, Machine: machine(c), Track: c.Track,
			Name: core.ExecutionName(w.run.Launch.Run, c.Track, 1), Route: &first})
	}
	kind := kindBranches
	if w.isPipeline() {
		kind = kindStages
	}
	w.hold(Hold{Kind: kind, Node: n.FQN, Stage: w.root.Timeout > 0}, w.remaining()*1000)
}

// childEnded takes note of a child's end and goes on when it was the last one
// waited for. All branches are awaited, failed ones too (BEHAVIOUR §7.7).
func (w *walk) childEnded(e core.Child) error {
	c := w.t.Children[e.Track]
	if c == nil || c.Status.Terminal() {
		return errIgnored
	}
	c.Status, c.Started, c.Ended, c.Failure = e.Status, e.Started, w.ev.At, e.Failure
	w.endNode(w.run.TrackRoot(e.Track), e.Status, e.Failure)
	if w.t.Failure == nil && e.Status.Failing() {
		w.t.Failure = e.Failure
	}
	if len(w.t.openChildren()) > 0 {
		return nil
	}
	if w.t.Stopping != "" {
		w.endStopped()
		return nil
	}
	n := w.current()
	status := e.Status
	if n.Kind == core.KindParallel {
		w.t.Hold = nil
		status = w.aggregate(n.Children)
		w.endNode(n, status, nil)
	}
	w.settleNode(status, w.t.Failure)
	if !w.t.Open() {
		return nil
	}
	if !w.isPipeline() {
		w.release() // a branch's parent goes on when its machine is back in Work
		return nil
	}
	return w.walk()
}

// rerunStage sends the pipeline's machine to the stage again after an execution
// of it failed: with a new name, at whatever segment the stage stands.
func (w *walk) rerunStage() error {
	n := w.current()
	if n == nil || n.Kind != core.KindStage || !w.t.Open() {
		return errIgnored
	}
	c := w.t.Children[n.Track]
	c.Generation++
	r := core.Route{Kind: kindRunStage, Track: n.Track, Name: core.ExecutionName(w.run.Launch.Run, n.Track, c.Generation)}
	w.t.Route = &r
	return nil
}
