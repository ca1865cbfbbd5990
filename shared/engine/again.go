package engine

import (
	"cmp"
	"maps"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
)

// retryGroup has the group around a failed step run once more: the group in whose list
// the strategy is, else the nearest one. When there are no tries left the strategies
// further out decide, as if this one did not match.
func (w *walk) retryGroup(b broken, r rule) error {
	g := w.run.enclosing(b.n, core.KindGroup)
	if r.at != nil && r.at.Kind == core.KindGroup {
		g = r.at
	}
	if g == nil || w.run.undone(g) != w.run.undone(b.n) { // none, or the one that is being rolled back
		w.markFailed(b)
		return nil
	}
	tried, err := w.groupTries(g, r.key)
	if err != nil {
		return err
	}
	if b.final || tried >= r.action.Retries {
		if next, ok := w.strategyAt(w.run.above(r.at), w.run.undone(b.n), b.failure); ok {
			return w.act(b, next)
		}
		w.unhandled(b)
		return nil
	}
	if b.n != g {
		w.endNode(b.n, b.status, b.failure)
	}
	if w.t.Failure == nil {
		w.t.Failure = b.failure
	}
	w.t.Again = &core.Again{Group: g.FQN, Strategy: r.key, Pause: r.action.Pause(tried)}
	w.tryGroup()
	return nil
}

// groupTries is how often the strategy has had the group tried again. In a branch that
// is looked up: the track above counts, and not before the branch has ended.
func (w *walk) groupTries(g *core.Node, strategy string) (int, error) {
	if w.run.Owner(g.FQN) == w.t.ID {
		return w.t.Nodes[g.FQN].Retries[strategy], nil
	}
	f, err := w.fact(TriesRef(w.run.Owner(g.FQN), g.FQN, strategy))
	return f.Attempt, err
}

// TriesRef is the reference of how often a strategy has had a group tried again (see
// tries).
func TriesRef(track, group, strategy string) string {
	return "tries:" + track + ":" + group + " " + strategy
}

// tries answers a TriesRef: t is the track that walks the group.
func tries(t *Track, group, strategy string) core.Fact {
	if s := t.Nodes[group]; s != nil {
		return core.Fact{Found: true, Attempt: s.Retries[strategy]}
	}
	return core.Fact{}
}

// tryGroup waits before the group is tried again, or ends the track to have it tried
// again above.
func (w *walk) tryGroup() {
	a := w.t.Again
	g := w.run.Node(a.Group)
	if w.run.Owner(g.FQN) != w.t.ID {
		w.endGroups(nil)
		w.endTrack(w.aggregate(nodes(w.root)))
		return
	}
	w.t.Again = nil
	if w.current() != g {
		w.endGroups(g)
	}
	s := w.t.Nodes[g.FQN]
	s.count(a.Strategy)
	s.Ended, s.Failure = w.ev.At, w.t.Failure
	w.t.Failure = w.failureOutside(g)
	w.holdStep(g, kindBackOff, core.TimedWaiting, a.Pause, true)
}

// failureOutside is the first failure in the track that is not of the group.
func (w *walk) failureOutside(g *core.Node) *core.Failure {
	var first *Node
	for _, fqn := range slices.Sorted(maps.Keys(w.t.Nodes)) {
		s := w.t.Nodes[fqn]
		if s.Status.Failing() && s.Failure != nil && !w.run.Below(w.run.Node(fqn), g) && (first == nil || s.Ended < first.Ended) {
			first = s
		}
	}
	if first == nil {
		return nil
	}
	return first.Failure
}

// renew makes all that is below a group start anew: only what was tried is kept.
func (w *walk) renew(g *core.Node) {
	for fqn, s := range w.t.Nodes {
		if n := w.run.Node(fqn); n != g && w.run.Below(n, g) { // none of an iteration that is no more
			w.t.Nodes[fqn] = s.renewed()
			if c := w.t.Children[n.Track]; n.Track != "" && c != nil {
				w.t.Children[n.Track] = &Child{Round: c.Round}
			}
		}
	}
	maps.DeleteFunc(w.t.Loops, func(fqn string, _ *Loop) bool { return w.run.Below(w.run.Node(fqn), g) })
	maps.DeleteFunc(w.t.Exports, func(_ string, x *Exported) bool { return w.run.Below(w.run.Node(x.Node), g) })
}

// renewed is a node as it stands before it starts anew.
func (s *Node) renewed() *Node {
	n := &Node{Attempt: s.Attempt, Answers: s.Answers, Earlier: s.Earlier}
	if s.Status != core.Skipped && s.Status != core.NotStarted {
		n.Earlier = append(slices.Clip(s.Earlier), s.tried(s.Status))
	}
	return n
}

// renewTrack begins another walk of a track that has ended.
func (w *walk) renewTrack(r core.Round) error {
	w.t = w.t.Renewed(r)
	w.run = w.base
	return w.place()
}

// Renewed is the track as it stands before another walk of it.
func (t *Track) Renewed(r core.Round) *Track {
	if r.Rollback && !t.Round.Rollback {
		return t.undoing(r)
	}
	c := &Track{ID: t.ID, N: t.N, Round: r, Nodes: map[string]*Node{}, Children: map[string]*Child{},
		Route: t.Route, Transitions: t.Transitions, Warnings: t.Warnings, Pauses: t.Pauses}
	for fqn, s := range t.Nodes {
		c.Nodes[fqn] = s.renewed()
	}
	for id, child := range t.Children {
		c.Children[id] = &Child{Round: child.Round}
	}
	return c
}

// HasStarted reports whether a track below was started, and not only before the group
// around it is tried again.
func (t *Track) HasStarted(track string) bool {
	c := t.Children[track]
	return c != nil && c.Status != core.NotStarted
}

// wish takes note of what a child's failure is to lead to in a track above it: of
// several the outermost counts, and a rollback before another try.
func (w *walk) wish(e core.Child) {
	at, back := e.Rollback, true
	if e.Again != nil {
		at, back = e.Again.Group, false
	}
	if at == "" {
		return
	}
	if had := w.wanted(); had != nil {
		n := w.run.Node(at)
		switch {
		case had != n && !w.run.Below(had, n), had == n && !back && w.t.Again == nil:
			return
		case had == n && !back && w.t.Again.Strategy < e.Again.Strategy: // the same in whatever order they end
			return
		}
	}
	w.t.Wanted, w.t.Again = e.Rollback, e.Again
	w.because(cmp.Or(e.Because, e.Failure))
}

// wanted is the node that something further up is to be done about, nil for none.
func (w *walk) wanted() *core.Node {
	if w.t.Again != nil {
		return w.run.Node(w.t.Again.Group)
	}
	return w.run.Node(w.t.Wanted)
}

// count counts another try by a strategy.
func (s *Node) count(strategy string) {
	s.Retries = maps.Clone(s.Retries)
	if s.Retries == nil {
		s.Retries = map[string]int{}
	}
	s.Retries[strategy]++
}
