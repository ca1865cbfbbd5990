package simulate

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// fact answers a reference of the engine's, as shared/journal does from the store.
func (w *World) fact(ref string) (core.Fact, error) {
	kind, name, _ := strings.Cut(ref, ":")
	switch kind {
	case "past":
		return engine.Past(w.Run, w.Track(core.ParentTrack(name)), name), nil
	case "node":
		return w.nodeFact(name), nil
	case "export":
		scope, key, _ := strings.Cut(name, "#")
		return w.exported(scope, key), nil
	}
	return core.Fact{}, fault.New(fault.Internal, "the engine asked for %q, which nobody knows", ref)
}

func (w *World) nodeFact(fqn string) core.Fact {
	n := w.Node(fqn)
	if n == nil {
		return core.Fact{}
	}
	return core.Fact{Found: true, Status: n.Status, Started: n.Started, Ended: n.Ended, Attempt: n.Attempt, Outputs: n.Outputs}
}

// Node is how a node stands, nil when it has not begun: in its own track, or, of a
// branch that was not let in, in the track above.
func (w *World) Node(fqn string) *engine.Node {
	owner := w.Run.Owner(fqn)
	t := w.Track(owner)
	if root := w.Run.TrackRoot(owner); root != nil && root.FQN == fqn && t.Nodes[fqn] == nil {
		if t.Status != core.NotStarted {
			return &engine.Node{Status: t.Status, Started: t.Started, Ended: t.Ended, Attempt: 1}
		}
		t = w.Track(core.ParentTrack(owner))
	}
	return t.Nodes[fqn]
}

// exported looks for output variables published under an alias in a scope.
func (w *World) exported(scope, key string) core.Fact {
	var fact core.Fact
	w.Run.Tracks(func(track string, n *core.Node) {
		t := w.Tracks[track]
		if fact.Found || t == nil || w.Run.Owner(scope) != track && !strings.HasPrefix(n.FQN+".", scope+".") {
			return
		}
		if x := t.Exports[scope+"#"+key]; x != nil {
			fact = core.Fact{Found: true, Outputs: engine.OutputVariables(t.Nodes[x.Node].Outputs)}
		}
	})
	return fact
}
