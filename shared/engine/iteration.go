package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// iterationMark stands before the number of an iteration in a track's id: "0.2~3" is
// the fourth iteration of the node whose track is "0.2".
const iterationMark = "~"

// Loop is how a looped node that has started stands: its iterations are children of
// the track it is in.
type Loop struct {
	Iterations []core.Iteration `json:"iterations"`
	Limit      int              `json:"limit,omitempty"` // how many may run at once, 0 for all
	Queue      []int            `json:"queue,omitempty"` // those still to be started, in order
}

// overlay is what iterations add to a plan.
type overlay struct {
	base  *Run
	place map[*core.Node]*core.Place  // of each iteration
	loops map[*core.Node][]*core.Node // all iterations of an expanded node
	empty map[*core.Node]func()       // iterations without what is in them yet: how to fill them
}

// From returns the run as a track sees it: with the iterations around it and those of
// the loops it has expanded. The result is the caller's own.
func (r *Run) From(t *Track) *Run {
	if len(t.Within) == 0 && len(t.Loops) == 0 {
		return r
	}
	o := r.laid()
	for i := range t.Within {
		if n := o.Node(t.Within[i].Loop); n != nil {
			o.fill(o.add(n, &t.Within[i]))
		}
	}
	for fqn, l := range t.Loops {
		o.expand(o.Node(fqn), l)
	}
	return o
}

// with returns the run with the loops that one more of its tracks has expanded.
func (r *Run) with(t *Track) *Run {
	if len(t.Loops) == 0 {
		return r
	}
	if r.over == nil {
		r = r.laid()
	}
	if root := r.TrackRoot(t.ID); root != nil {
		r.Children(root) // which its loops are in
	}
	for fqn, l := range t.Loops {
		if n := r.Node(fqn); n != nil {
			r.expand(n, l)
		}
	}
	return r
}

// laid returns a run to which iterations can be added.
func (r *Run) laid() *Run {
	o := &Run{Launch: r.Launch, Account: r.Account, barriers: r.barriers, over: &overlay{base: r, place: map[*core.Node]*core.Place{},
		loops: map[*core.Node][]*core.Node{}, empty: map[*core.Node]func(){}}}
	o.clear()
	return o
}

// expand adds all iterations of a looped node.
func (r *Run) expand(n *core.Node, l *Loop) {
	for i := range l.Iterations {
		r.over.loops[n] = append(r.over.loops[n], r.add(n, &core.Place{Loop: n.FQN, Count: len(l.Iterations), Iteration: l.Iterations[i]}))
	}
}

// add lays an iteration of n over the plan: a copy with names and tracks of its own
// (BEHAVIOUR §10.6), without what is in it until fill.
func (r *Run) add(n *core.Node, p *core.Place) *core.Node {
	fqn := n.FQN + p.PostFix
	if c := r.byFQN[fqn]; c != nil {
		return c
	}
	c := *n
	c.Loop, c.Children, c.Rollback = nil, nil, nil
	c.FQN, c.Identifier, c.Name = fqn, n.Identifier+p.PostFix, n.Name+p.Name
	c.Track = n.Track + iterationMark + strconv.Itoa(p.Index)
	r.over.place[&c] = p
	r.index(&c, n, r.undone(n), "")
	r.over.empty[&c] = func() {
		c.Children, c.Rollback = renamed(n.Children, n, &c), renamed(n.Rollback, n, &c)
		r.index(&c, n, r.undone(n), "")
	}
	return &c
}

// fill gives an iteration what is in it.
func (r *Run) fill(n *core.Node) {
	if f := r.over.empty[n]; f != nil {
		delete(r.over.empty, n)
		f()
	}
}

// renamed copies what is in a looped node for its iteration.
func renamed(list []*core.Node, from, to *core.Node) []*core.Node {
	out := make([]*core.Node, len(list))
	for i, n := range list {
		c := *n
		c.FQN = to.FQN + strings.TrimPrefix(n.FQN, from.FQN)
		if n.Track != "" {
			c.Track = to.Track + strings.TrimPrefix(n.Track, from.Track)
		}
		c.Children, c.Rollback = renamed(n.Children, from, to), renamed(n.Rollback, from, to)
		out[i] = &c
	}
	return out
}

// Children are the nodes in n: the iterations of one whose loop is expanded.
func (r *Run) Children(n *core.Node) []*core.Node {
	if r.over == nil {
		return n.Children
	}
	if r.expanded(n) {
		return r.over.loops[n]
	}
	r.fill(n)
	return n.Children
}

func (r *Run) expanded(n *core.Node) bool { return r.over != nil && r.over.loops[n] != nil }

// iterationOf is which iteration a node is, nil for what is none.
func (r *Run) iterationOf(n *core.Node) *core.Place {
	if r.over == nil {
		return nil
	}
	return r.over.place[n]
}

// PlaceRef is the reference of the iterations a track is inside of (see placed).
func PlaceRef(track string) string { return "place:" + track }

// placed answers a PlaceRef from the track above the one asked about. It is the same
// from the track's start to its end.
func placed(r *Run, above *Track, track string) core.Fact {
	f := core.Fact{Found: true, Within: slices.Clone(above.Within)}
	r = r.From(above)
	n := r.TrackRoot(track)
	if n == nil {
		return core.Fact{}
	}
	if p := r.iterationOf(n); p != nil && n.Track == track && core.ParentTrack(track) == above.ID {
		f.Within = append(f.Within, *p)
	}
	return f
}

// iterated answers an IterationRef: which of the loop's iterations has the identifier.
func iterated(t *Track, loop, postFix string) core.Fact {
	if l := t.Loops[loop]; l != nil {
		for _, it := range l.Iterations {
			if it.PostFix == postFix {
				return core.Fact{Found: true, Within: []core.Place{{Loop: loop, Count: len(l.Iterations), Iteration: it}}}
			}
		}
	}
	return core.Fact{}
}

// IterationRef is the reference of one iteration of a loop expanded in another track.
func IterationRef(track, loop, postFix string) string {
	return "iteration:" + track + ":" + loop + "#" + postFix
}

// NodeRef is the reference of how a node of the plan stands, in Need and facts.
func NodeRef(fqn string) string { return "node:" + fqn }

// nodeRef is NodeRef, or the same of a node in an iteration, with its track.
func (r *Run) nodeRef(n *core.Node) string {
	track := r.Owner(n.FQN)
	if !strings.Contains(track, iterationMark) {
		return NodeRef(n.FQN)
	}
	return "in:" + track + ":" + n.FQN
}
