package dispatch

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/wire"
)

// syncing is one Sync under way.
type syncing struct {
	d       *Dispatch
	account string
	scope   core.Scope // what the delegate's token is for; zero for the account
	req     wire.SyncRequest
	me      core.DelegateRef
	now     int64
	record  core.Delegate
	version int64
	dirty   bool // the record has to be written
	resp    wire.SyncResponse
}

// Sync renews what the delegate holds, tells it what to kill, repeats hand-overs
// that got lost, and gives it new tasks, at most req.Free.
func (d *Dispatch) Sync(ctx context.Context, account string, req wire.SyncRequest) (wire.SyncResponse, error) {
	if req.Delegate.ID == "" || req.Delegate.Name == "" || req.Delegate.Boot == "" {
		return wire.SyncResponse{}, fault.New(fault.Invalid, "a delegate must say its id, name and boot")
	}
	if len(req.Holding) > wire.MaxHolding {
		return wire.SyncResponse{}, fault.New(fault.TooLarge, "a delegate may hold %d tasks, not %d", wire.MaxHolding, len(req.Holding))
	}
	ctx = core.WithCause(ctx, "sync")
	s := &syncing{d: d, account: account, scope: core.PrincipalOf(ctx).Scope, req: req, now: core.Millis(d.ports.Clock.Now()),
		me: core.DelegateRef{ID: req.Delegate.ID, Name: req.Delegate.Name, Boot: req.Delegate.Boot, Tags: req.Delegate.Tags}}
	d.note(s)
	for _, step := range []func(context.Context) error{s.load, s.renew, s.repeat, s.claim, s.save} {
		if err := step(ctx); err != nil {
			return wire.SyncResponse{}, err
		}
	}
	s.resp.NextMS = d.next(s).Milliseconds()
	s.resp.Tasks = fitting(s.resp.Tasks)
	return s.resp, nil
}

// next is when the delegate is to call again: soon while it works and for a while
// after, for the next stage's task is on its way.
func (d *Dispatch) next(s *syncing) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(s.req.Holding)+len(s.resp.Tasks)+len(s.record.Holds) > 0 {
		d.active[s.me.ID] = s.now
	}
	if s.now-d.active[s.me.ID] < d.pace.Cool.Milliseconds() {
		return d.pace.Active
	}
	delete(d.active, s.me.ID)
	return d.pace.Idle
}

func (s *syncing) load(ctx context.Context) error {
	item, err := s.d.ports.Store.Get(ctx, core.DelegateKey(s.account, s.me.ID), true)
	switch {
	case fault.Is(err, fault.NotFound):
		s.dirty = true
	case err != nil:
		return err
	default:
		if err := json.Unmarshal(item.Body, &s.record); err != nil {
			return err
		}
		s.version = item.Version
	}
	r, id := &s.record, s.req.Delegate
	if s.version > 0 && r.Scope != s.scope {
		// It would be handed what was given to the other.
		return fault.New(fault.Forbidden, "the delegate %s is known with a token of another organization or project: give this one another id, or name", id.ID)
	}
	r.Scope = s.scope
	s.dirty = s.dirty || r.Boot != id.Boot || s.now-r.Beat >= s.d.pace.Lease.Milliseconds()/6
	r.ID, r.Name, r.Boot, r.Version, r.Host, r.Tags = id.ID, id.Name, id.Boot, id.Version, id.Host, id.Tags
	return nil
}

// renew keeps the segments of held tasks alive, ends those past their time, and
// cancels what is no longer the delegate's.
func (s *syncing) renew(ctx context.Context) error {
	for _, h := range s.req.Holding {
		ref := journal.Ref{Account: s.account, Run: h.Run, Track: h.Track}
		ctx := core.WithRun(ctx, s.account, h.Run)
		_, t, err := s.d.journal.Load(ctx, ref)
		switch {
		case fault.Is(err, fault.NotFound):
		case err != nil:
			return err
		case owns(t, s.me.ID, h):
			late := s.now - t.Task.Claimed - t.Task.Timeout - s.d.pace.Grace.Milliseconds()
			if late < 0 {
				s.beat(ctx, t)
				continue
			}
			if err := s.d.fail(ctx, ref, t.Task, "TIMEOUT_FAILURE", "the step's timeout has passed and its delegate did not end it"); err != nil {
				return err
			}
		}
		s.resp.Cancel = append(s.resp.Cancel, h)
	}
	return nil
}

// beat renews the token of a track's segment; one that is gone is on its way to
// Recover, which will find the lease alive.
func (s *syncing) beat(ctx context.Context, t *engine.Track) {
	if t.Segment.Token != "" {
		_ = s.d.ports.Workflow.Beat(ctx, t.Segment.Token)
	}
}

// repeat hands over again what was given to the delegate but is not in its hands,
// and forgets tracks that are no longer its own; that alone is not worth a write.
func (s *syncing) repeat(ctx context.Context) error {
	var keep []core.Hold
	for _, h := range s.record.Holds {
		if slices.ContainsFunc(s.req.Holding, func(r wire.TaskRef) bool { return r.Run == h.Run && r.Track == h.Track }) {
			keep = append(keep, h)
			continue
		}
		ref := journal.Ref{Account: s.account, Run: h.Run, Track: h.Track}
		ctx := core.WithRun(ctx, s.account, h.Run)
		run, t, err := s.d.journal.Load(ctx, ref)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		if err != nil || t.Task == nil || t.Task.Delegate == nil || t.Task.Delegate.ID != s.me.ID {
			continue
		}
		keep = append(keep, h)
		if t.Task.Delegate.Boot == s.me.Boot && s.now-t.Task.Claimed < s.d.pace.Lost.Milliseconds() {
			continue // the answer that carries it may still be on its way
		}
		s.beat(ctx, t)
		if s.resp.Tasks, err = s.d.give(ctx, run, ref, t.Task, s.resp.Tasks); err != nil {
			return err
		}
	}
	s.record.Holds = keep
	return nil
}

// claim takes queued tasks, oldest first in each shard, shards in random order.
func (s *syncing) claim(ctx context.Context) error {
	free := s.req.Free - len(s.resp.Tasks)
	offers, err := s.offers(ctx, free)
	if err != nil || len(offers) == 0 {
		return err
	}
	// The hold is written before the claim: a claim whose answer gets lost is found.
	for _, t := range offers {
		if h := (core.Hold{Run: t.Run, Track: t.Track}); !slices.Contains(s.record.Holds, h) {
			s.record.Holds, s.dirty = append(s.record.Holds, h), true
		}
	}
	if err := s.save(ctx); err != nil {
		return err
	}
	return s.claimAll(ctx, offers)
}

// offers finds up to free tasks that the delegate can take.
func (s *syncing) offers(ctx context.Context, free int) ([]core.QueuedTask, error) {
	var offers []core.QueuedTask
	first := rand.IntN(core.QueueShards)
	for i := range core.QueueShards {
		q := core.Query{PK: core.QueuePK(s.account, (first+i)%core.QueueShards), Limit: 2*free + 8}
		for more := true; more && len(offers) < free; more = q.After != "" {
			page, err := s.d.ports.Store.Query(ctx, q)
			if err != nil {
				return nil, err
			}
			for _, it := range page.Items {
				var t core.QueuedTask
				if json.Unmarshal(it.Body, &t) != nil || len(offers) >= free || !s.me.Serves(t.Selectors) || s.yields(t) {
					continue
				}
				own, err := s.covers(ctx, t)
				if err != nil {
					return nil, err
				}
				if own {
					offers = append(offers, t)
				}
			}
			q.After = page.Cursor // tasks for others may stand before one for us
		}
	}
	return offers, nil
}

// covers reports whether a task is of the scope that the delegate serves: its token's
// project, the projects of its organization, or all (BEHAVIOUR §18.6).
func (s *syncing) covers(ctx context.Context, t core.QueuedTask) (bool, error) {
	if s.scope.Org == "" {
		return true, nil
	}
	run, err := s.d.journal.Run(ctx, s.account, t.Run)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	at := run.Plan.Scope
	return at.Org == s.scope.Org && (s.scope.Project == "" || at.Project == s.scope.Project), nil
}

// claimAll claims side by side; who comes second gets nothing.
func (s *syncing) claimAll(ctx context.Context, offers []core.QueuedTask) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for _, o := range offers {
		wg.Go(func() {
			task, err := s.claimOne(ctx, o)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = err
			}
			s.resp.Tasks = append(s.resp.Tasks, task...)
		})
	}
	wg.Wait()
	if len(s.resp.Tasks) > 0 {
		return nil // what was claimed must reach the delegate
	}
	return failed
}

func (s *syncing) claimOne(ctx context.Context, o core.QueuedTask) ([]wire.Task, error) {
	ref := journal.Ref{Account: s.account, Run: o.Run, Track: o.Track}
	ctx = core.WithRun(ctx, s.account, o.Run)
	a, err := s.d.journal.Apply(ctx, ref, core.Event{Type: core.EventClaimed, Claimed: &core.Claimed{Task: o.ID, Delegate: s.me}})
	switch {
	case fault.Is(err, fault.Gone), fault.Is(err, fault.NotFound):
		// Somebody else has it, or it is over: the offer is a left-over.
		return nil, s.d.ports.Store.Delete(ctx, core.QueueKey(s.account, o))
	case err != nil:
		return nil, err
	}
	return s.d.give(ctx, a.Run, ref, a.Track.Task, nil)
}

// save writes the delegate's record when it has changed or its beat is old. Two
// syncs of one delegate at once are a mistake of its own; the later one wins.
func (s *syncing) save(ctx context.Context) error {
	if !s.dirty {
		return nil
	}
	s.record.Beat = s.now
	body, err := json.Marshal(s.record)
	if err != nil {
		return err
	}
	s.version++
	s.dirty = false
	return s.d.ports.Store.Write(ctx, core.Put{Item: core.Item{
		Key: core.DelegateKey(s.account, s.me.ID), Body: body, Version: s.version,
		Expires: s.now/1000 + int64((30 * 24 * time.Hour).Seconds()),
	}})
}
