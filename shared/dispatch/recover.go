package dispatch

import (
	"context"
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
)

// Recover answers a machine that caught an error: where it has to go now. The machine
// of a walk that is over leaves, and that in whose place another goes on.
func (d *Dispatch) Recover(ctx context.Context, ref journal.Ref, x core.ExecutionID, segment int, aslError string) (core.Route, error) {
	run, t, err := d.journal.Load(ctx, ref)
	if err != nil {
		return core.Route{}, err
	}
	round := x.Round
	if round.N < t.Round.N {
		return core.Route{Kind: "Leave"}, nil
	}
	if away := run.Over(t, x); away != nil {
		return *away, nil
	}
	r := core.Recovered{Segment: segment, Error: aslError, Round: round}
	if t.Task != nil {
		if r.Lease, r.Eligible, err = d.liveness(ctx, ref.Account, t.Task); err != nil {
			return core.Route{}, err
		}
	}
	a, err := d.journal.Apply(ctx, ref, core.Event{Type: core.EventRecovered, Recovered: &r})
	if err != nil {
		return core.Route{}, err
	}
	if a.Track.Route == nil {
		return core.Route{}, fault.New(fault.Internal, "track %s of run %s has no route", ref.Track, ref.Run)
	}
	return d.journal.Answer(ctx, run, ref, *a.Track.Route)
}

// TurnRound answers a machine that stands at Rollback: where the rollback begins.
func (d *Dispatch) TurnRound(ctx context.Context, ref journal.Ref, x core.ExecutionID, segment int) (core.Route, error) {
	return d.Recover(ctx, ref, x, segment, engine.TurnRound)
}

// Reconcile starts a new execution of a track's machine where one has ended by
// itself, unless the track needs none or has one already. A stage that the
// pipeline's machine runs is left to that machine, which catches the failure.
func (d *Dispatch) Reconcile(ctx context.Context, machine, name string, in core.ExecutionInput) error {
	ref := journal.Ref{Account: in.Account, Run: in.Run, Track: in.Track}
	run, t, err := d.journal.Load(ctx, ref)
	if err != nil {
		return err
	}
	x := core.ParseExecution(name)
	round := x.Round
	if t.Status.Terminal() && round.N <= t.Round.N || round.N < t.Round.N || run.Serial(ref.Track) {
		return nil
	}
	if run.Over(t, x) != nil {
		return nil // another goes on in its place
	}
	x = core.ExecutionID{Round: round, Generation: x.Generation + 1}
	next := x.Name(ref.Run, ref.Track)
	if _, err := d.ports.Workflow.Describe(ctx, machine, next); !fault.Is(err, fault.NotFound) {
		return err // it was started before
	}
	route, err := d.Recover(ctx, ref, x, 0, "Slipway.Reconcile")
	if err != nil {
		return err
	}
	in.Next = route
	input, err := json.Marshal(in)
	if err != nil {
		return err
	}
	if err = d.ports.Workflow.Start(ctx, machine, next, input); fault.Is(err, fault.AlreadyExists) {
		return nil
	}
	return err
}

// liveness says how the task's holder stands, or whether anyone could take it.
func (d *Dispatch) liveness(ctx context.Context, account string, t *engine.Task) (lease string, eligible bool, err error) {
	all, err := d.Delegates(ctx, account)
	if err != nil {
		return "", false, err
	}
	if t.Delegate != nil {
		lease = "lost"
	}
	for _, g := range all {
		if !d.Connected(g) {
			continue
		}
		if t.Delegate != nil && g.ID == t.Delegate.ID {
			lease = "alive"
		}
		if (core.DelegateRef{ID: g.ID, Name: g.Name, Tags: g.Tags}).Serves(t.Selectors) {
			eligible = true
		}
	}
	return lease, eligible, nil
}

// Connected reports whether the delegate has called within its lease.
func (d *Dispatch) Connected(g core.Delegate) bool {
	return core.Millis(d.ports.Clock.Now())-g.Beat <= d.pace.Lease.Milliseconds()
}

// Delegates returns every delegate that the account has seen lately.
func (d *Dispatch) Delegates(ctx context.Context, account string) ([]core.Delegate, error) {
	var all []core.Delegate
	q := core.Query{PK: core.DelegatePK(account), Strong: true}
	for {
		page, err := d.ports.Store.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range page.Items {
			var g core.Delegate
			if err := json.Unmarshal(it.Body, &g); err != nil {
				return nil, err
			}
			all = append(all, g)
		}
		if page.Cursor == "" {
			return all, nil
		}
		q.After = page.Cursor
	}
}
