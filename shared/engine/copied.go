package engine

import "github.com/slipway-cd/slipway/shared/core"

// copied enters a stage as another run has executed it, when this run takes that up
// behind it (BEHAVIOUR §14.5). Whether it runs is not asked again.
func (w *walk) copied(n *core.Node) bool {
	if !w.isPipeline() || n.Kind != core.KindStage {
		return false
	}
	c, ok := w.run.Launch.Retry.From(n.Track)
	if ok {
		w.t.Nodes[n.FQN] = &Node{Status: c.Status, Started: c.Started, Ended: c.Ended, Attempt: 1}
	}
	return ok
}
