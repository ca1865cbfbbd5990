package engine

import (
	"cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

// undecided is a branch, iteration or looped node that could not be let in: its condition
// or its loop could not be evaluated. It ends as its failure strategies say, as it would
// if it stood alone; there is nothing to be tried again or asked about.
type undecided struct {
	n *core.Node
	core.Child
}

// undecide ends a node that starts no track.
func (w *walk) undecide(n *core.Node, f *core.Failure) undecided {
	u := undecided{n, core.Child{Track: n.Track, Status: core.Failed, Failure: f}}
	b := broken{n, core.Failed, f, true}
	r, ok := w.strategy(n, f)
	w.traceFailure(b, r, ok)
	for ok && r.action.Type == core.ActionRetryStepGroup { // no other try: whoever is asked next
		r, ok = w.strategyAt(w.run.above(r.at), w.run.undone(n), f)
	}
	if ok {
		for r.action.Then != nil {
			r = r.then()
		}
		w.traceAction(b, r)
		w.finally(&u, r)
	}
	s := w.begin(n)
	w.endNode(n, u.Status, f)
	s.Marked = u.Marked
	return u
}

// finally is what the rule says, which nothing follows.
func (w *walk) finally(u *undecided, r rule) {
	switch r.action.Type {
	case core.ActionIgnore:
		u.Status = core.IgnoreFailed
	case core.ActionMarkAsSuccess:
		u.Status = core.Succeeded
	case core.ActionAbort:
		u.Status = core.Aborted
	case core.ActionStageRollback, core.ActionStepGroupRollback, core.ActionPipelineRollback:
		if target := w.target(u.n, r); target != nil {
			u.Rollback, u.FailAll = target.FQN, r.action.FailAll
			return
		}
		u.Marked = true
	case core.ActionMarkAsFailure, core.ActionProceedDefault, core.ActionRetry, core.ActionRetryStepGroup, core.ActionManualIntervention:
		u.Marked = true
	}
}

// heard does about those that were not let in what is done about branches that have
// ended, once all the others have started.
func (w *walk) heard(list []undecided) error {
	for _, u := range list {
		if w.t.Failure == nil && u.Status.Failing() {
			w.t.Failure = u.Failure
		}
		w.wish(u.Child)
		w.failAll(u.Child)
	}
	for _, u := range list {
		if u.Status == core.Aborted && w.t.Stopping == "" {
			return w.stop(core.Stop{Status: core.Aborted, Reason: cmp.Or(u.Failure, &core.Failure{}).Message, Round: w.t.Round})
		}
	}
	return nil
}
