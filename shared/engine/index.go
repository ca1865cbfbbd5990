package engine

import (
	"iter"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// Run is what of a run never changes, indexed for the engine; or that with the
// iterations of loops laid over it (see From).
type Run struct {
	core.Launch
	Account  string
	byTrack  map[string]*core.Node
	byFQN    map[string]*core.Node
	parent   map[*core.Node]*core.Node
	owner    map[string]string         // FQN → track that walks the node
	undo     map[*core.Node]*core.Node // a rollback step or what is in it → the stage or group it rolls back
	over     *overlay                  // nil for the plan alone
	barriers map[string][]*core.Node   // Barrier steps, by barrier
}

// NewRun indexes a launch.
func NewRun(l core.Launch) *Run {
	r := &Run{Launch: l, Account: l.Plan.Scope.Account}
	r.clear()
	r.barriers = meetings(l.Plan.Root)
	r.index(l.Plan.Root, nil, nil, "")
	return r
}

func (r *Run) clear() {
	r.byTrack, r.byFQN = map[string]*core.Node{}, map[string]*core.Node{}
	r.parent, r.undo = map[*core.Node]*core.Node{}, map[*core.Node]*core.Node{}
	r.owner = map[string]string{}
}

// index enters a node and what is below it. A looped node belongs to the track it
// stands in: only its iterations are walked on tracks of their own.
func (r *Run) index(n, parent, undo *core.Node, track string) {
	owner := track
	if n.Track != "" {
		track = n.Track
		r.byTrack[track] = n
	}
	if n.Loop == nil {
		owner = track
	}
	r.byFQN[n.FQN], r.parent[n], r.owner[n.FQN] = n, parent, owner
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
func (r *Run) Node(fqn string) *core.Node {
	if n := r.byFQN[fqn]; n != nil || r.over == nil {
		return n
	}
	return r.over.base.Node(fqn)
}

// TrackRoot returns the node a track walks, nil when there is no such track.
func (r *Run) TrackRoot(track string) *core.Node {
	if n := r.byTrack[track]; n != nil || r.over == nil {
		return n
	}
	return r.over.base.TrackRoot(track)
}

// Owner returns the track that walks a node; of a stage or branch, its own.
func (r *Run) Owner(fqn string) string {
	if t, ok := r.owner[fqn]; ok || r.over == nil {
		return t
	}
	return r.over.base.Owner(fqn)
}

// Parent returns the node above n, nil for the pipeline. That of an iteration is the
// looped node.
func (r *Run) Parent(n *core.Node) *core.Node {
	if p, ok := r.parent[n]; ok || r.over == nil {
		return p
	}
	return r.over.base.Parent(n)
}

// undone returns the stage or group that the node belongs to the rollback of, or nil.
func (r *Run) undone(n *core.Node) *core.Node {
	if u, ok := r.undo[n]; ok || r.over == nil {
		return u
	}
	return r.over.base.undone(n)
}

// Walk calls f for every node in plan order, parents first. A loop that is not
// expanded is walked as it is written, one that is through its iterations.
func (r *Run) Walk(f func(*core.Node)) { r.walk(r.Plan.Root, f) }

func (r *Run) walk(n *core.Node, f func(*core.Node)) {
	f(n)
	for _, c := range r.Children(n) {
		r.walk(c, f)
	}
	if n.Loop == nil || !r.expanded(n) {
		for _, c := range n.Rollback {
			r.walk(c, f)
		}
	}
}

// Tracks calls f for every track, in plan order: of loops that are not expanded, none.
func (r *Run) Tracks(f func(track string, n *core.Node)) {
	r.Walk(func(n *core.Node) {
		if n.Track != "" && n.Loop == nil && !r.insideLoop(n) {
			f(n.Track, n)
		}
	})
}

// insideLoop reports whether the node is in a loop that is not expanded.
func (r *Run) insideLoop(n *core.Node) bool {
	for p := r.Parent(n); p != nil; n, p = p, r.Parent(p) {
		if p.Loop != nil && r.iterationOf(n) == nil {
			return true
		}
	}
	return false
}

// TrackIDs are the ids that Tracks goes through.
func (r *Run) TrackIDs() iter.Seq[string] {
	return func(yield func(string) bool) {
		more := true
		r.Tracks(func(track string, _ *core.Node) { more = more && yield(track) })
	}
}

// Serial reports whether the track's machine is run by its parent's machine,
// which takes its next route from the child's output: a stage outside a parallel.
func (r *Run) Serial(track string) bool {
	n := r.TrackRoot(track)
	return n != nil && n.Kind == core.KindStage && r.Parent(n).Kind == core.KindPipeline && !strings.Contains(track, iterationMark)
}

// nodes returns what the track walks through: a stage's or the pipeline's
// children, or the branch itself. A stage that runs another pipeline is walked as a
// step would be.
func nodes(root *core.Node) []*core.Node {
	if root.Kind == core.KindPipeline || root.Kind == core.KindStage && root.Chain == nil {
		return root.Children
	}
	return []*core.Node{root}
}

// enclosing returns the nearest node of the kind at or above n, nil for none. An
// iteration stands for its looped node.
func (r *Run) enclosing(n *core.Node, kind core.NodeKind) *core.Node {
	for ; n != nil; n = r.above(n) {
		if n.Kind == kind {
			return n
		}
	}
	return nil
}

// above is the node around n as the author sees it: looped nodes are passed over.
func (r *Run) above(n *core.Node) *core.Node {
	p := r.Parent(n)
	if p != nil && r.iterationOf(n) != nil {
		return r.Parent(p)
	}
	return p
}

// hasRollback reports whether any stage of the plan has rollback steps.
func (r *Run) hasRollback() (has bool) {
	r.Plan.Root.Walk(func(n *core.Node) { has = has || n.Kind == core.KindStage && len(n.Rollback) > 0 })
	return has
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
