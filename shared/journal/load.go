package journal

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// snapshotEvery is after how many events the fold is stored as a cache.
const snapshotEvery = 16

// Run returns what of a run never changes; fault.NotFound when there is no such run.
func (j *Journal) Run(ctx context.Context, account, run string) (*engine.Run, error) {
	if r := j.cache.run(account, run); r != nil {
		return r, nil
	}
	ctx = core.WithRun(ctx, account, run)
	item, err := j.store.Get(ctx, core.PlanKey(account, run), true)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.NotFound, "there is no run %s", run)
	}
	if err != nil {
		return nil, err
	}
	body := item.Body
	if item.Version == blobbed {
		if body, err = j.ports.Blobs.Get(ctx, planBlob(account, run)); err != nil {
			return nil, err
		}
	}
	l, err := unpackLaunch(body)
	if err != nil {
		return nil, err
	}
	if l.Plan.Semantics > core.Semantics { // guessing what it means could deploy the wrong thing
		return nil, fault.New(fault.Unavailable, "run %s was started by a newer Slipway (semantics %d, this one knows %d): it goes on when that one is back",
			run, l.Plan.Semantics, core.Semantics)
	}
	r := engine.NewRun(l)
	j.cache.setRun(account, run, r)
	return r, nil
}

// Load returns a track as it stands now; one without events is not started.
func (j *Journal) Load(ctx context.Context, ref Ref) (*engine.Run, *engine.Track, error) {
	ctx = core.WithRun(ctx, ref.Account, ref.Run)
	run, err := j.Run(ctx, ref.Account, ref.Run)
	if err != nil {
		return nil, nil, err
	}
	t, fresh, err := j.known(ctx, run, ref)
	if err == nil && !fresh {
		t, err = j.refresh(ctx, run, ref, t)
	}
	return run, t, err
}

// Cached returns the newest state of a track that this process has seen, which
// another process may have moved on from.
func (j *Journal) Cached(ctx context.Context, ref Ref) (*engine.Run, *engine.Track, error) {
	ctx = core.WithRun(ctx, ref.Account, ref.Run)
	run, err := j.Run(ctx, ref.Account, ref.Run)
	if err != nil {
		return nil, nil, err
	}
	t, _, err := j.known(ctx, run, ref)
	return run, t, err
}

// known returns the track from the cache (fresh is false) or from the store.
func (j *Journal) known(ctx context.Context, run *engine.Run, ref Ref) (t *engine.Track, fresh bool, err error) {
	if t := j.cache.track(ref); t != nil {
		return t, false, nil
	}
	t, err = j.fold(ctx, run, ref)
	return t, true, err
}

// fold reads a track from its latest snapshot and the events behind it: one query
// backwards, for a snapshot's key stands behind those of the events.
func (j *Journal) fold(ctx context.Context, run *engine.Run, ref Ref) (*engine.Track, error) {
	t := &engine.Track{ID: ref.Track}
	q := core.Query{PK: core.RunKey(ref.Account, ref.Run).PK, SKPrefix: "T#" + ref.Track + "#",
		Reverse: true, Strong: true, Limit: snapshotEvery + 2}
	var events []core.Item
	for {
		page, err := j.store.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		done := false
		for _, it := range page.Items {
			if it.SK == core.SnapshotKey("", "", ref.Track).SK {
				if snap := (&engine.Track{}); json.Unmarshal(it.Body, snap) == nil && snap.ID == ref.Track {
					t = snap
				}
				continue
			}
			if it.Version <= t.N {
				done = true
				break
			}
			events = append(events, it)
		}
		if done || page.Cursor == "" {
			break
		}
		q.After = page.Cursor
	}
	slices.Reverse(events)
	return j.foldEvents(ctx, run, ref, t, events)
}

// refresh folds the events that were stored behind t.
func (j *Journal) refresh(ctx context.Context, run *engine.Run, ref Ref, t *engine.Track) (*engine.Track, error) {
	q := core.Query{PK: core.RunKey(ref.Account, ref.Run).PK, SKPrefix: core.EventPrefix(ref.Track),
		After: core.EventKey(ref.Account, ref.Run, ref.Track, t.N).SK, Strong: true}
	for {
		page, err := j.store.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		if t, err = j.foldEvents(ctx, run, ref, t, page.Items); err != nil || page.Cursor == "" {
			return t, err
		}
		q.After = page.Cursor
	}
}

func (j *Journal) foldEvents(ctx context.Context, run *engine.Run, ref Ref, t *engine.Track, items []core.Item) (*engine.Track, error) {
	for _, it := range items {
		ev, err := core.ParseEvent(it.Body)
		if err != nil {
			return nil, err
		}
		if ev.N != t.N+1 {
			return nil, fault.New(fault.Internal, "track %s of run %s: event %d follows %d", ref.Track, ref.Run, ev.N, t.N)
		}
		facts, err := j.recalled(ctx, run, ev.Facts)
		if err != nil {
			return nil, err
		}
		res, err := engine.Apply(run, t, ev, facts)
		if err != nil {
			return nil, fault.New(fault.Internal, "folding event %d of track %s of run %s: %w", ev.N, ref.Track, ref.Run, err)
		}
		if res.Ignored {
			return nil, fault.New(fault.Internal, "event %d of track %s of run %s changes nothing", ev.N, ref.Track, ref.Run)
		}
		t = res.Track
	}
	j.cache.setTrack(ref, t)
	return t, nil
}

// snapshot stores the fold now and then. It is a cache: losing it costs reads.
func (j *Journal) snapshot(ctx context.Context, ref Ref, t *engine.Track) {
	if t.N%snapshotEvery != 0 {
		return
	}
	if body, err := json.Marshal(t); err == nil && len(body) < core.MaxItemBytes-4096 {
		_ = j.store.Write(ctx, core.Put{Item: core.Item{Key: core.SnapshotKey(ref.Account, ref.Run, ref.Track), Body: body, Version: t.N}})
	}
}

// maxInlinePlan is how many bytes of packed plan an item holds itself; blobbed is
// the version of an item whose plan is a blob.
const (
	maxInlinePlan = 64 << 10
	blobbed       = 2
)

func planBlob(account, run string) string { return account + "/runs/" + run + "/plan.json.gz" }

// SaveLaunch stores what of a run never changes, before its first event. A run
// that has been stored stays as it is: fault.AlreadyExists.
func (j *Journal) SaveLaunch(ctx context.Context, l core.Launch) error {
	body, err := packLaunch(l)
	if err != nil {
		return err
	}
	account := l.Plan.Scope.Account
	ctx = core.WithRun(ctx, account, l.Run)
	item := core.Item{Key: core.PlanKey(account, l.Run), Body: body, Version: 1}
	if len(body) > maxInlinePlan {
		if err := j.ports.Blobs.Put(ctx, planBlob(account, l.Run), body); err != nil {
			return err
		}
		item.Body, item.Version = []byte("{}"), blobbed
	}
	err = j.store.Write(ctx, core.Put{Item: item, If: core.IfAbsent()})
	if fault.Is(err, fault.Conflict) {
		return fault.New(fault.AlreadyExists, "run %s is there already", l.Run)
	}
	return err
}

func packLaunch(l core.Launch) ([]byte, error) {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	if err := json.NewEncoder(z).Encode(l); err != nil {
		return nil, err
	}
	err := z.Close()
	return buf.Bytes(), err
}

func unpackLaunch(body []byte) (l core.Launch, err error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return l, err
	}
	err = json.NewDecoder(io.LimitReader(z, 64<<20)).Decode(&l)
	return l, err
}

// Whole returns a run with the iterations its loops have expanded to, and the state of
// every track of it.
func (j *Journal) Whole(ctx context.Context, account, id string) (*engine.Run, map[string]*engine.Track, error) {
	return j.whole(ctx, account, id, j.Load)
}

// Known is Whole with tracks as this process has seen them where it has, which another
// process may have moved on from.
func (j *Journal) Known(ctx context.Context, account, id string) (*engine.Run, map[string]*engine.Track, error) {
	return j.whole(ctx, account, id, j.Cached)
}

func (j *Journal) whole(ctx context.Context, account, id string, load loader) (*engine.Run, map[string]*engine.Track, error) {
	run, err := j.Run(ctx, account, id)
	if err != nil {
		return nil, nil, err
	}
	return j.world(ctx, account, id, load).Whole(run)
}
