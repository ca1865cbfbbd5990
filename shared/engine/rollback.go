package engine

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"

	"github.com/slipway-cd/slipway/shared/core"
)

// Undo is a rollback under way: the walk goes through the rollback steps of Of.
type Undo struct {
	Of string `json:"of"` // FQN of the stage or group
	// Cursor is where the group stands in the walk, to go on from behind it.
	Cursor  []int         `json:"cursor,omitempty"`
	Failure *core.Failure `json:"failure,omitempty"` // why
	Turned  bool          `json:"turned,omitempty"`  // the machine has been sent through Rollback
}

// TurnRound is the Recovered.Error of a machine that is at Rollback.
const TurnRound = "Slipway.Rollback"

// list is what the walk goes through now.
func (w *walk) list() []*core.Node {
	if w.t.Undo != nil && w.isPipeline() {
		return backwards(w.root)
	}
	switch u := w.t.Undo; {
	case u == nil:
		return nodes(w.root)
	case w.t.Round.Rollback && u.Of == w.root.FQN:
		return underLock(w.root)
	default:
		return w.run.Node(u.Of).Rollback
	}
}

// phase is what attempts are counted in.
func (w *walk) phase(n *core.Node) string {
	if w.run.undone(n) != nil {
		return "rollback"
	}
	return "normal"
}

// turn sends the machine through Rollback when a rollback has been decided on.
func (w *walk) turn() bool {
	u := w.t.Undo
	if u == nil || u.Turned {
		return false
	}
	u.Turned = true
	w.outcome(core.Route{Kind: kindRollback})
	return true
}

// rollBack fails the node and turns to the rollback steps of its stage, or of a group
// around it: that whose strategy it is, else the innermost (BEHAVIOUR §8.7). Inside a
// rollback, and where there is nothing to go back to, it is MarkAsFailure.
func (w *walk) rollBack(b broken, r rule) {
	target := w.target(b.n, r)
	if target == nil {
		w.markFailed(b)
		return
	}
	w.endNode(b.n, b.status, b.failure)
	if w.t.Failure == nil {
		w.t.Failure = b.failure
	}
	w.t.Wanted, w.t.FailAll = target.FQN, r.action.FailAll
	w.because(b.failure)
	w.rollTo()
}

// target is what a rule that says so rolls back for a node, nil where there is nothing.
func (w *walk) target(n *core.Node, r rule) *core.Node {
	kind := core.KindStage
	if r.action.Type == core.ActionStepGroupRollback {
		kind = core.KindGroup
	}
	switch {
	case w.run.undone(n) != nil:
		return nil
	case r.action.Type == core.ActionPipelineRollback:
		return w.run.Plan.Root
	case r.at != nil && r.at.Kind == kind && r.at != n:
		return r.at
	}
	return w.run.enclosing(w.run.above(n), kind)
}

// because notes which failure led to the rollback that is wanted, where it was not the
// first one of the track.
func (w *walk) because(f *core.Failure) {
	w.t.Because = nil
	if f != nil && !reflect.DeepEqual(f, w.t.Failure) {
		w.t.Because = f
	}
}

// rollTo begins the rollback that is wanted, or ends the track to have it begun above.
func (w *walk) rollTo() {
	target := w.run.Node(w.t.Wanted)
	if w.run.Owner(target.FQN) != w.t.ID {
		w.endGroups(nil)
		w.endTrack(w.aggregate(nodes(w.root)))
		return
	}
	why := cmp.Or(w.t.Because, w.t.Failure)
	w.t.Wanted, w.t.Because = "", nil
	w.endGroups(target)
	w.t.Undo = &Undo{Of: target.FQN, Cursor: slices.Clone(w.t.Cursor), Failure: why, Turned: w.isPipeline()}
	w.t.Cursor = []int{0}
	if len(w.list()) == 0 {
		w.rolledBack()
	}
}

// rolledBack ends what was rolled back: a stage fails, whatever became of its rollback
// steps; of a group the stage's failure strategy decides.
func (w *walk) rolledBack() {
	u := w.t.Undo
	w.t.Undo = nil
	w.t.Cursor = slices.Clone(u.Cursor)
	of := w.run.Node(u.Of)
	switch {
	case of.Kind == core.KindPipeline && w.run.Launch.Rollback != nil:
		w.endTrack(w.rolledBackAll())
		return
	case of.Kind == core.KindPipeline:
		w.endTrack(core.Failed)
		return
	case w.t.Round.Rollback && of == w.root:
		w.t.RolledBack = true
		w.endTrack(w.aggregate(of.Rollback))
		return
	case of.Kind == core.KindStage:
		w.t.RolledBack = len(of.Rollback) > 0
		w.endTrack(core.Failed)
		return
	}
	w.groupRolledBack(broken{n: of, status: core.Failed, failure: u.Failure, final: true})
}

// groupRolledBack does what the stage's strategy says about the group's failure.
// Nothing there can try the group again: what needs that is passed over.
func (w *walk) groupRolledBack(b broken) {
	stage := w.run.enclosing(b.n, core.KindStage)
	for i := range stage.Failure {
		if !matches(stage.Failure[i], b.failure) {
			continue
		}
		a := stage.Failure[i].Action
		for a.Then != nil {
			a = *a.Then
		}
		w.traceAction(b, rule{stage.FQN + "#" + strconv.Itoa(i), a, stage})
		switch a.Type {
		case core.ActionIgnore:
			w.endNode(b.n, core.IgnoreFailed, b.failure)
			w.next()
		case core.ActionMarkAsSuccess:
			w.endNode(b.n, core.Succeeded, b.failure)
			w.next()
		case core.ActionAbort:
			w.abort(b)
		case core.ActionStageRollback, core.ActionPipelineRollback:
			w.rollBack(b, rule{action: a, at: stage})
		case core.ActionMarkAsFailure, core.ActionRetry, core.ActionRetryStepGroup, core.ActionManualIntervention,
			core.ActionStepGroupRollback, core.ActionProceedDefault:
			w.markFailed(b)
		}
		return
	}
	w.endNode(b.n, b.status, b.failure)
	w.settleNode(b.status, b.failure)
}
