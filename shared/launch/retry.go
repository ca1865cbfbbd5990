package launch

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
)

// RetryRequest asks for a failed run to be taken up.
type RetryRequest struct {
	Again
	// Stages are identifiers of where to begin: one, or several of one parallel, which is
	// then begun as a whole; none is where it has failed.
	Stages []string
	// FailedOnly leaves out those of a parallel that have not failed.
	FailedOnly bool
}

// retryWithin is how long after the first of a chain of retries the last may begin.
const retryWithin = 30 * 24 * time.Hour

// retryable are the ends of runs that can be taken up (BEHAVIOUR §14.5).
var retryable = []core.Status{core.Failed, core.Aborted, core.Expired, core.ApprovalRejected, core.Errored}

// Retry starts a run that takes up a failed one: the stages before those that are named
// count as executed, with what came of them. It is the pipeline as it is written now, as
// long as its stages up to there are the same.
func (l *Launch) Retry(ctx context.Context, req RetryRequest) (Started, error) {
	old, err := l.journal.Run(ctx, req.Account, req.Run)
	if err != nil {
		return Started{}, err
	}
	_, root, err := l.journal.Load(ctx, journal.Ref{Account: req.Account, Run: req.Run, Track: old.Plan.Root.Track})
	if err != nil {
		return Started{}, err
	}
	if err := l.mayRetry(ctx, old, root); err != nil {
		return Started{}, err
	}
	again, err := l.like(ctx, old, req.Again)
	if err != nil {
		return Started{}, err
	}
	plan, diags, err := l.compile(ctx, again)
	if err != nil {
		return Started{}, err
	}
	if again.Retry, err = copied(old, root, plan, req); err != nil {
		return Started{}, err
	}
	return l.begin(ctx, again, plan, diags)
}

func (l *Launch) mayRetry(ctx context.Context, old *engine.Run, root *engine.Track) error {
	id := old.Launch.Run
	if !root.Status.Terminal() {
		return fault.New(fault.Conflict, "run %s has not ended: abort it first, or wait", id)
	}
	if !slices.Contains(retryable, root.Status) {
		return fault.New(fault.Invalid, "run %s ended as %s: only Failed, Aborted, Expired and ApprovalRejected can be retried; start it anew with rerun", id, root.Status.API())
	}
	first := old
	if r := old.Launch.Retry; r != nil {
		var err error
		if first, err = l.journal.Run(ctx, old.Account, r.Root); err != nil {
			return err
		}
	}
	if core.Millis(l.clock.Now())-first.At > retryWithin.Milliseconds() {
		return fault.New(fault.Invalid, "run %s is older than 30 days: start it anew with rerun", first.Launch.Run)
	}
	return nil
}

// copied says which stages are not run again.
func copied(old *engine.Run, root *engine.Track, plan *core.Plan, req RetryRequest) (*core.Retry, error) {
	items, were := plan.Root.Children, old.Plan.Root.Children
	at, err := from(root, were, req.Stages)
	if err != nil {
		return nil, err
	}
	for i := range at + 1 {
		if i >= len(items) || signature(items[i]) != signature(were[i]) {
			return nil, fault.New(fault.Invalid, "the stages of the pipeline up to %s are not those of run %s any more: start it anew with rerun", signature(were[at]), req.Run)
		}
	}
	r := &core.Retry{Of: req.Run, Root: req.Run, Copied: map[string]core.Copied{}}
	if old.Launch.Retry != nil {
		r.Root = old.Launch.Retry.Root
	}
	for i := range at {
		for _, n := range stagesOf(were[i]) {
			if !take(r, old, root, n) {
				return nil, fault.New(fault.Invalid, "stage %s has not run in run %s: begin there, or before", n.Identifier, req.Run)
			}
		}
	}
	for _, n := range stagesOf(were[at]) {
		if s := root.Nodes[n.FQN]; req.FailedOnly && s != nil && !s.Status.Failing() {
			take(r, old, root, n)
		}
	}
	return r, nil
}

// take copies a stage; false when it has not ended.
func take(r *core.Retry, old *engine.Run, root *engine.Track, n *core.Node) bool {
	s := root.Nodes[n.FQN]
	if s == nil || !s.Status.Terminal() {
		return false
	}
	c := core.Copied{Run: old.Launch.Run, Status: s.Status, Started: s.Started, Ended: s.Ended}
	if before, ok := old.Launch.Retry.From(n.Track); ok {
		c.Run = before.Run
	}
	r.Copied[n.Track] = c
	return true
}

// from is the index of the stage, or of the parallel, to begin with.
func from(root *engine.Track, items []*core.Node, stages []string) (int, error) {
	for i, it := range items {
		all := stagesOf(it)
		if len(stages) == 0 && slices.ContainsFunc(all, func(n *core.Node) bool { s := root.Nodes[n.FQN]; return s == nil || s.Status.Failing() }) {
			return i, nil
		}
		if len(stages) > 0 && !slices.ContainsFunc(stages, func(id string) bool {
			return !slices.ContainsFunc(all, func(n *core.Node) bool { return n.Identifier == id })
		}) {
			return i, nil
		}
	}
	if len(stages) == 0 {
		return 0, fault.New(fault.Invalid, "no stage has failed: name the one to begin with")
	}
	return 0, fault.New(fault.Invalid, "there is no stage, and no parallel with the stages, %s", strings.Join(stages, ", "))
}

func stagesOf(item *core.Node) []*core.Node {
	if item.Kind == core.KindParallel {
		return item.Children
	}
	return []*core.Node{item}
}

// signature is what makes a stage, or a parallel of stages, the same.
func signature(item *core.Node) string {
	var parts []string
	for _, n := range stagesOf(item) {
		parts = append(parts, n.Identifier+" ("+n.Type+")")
	}
	return strings.Join(parts, " beside ")
}
