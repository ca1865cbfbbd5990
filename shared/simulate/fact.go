package simulate

import (
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// facts answers the engine's questions from the tracks of the world.
func (w *World) facts() engine.World {
	return engine.World{
		Track: func(id string) (*engine.Track, error) { return w.Track(id), nil },
		Kept: func(o core.OutputsRef) (map[string]any, error) {
			return nil, fault.New(fault.Internal, "nothing is kept outside of events here, but %s was asked for", o.Blob)
		},
	}
}

// Whole is the run with the iterations its loops have expanded to.
func (w *World) Whole() *engine.Run {
	r, _, err := w.facts().Whole(w.Run)
	if err != nil {
		w.fail(err)
		return w.Run
	}
	return r
}

// Node is how a node stands, nil when it has not begun: in its own track, or, of a
// branch that was not let in, in the track above. r is the run as Whole returns it.
func (w *World) Node(r *engine.Run, fqn string) *engine.Node {
	owner := r.Owner(fqn)
	t := w.Track(owner)
	root := r.TrackRoot(owner)
	if above := w.Tracks[core.ParentTrack(owner)]; root != nil && root.FQN == fqn && above != nil && !above.HasStarted(owner) {
		return above.Nodes[fqn]
	}
	if root != nil && root.FQN == fqn && root.Chain != nil && t.Nodes[fqn] != nil {
		return t.Nodes[fqn]
	}
	if root != nil && root.FQN == fqn && (t.Nodes[fqn] == nil || root.Kind == core.KindStage && t.ID != "0") {
		if at := t.Standing(); at.Status != core.NotStarted {
			return &engine.Node{Status: at.Status, Started: at.Started, Ended: at.Ended, Attempt: 1}
		}
		t = w.Track(core.ParentTrack(owner))
	}
	return t.Nodes[fqn]
}
