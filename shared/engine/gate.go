package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/steps"
)

// verdict says whether a node runs; failure is why its condition could not tell.
type verdict struct {
	runs    bool
	failure *core.Failure
}

// gate decides whether a stage, group or step runs, just before it would start
// (BEHAVIOUR §9.2).
func (w *walk) gate(n *core.Node) (verdict, error) {
	v, err := w.decideGate(n)
	if err == nil && !(n.Type == steps.InfrastructureLock && whenOf(n).Condition == "") { // nobody wrote that one
		w.traceGate(n, whenOf(n), v)
	}
	return v, err
}

// decideGate looks at a node's status test first, then at its condition.
func (w *walk) decideGate(n *core.Node) (verdict, error) {
	when := whenOf(n)
	holds, err := w.statusHolds(n, when.Status)
	if err != nil || !holds {
		return verdict{}, err
	}
	return w.decides(n, when.Condition, when.Pos)
}

// whenOf is a node's condition, or what it means to have none.
func whenOf(n *core.Node) core.When {
	if n.When == nil {
		return core.When{Status: core.WhenSuccess}
	}
	return *n.When
}

// decides asks a condition that stands at pos.
func (w *walk) decides(n *core.Node, condition string, pos core.Position) (verdict, error) {
	ok, err := w.condition(n, condition)
	if isNeed(err) {
		return verdict{}, err
	}
	if err != nil {
		return verdict{failure: failed(fmt.Errorf("%s: when: %w", pos, err))}, nil
	}
	return verdict{runs: ok}, nil
}

// condition decides an expression at a node. When something has to be asked for,
// all that the expression names is asked for at once.
func (w *walk) condition(n *core.Node, text string) (bool, error) {
	s := &scope{w: w, n: n, early: n.Kind == core.KindStage, secrets: map[string]bool{}}
	ok, err := expr.Condition(text, s)
	if need, more := errors.AsType[*Need](err); more {
		all := &Need{Refs: slices.Clone(need.Refs)}
		paths, _ := expr.ConditionRefs(text) // what is wrong with it shows when it is decided
		s.paths(paths, all)
		slices.Sort(all.Refs)
		all.Refs = slices.Compact(all.Refs)
		return false, all
	}
	return ok, err
}

// statusHolds is the status test of a condition: Success tolerates failures that
// were ignored, Failure is true of them too (BEHAVIOUR §9.4). A node without a
// condition of its own asks only about what came after the group around it that has
// one: that group was let in whatever had been before. In a rollback it
// asks about the rollback alone (BEHAVIOUR §8.8).
func (w *walk) statusHolds(n *core.Node, status core.WhenStatus) (bool, error) {
	if status == core.WhenAll {
		return true, nil
	}
	if status == core.WhenFailure && w.t.RolledBack {
		return false, nil // a stage that was rolled back is no failure to those behind it (BEHAVIOUR §8.7)
	}
	past, err := w.before(n)
	if err != nil {
		return false, err
	}
	if status == core.WhenFailure {
		return past.Failing() || past == core.IgnoreFailed, nil
	}
	return !past.Failing(), nil
}

// before is what had ended before a node amounts to, as far as it counts for it.
func (w *walk) before(n *core.Node) (core.Status, error) {
	past := w.t.past(w.run, n, w.run.counts(n))
	if n.When == nil {
		return past, nil
	}
	for b := w.root; b.Kind != core.KindStage && b.Kind != core.KindPipeline; {
		f, err := w.fact(PastRef(b.Track))
		if err != nil {
			return past, err
		}
		past = core.Aggregate(past, f.Status)
		b = w.run.TrackRoot(core.ParentTrack(b.Track))
	}
	return past, nil
}

// counts says which nodes a node asks about.
func (r *Run) counts(n *core.Node) func(*core.Node) bool {
	if n.When != nil {
		return func(*core.Node) bool { return true }
	}
	undo := r.undone(n)
	for g := r.Parent(n); g != nil && g != undo && g.Kind != core.KindStage; g = r.Parent(g) {
		if g.When != nil {
			return func(o *core.Node) bool { return r.Below(o, g) }
		}
	}
	return func(o *core.Node) bool { return undo == nil || r.undone(o) == undo }
}

// past is what the nodes that count and have ended in the track before n amount to.
// What is in a node that has ended is in its status; what stands in the same parallel
// block as n never counts.
func (t *Track) past(r *Run, n *core.Node, counts func(*core.Node) bool) core.Status {
	block := r.block(n)
	var ends []core.Status
	for fqn, s := range t.Nodes {
		o := r.Node(fqn)
		if s.Status.Terminal() && counts(o) && !r.Below(o, block) && !t.inEnded(r, o) {
			ends = append(ends, s.Status)
		}
	}
	return core.Aggregate(ends...)
}

// block is the parallel or the loop that the node stands in, or the node.
func (r *Run) block(n *core.Node) *core.Node {
	for p := r.Parent(n); p != nil && (p.Kind == core.KindParallel || r.iterationOf(n) != nil); n, p = p, r.Parent(p) {
	}
	return n
}

// inEnded reports whether something around the node has ended in the track.
func (t *Track) inEnded(r *Run, n *core.Node) bool {
	for n = r.Parent(n); n != nil; n = r.Parent(n) {
		if s := t.Nodes[n.FQN]; s != nil && s.Status.Terminal() {
			return true
		}
	}
	return false
}

// Below reports whether n is the node or inside it.
func (r *Run) Below(n, of *core.Node) bool {
	for ; n != nil; n = r.Parent(n) {
		if n == of {
			return true
		}
	}
	return false
}

// PastRef is the reference of what had ended before a branch in the track above it
// (see past).
func PastRef(branch string) string { return "past:" + branch }

// past answers a PastRef: above is the track above the branch's. It is the same
// from the branch's start to its end.
func past(r *Run, above *Track, branch string) core.Fact {
	r = r.From(above)
	return core.Fact{Found: true, Status: above.past(r, r.TrackRoot(branch), func(*core.Node) bool { return true })}
}

// skip records that a node does not run, which has no times.
func (w *walk) skip(n *core.Node) {
	s := &Node{Status: core.Skipped}
	if old := w.t.Nodes[n.FQN]; old != nil { // it ran before the group around it was tried again
		s.Attempt, s.Answers, s.Earlier = old.Attempt, old.Answers, old.Earlier
	}
	w.t.Nodes[n.FQN] = s
}

// goesOn reports whether anything behind the cursor could run although a node has
// failed: something whose own condition asks for more than success.
func (w *walk) goesOn() bool {
	list := w.list()
	for depth, i := range w.t.Cursor {
		if slices.ContainsFunc(list[i+1:], mayRunAfterFailure) {
			return true
		}
		if depth < len(w.t.Cursor)-1 {
			list = list[i].Children
		}
	}
	return false
}

func mayRunAfterFailure(n *core.Node) bool {
	if n.Kind == core.KindParallel {
		return slices.ContainsFunc(n.Children, mayRunAfterFailure)
	}
	return n.When != nil && n.When.Status != core.WhenSuccess
}
