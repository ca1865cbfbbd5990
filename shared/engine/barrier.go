package engine

import (
	"maps"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/steps"
)

// Barrier is how a barrier of the run stands. The pipeline's track keeps it.
type Barrier struct {
	Positions map[string]core.BarrierPosition `json:"positions,omitempty"` // by FQN, as far as they are known
	// Over is how it ended, and Reason why it was broken. It stays so: who comes later
	// meets nobody, unless the group around all who meet is tried again.
	Over   core.PositionState `json:"over,omitempty"`
	Reason string             `json:"reason,omitempty"`
	Again  int                `json:"again,omitempty"` // see core.BarrierPosition
}

// meetings are the Barrier steps of a plan, by barrier, in plan order.
func meetings(root *core.Node) map[string][]*core.Node {
	all := map[string][]*core.Node{}
	root.Walk(func(n *core.Node) {
		if ref := steps.BarrierRef(n.Type, n.Spec); ref != "" {
			all[ref] = append(all[ref], n)
		}
	})
	return all
}

// startBarrier waits for the others and lets the barrier know.
func (w *walk) startBarrier(n *core.Node, step steps.Step) error {
	ref := steps.BarrierRef(n.Type, n.Spec)
	again, err := w.again(ref)
	if err != nil {
		return err
	}
	ms := n.Timeout
	if ms == 0 {
		ms = step.DefaultTimeout.Milliseconds()
	}
	w.holdStep(n, kindLock, core.AsyncWaiting, ms, false)
	w.tellBarrier(core.BarrierPosition{Barrier: ref, Node: n.FQN, Track: w.t.ID,
		Attempt: w.t.Nodes[n.FQN].Attempt, Again: again, State: core.PositionArrived})
	return nil
}

// again is how often the group around all steps of a barrier has been tried before, 0
// when there is none. In a branch that is looked up.
func (w *walk) again(ref string) (int, error) {
	g := w.run.enclosing(w.run.around(w.run.barriers[ref]), core.KindGroup)
	if g == nil {
		return 0, nil
	}
	if s := w.t.Nodes[g.FQN]; w.run.Owner(g.FQN) == w.t.ID && s != nil {
		return max(0, s.Attempt-1), nil
	}
	f, err := w.fact(w.run.nodeRef(g))
	return max(0, f.Attempt-1), err
}

// around is the innermost node that all of them are in.
func (r *Run) around(list []*core.Node) *core.Node {
	at := r.Parent(list[0])
	for _, n := range list {
		for !r.Below(n, at) {
			at = r.Parent(at)
		}
	}
	return at
}

func (w *walk) tellBarrier(p core.BarrierPosition) {
	w.do(core.Command{Do: core.DoDeliver, Track: w.run.Plan.Root.Track, Event: &core.Event{
		V: core.EventVersion, Type: core.EventBarrier, Source: "barrier:" + p.Node, Barrier: &p}})
}

// barrier takes a position's word on the pipeline's track, the barrier's on others.
func (w *walk) barrier(p core.BarrierPosition) error {
	if !w.isPipeline() {
		return w.barrierAnswered(p)
	}
	if w.t.Status.Terminal() || !w.position(p) {
		return errIgnored
	}
	return nil
}

// position notes how a step stands towards its barrier; false when that is no news.
func (w *walk) position(p core.BarrierPosition) bool {
	b := Barrier{Again: p.Again}
	if old := w.t.Barriers[p.Barrier]; old != nil && old.Again > p.Again {
		return false
	} else if old != nil && old.Again == p.Again {
		b = *old
	}
	if old, known := b.Positions[p.Node]; known && (old.Attempt > p.Attempt || old.Attempt == p.Attempt && (old.State != core.PositionArrived || p.State == old.State)) {
		return false
	}
	b.Positions = maps.Clone(b.Positions)
	if b.Positions == nil {
		b.Positions = map[string]core.BarrierPosition{}
	}
	b.Positions[p.Node] = p
	if b.Over == "" {
		w.judge(p, &b)
	} else if p.State == core.PositionArrived {
		w.answerPosition(p, b)
	}
	w.t.Barriers = maps.Clone(w.t.Barriers)
	if w.t.Barriers == nil {
		w.t.Barriers = map[string]*Barrier{}
	}
	w.t.Barriers[p.Barrier] = &b
	return true
}

// judge decides whether the barrier is over by the news of one position, and then
// tells all that wait at it.
func (w *walk) judge(p core.BarrierPosition, b *Barrier) {
	b.Over = core.BarrierMet
	for _, n := range w.run.barriers[p.Barrier] {
		if at, known := b.Positions[n.FQN]; !known || at.State == core.PositionGone {
			b.Over = ""
		}
	}
	if p.State == core.PositionGone {
		b.Over, b.Reason = core.BarrierBroken, p.Reason
	}
	if b.Over == "" {
		return
	}
	for _, fqn := range slices.Sorted(maps.Keys(b.Positions)) {
		if at := b.Positions[fqn]; at.State == core.PositionArrived {
			w.answerPosition(at, *b)
		}
	}
}

func (w *walk) answerPosition(p core.BarrierPosition, b Barrier) {
	p.State, p.Reason = b.Over, b.Reason
	w.do(core.Command{Do: core.DoDeliver, Track: p.Track, Event: &core.Event{
		V: core.EventVersion, Type: core.EventBarrier, Source: "barrier:" + p.Barrier, Barrier: &p}})
}

// barrierAnswered goes on behind a barrier, or fails with it.
func (w *walk) barrierAnswered(p core.BarrierPosition) error {
	s := w.t.Nodes[p.Node]
	if !waitsAt(w.t, p.Node) || s.Attempt != p.Attempt {
		return errIgnored
	}
	n := w.run.Node(p.Node)
	if p.State == core.BarrierMet {
		return w.released(n, core.Succeeded, nil)
	}
	return w.released(n, core.Failed, &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: "barrier " + p.Barrier + " cannot be met: " + p.Reason})
}

// waitsAt reports whether the track waits at the node for something others hold.
func waitsAt(t *Track, fqn string) bool {
	for _, h := range []*Hold{t.Hold, t.Next} {
		if h != nil && h.Kind == kindLock && h.Node == fqn {
			return true
		}
	}
	return false
}

// missed tells the barriers of steps that, since the event, will not arrive.
func (w *walk) missed(before *Track) error {
	if w.isPipeline() && w.t.Status.Terminal() {
		return nil // nobody waits any more
	}
	for _, ref := range slices.Sorted(maps.Keys(w.run.barriers)) {
		for _, n := range w.run.barriers[ref] {
			if !w.answersFor(n) {
				continue
			}
			state, reason := w.whereabouts(w.t, n)
			if old, _ := w.whereabouts(before, n); state == old || state != core.PositionAbsent && state != core.PositionGone {
				continue
			}
			again, err := w.again(ref)
			if err != nil {
				return err
			}
			w.miss(core.BarrierPosition{Barrier: ref, Node: n.FQN, State: state, Reason: reason, Again: again})
		}
	}
	return nil
}

func (w *walk) miss(p core.BarrierPosition) {
	if s := w.t.Nodes[p.Node]; s != nil {
		p.Attempt = s.Attempt
	}
	if w.isPipeline() {
		w.position(p)
	} else {
		w.tellBarrier(p)
	}
}

// answersFor reports whether this track knows what becomes of a Barrier step: it walks
// the step, or the step is in a track below that was never started.
func (w *walk) answersFor(n *core.Node) bool {
	owner := w.run.Owner(n.FQN)
	for owner != w.t.ID {
		if w.t.Children[owner] != nil {
			return false
		}
		if owner = core.ParentTrack(owner); owner == "" {
			return false
		}
	}
	return true
}

// whereabouts is how a Barrier step stands, as far as the track t can tell; "" while it
// may still arrive.
func (w *walk) whereabouts(t *Track, n *core.Node) (core.PositionState, string) {
	if s := t.Nodes[n.FQN]; s != nil && s.Status != core.Skipped && s.Status != core.NotStarted {
		switch {
		case waitsAt(t, n.FQN):
			return core.PositionArrived, ""
		case s.Status == core.Succeeded && s.Failure == nil:
			return core.BarrierMet, ""
		}
		return core.PositionGone, "step " + n.Identifier + " has stopped waiting"
	}
	for up := n; up != nil; up = w.run.Parent(up) {
		s := t.Nodes[up.FQN]
		switch {
		case up == w.root && t.Status.Terminal():
			return core.PositionGone, "step " + n.Identifier + " was not reached: what is around it has ended"
		case s != nil && s.Status == core.Skipped && t.Failure == nil:
			return core.PositionAbsent, ""
		case s != nil && s.Status.Terminal(), t.Undo != nil && t.Undo.Of == up.FQN:
			return core.PositionGone, "step " + n.Identifier + " was not reached: what is around it has failed"
		}
		if up == w.root {
			break
		}
	}
	return "", ""
}
