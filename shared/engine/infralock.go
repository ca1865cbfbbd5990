package engine

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/steps"
)

// infraLock is the step at the head of a Deployment stage that waits for its
// infrastructure (BEHAVIOUR §3.5), nil where there is none.
func infraLock(stage *core.Node) *core.Node {
	if len(stage.Children) > 0 && stage.Children[0].Type == steps.InfrastructureLock {
		return stage.Children[0]
	}
	return nil
}

// underLock are the rollback steps of a stage that is walked again to roll it back: it
// let go of its infrastructure when it ended, and waits for it once more.
func underLock(stage *core.Node) []*core.Node {
	if lock := infraLock(stage); lock != nil && len(stage.Rollback) > 0 {
		return slices.Concat([]*core.Node{lock}, stage.Rollback)
	}
	return stage.Rollback
}

// notLocked ends a stage that did not get its infrastructure. Nothing may be done
// there, so that of its failure strategies only those that lead out of it apply.
func (w *walk) notLocked(b broken) {
	r, ok := w.strategy(b.n, b.failure)
	w.traceFailure(b, r, ok)
	w.endNode(b.n, b.status, b.failure)
	if w.t.Failure == nil {
		w.t.Failure = b.failure
	}
	switch {
	case ok && r.action.Type == core.ActionAbort:
		w.traceAction(b, r)
		w.t.Stopping = core.Aborted
		w.endStopped()
		return
	case ok && r.action.Type == core.ActionPipelineRollback && !w.t.Round.Rollback:
		w.traceAction(b, r)
		w.t.Wanted, w.t.FailAll = w.run.Plan.Root.FQN, r.action.FailAll
		w.t.RolledBack = true // there is nothing in it to roll back
	}
	w.t.Undo = nil
	w.endTrack(b.status)
}

// infraKey is what the infrastructure that a key stands for is locked by: in its own
// scope, that of its environment.
func (w *walk) infraKey(n *core.Node, key string) (string, error) {
	d, err := (&scope{w: w, n: n, secrets: map[string]bool{}}).deployment()
	if err != nil || d == nil || d.Environment == nil {
		return key, err
	}
	of := w.run.Plan.Scope
	switch ref := d.Environment.Ref; {
	case strings.HasPrefix(ref, "account."):
		return key, nil
	case strings.HasPrefix(ref, "org."):
		return of.Org + "/" + key, nil
	default:
		return of.Org + "/" + of.Project + "/" + key, nil
	}
}
