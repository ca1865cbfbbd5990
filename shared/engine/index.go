package engine

import (
	"iter"

	"github.com/slipway-cd/slipway/shared/core"
)

// Run is what of a run never changes, indexed for the engine.
type Run struct {
	core.Launch
	Account string
	byTrack map[string]*core.Node
	byFQN   map[string]*core.Node
	parent  map[*core.Node]*core.Node
	owner   map[string]string         // FQN → track that walks the node
	undo    map[*core.Node]*core.Node // a rollback step or what is in it → the stage or group it rolls back
}

// NewRun indexes a launch.
func NewRun(l core.Launch) *Run {
	r := &Run{Launch: l, Account: l.Plan.Scope.Account,
		byTrack: map[string]*core.Node{}, byFQN: map[string]*core.Node{},
		parent: map[*core.Node]*core.Node{}, owner: map[string]string{}, undo: map[*core.Node]*core.Node{}}
	r.index(l.Plan.Root, nil, nil, "")
	return r
}

func (r *Run) index(n, parent, undo *core.Node, track string) {
	if n.Track != "" {
		track = n.Track
		r.byTrack[track] = n
	}
	r.byFQN[n.FQN], r.parent[n], r.owner[n.FQN] = n, parent, track
	if undo != nil {
		r.undo[n] = undo
	}
	for _, c := range n.Children {
		r.index(c, n, undo, track)
	}
	for _, c := range n.Rollback {
		r.index(c, n, n, track)
	}
}

// Node returns the plan's node of that FQN, nil when there is none.
func (r *Run) Node(fqn string) *core.Node { return r.byFQN[fqn] }

// TrackRoot returns the node a track walks, nil when there is no such track.
func (r *Run) TrackRoot(track string) *core.Node { return r.byTrack[track] }

// Owner returns the track that walks a node; of a stage or branch, its own.
func (r *Run) Owner(fqn string) string { return r.owner[fqn] }

// Parent returns the node above n, nil for the pipeline.
func (r *Run) Parent(n *core.Node) *core.Node { return r.parent[n] }

// Tracks calls f for every track of the plan, in plan order.
func (r *Run) Tracks(f func(track string, n *core.Node)) {
	r.Plan.Root.Walk(func(n *core.Node) {
		if n.Track != "" {
			f(n.Track, n)
		}
	})
}

// TrackIDs are the ids of the plan's tracks, in plan order.
func (r *Run) TrackIDs() iter.Seq[string] {
	return func(yield func(string) bool) {
		more := true
		r.Tracks(func(track string, _ *core.Node) { more = more && yield(track) })
	}
}

// Serial reports whether the track's machine is run by its parent's machine,
// which takes its next route from the child's output: a stage outside a parallel.
func (r *Run) Serial(track string) bool {
	n := r.byTrack[track]
	return n != nil && n.Kind == core.KindStage && r.parent[n].Kind == core.KindPipeline
}

// nodes returns what the track walks through: a stage's or the pipeline's
// children, or the branch itself.
func nodes(root *core.Node) []*core.Node {
	if root.Kind == core.KindPipeline || root.Kind == core.KindStage {
		return root.Children
	}
	return []*core.Node{root}
}

// enclosing returns the nearest node of the kind at or above n, nil for none.
func (r *Run) enclosing(n *core.Node, kind core.NodeKind) *core.Node {
	for ; n != nil; n = r.parent[n] {
		if n.Kind == kind {
			return n
		}
	}
	return nil
}

// machine returns which state machine walks the node.
func machine(n *core.Node) string {
	switch n.Kind {
	case core.KindPipeline:
		return core.MachinePipeline
	case core.KindStage:
		return core.MachineStage
	default:
		return core.MachineBranch
	}
}
