// Package journal keeps the tracks of runs: it folds their events, lets the
// engine decide on new ones, stores each as one conditional put, and executes
// the commands. Every door that changes a run goes through Apply.
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/replay"
	"github.com/slipway-cd/slipway/shared/retry"
)

// Journal is safe for concurrent use; any number of processes may work on the
// same tracks, each with its own Journal.
type Journal struct {
	ports core.Ports
	store core.Store // ports.Store, patient
	// Offered is called after a task was put on offer or taken from its delegate,
	// so that a delegate in the same process need not wait for its next poll.
	Offered func(account string)
	// Chained makes sure that a run is stored which a stage of parent starts; package
	// launch sets it. Twice is as good as once.
	Chained func(ctx context.Context, parent *engine.Run, c core.Command) error

	cache  *cache
	locks  [256]sync.Mutex
	keeper *keeper
}

// New returns a journal on these ports.
func New(p core.Ports) *Journal {
	p.Store = retry.Store(p.Store, p.Clock)
	j := &Journal{ports: p, store: p.Store, Offered: func(string) {}, cache: newCache()}
	j.keeper = &keeper{store: p.Store, clock: p.Clock, tracks: claiming{j}}
	return j
}

// Ports are the ways to the world that the journal uses, the store patient with
// what may succeed later.
func (j *Journal) Ports() core.Ports { return j.ports }

// Ref names a track.
type Ref struct{ Account, Run, Track string }

// Applied is what became of an event.
type Applied struct {
	Run   *engine.Run
	Track *engine.Track
	// Ignored says that the event was a repetition and nothing was stored.
	Ignored bool
}

// maxNeeds is how often the engine may ask for more facts about one event;
// maxRaces how often another writer may be first.
const (
	maxNeeds = 10
	maxRaces = 100
)

// Apply lets the engine decide on an event, stores it and executes its commands.
// ev.At and ev.N are set here. It returns the engine's refusal unchanged
// (fault.Gone, Forbidden, Invalid, Conflict); then nothing has happened.
// A failure after the event was stored is not reported: the relay makes sure of
// the commands.
func (j *Journal) Apply(ctx context.Context, ref Ref, ev core.Event) (Applied, error) {
	ctx = core.WithRun(ctx, ref.Account, ref.Run)
	run, err := j.Run(ctx, ref.Account, ref.Run)
	if err != nil {
		return Applied{}, err
	}
	track, stored, err := j.append(ctx, run, ref, ev)
	if err != nil || stored == nil {
		return Applied{Run: run, Track: track, Ignored: true}, err
	}
	if len(stored.Commands) > 0 {
		_ = j.executeOnce(ctx, run, ref, stored, false)
	}
	return Applied{Run: run, Track: track}, nil
}

// append stores the event as the track's next one. stored is nil when the event
// was ignored.
func (j *Journal) append(ctx context.Context, run *engine.Run, ref Ref, ev core.Event) (*engine.Track, *core.Event, error) {
	lock := j.lock(ref)
	lock.Lock()
	defer lock.Unlock()
	t, fresh, err := j.known(ctx, run, ref)
	if err != nil {
		return nil, nil, err
	}
	for range maxRaces {
		ev.V, ev.N, ev.At = core.EventVersion, t.N+1, core.Millis(j.ports.Clock.Now())
		res, err := j.decide(ctx, run, t, ev)
		if (err != nil || res.Ignored) && !fresh { // it may only look so from an old state
			if t, err = j.refresh(ctx, run, ref, t); err != nil {
				return nil, nil, err
			}
			fresh = true
			continue
		}
		if err != nil || res.Ignored {
			return res.Track, nil, err
		}
		ev.Commands, ev.Facts = res.Commands, replay.Stored(res.Facts)
		won, err := j.put(ctx, ref, &ev)
		if err != nil {
			return nil, nil, err
		}
		if won {
			j.cache.setTrack(ref, res.Track)
			j.snapshot(ctx, ref, res.Track)
			return res.Track, &ev, nil
		}
		ev.Commands, ev.Facts = nil, nil
		if t, err = j.refresh(ctx, run, ref, t); err != nil {
			return nil, nil, err
		}
		fresh = true
	}
	return nil, nil, fault.New(fault.Throttled, "track %s of run %s changes too fast; retry", ref.Track, ref.Run)
}

// decide asks the engine, looking up what it needs.
func (j *Journal) decide(ctx context.Context, run *engine.Run, t *engine.Track, ev core.Event) (engine.Result, error) {
	facts := map[string]core.Fact{}
	for range maxNeeds {
		res, err := engine.Apply(run, t, ev, facts)
		need, ok := errors.AsType[*engine.Need](err)
		if !ok {
			return res, err
		}
		for _, r := range need.Refs {
			if facts[r], err = j.lookup(ctx, run, r); err != nil {
				return res, err
			}
		}
	}
	return engine.Result{}, fault.New(fault.Internal, "the engine asked for facts more than %d times", maxNeeds)
}

// put writes the event if its number is free. won is false when another event
// has taken it. A write that failed after it happened counts as won.
func (j *Journal) put(ctx context.Context, ref Ref, ev *core.Event) (won bool, err error) {
	body, err := json.Marshal(ev)
	if err != nil {
		return false, err
	}
	key := core.EventKey(ref.Account, ref.Run, ref.Track, ev.N)
	err = j.store.Write(ctx, core.Put{If: core.IfAbsent(),
		Item: core.Item{Key: key, Body: body, Version: ev.N, Pending: ev.Pending()}})
	if err == nil {
		return true, nil
	}
	if !fault.Is(err, fault.Conflict) && !fault.Retryable(err) {
		return false, err
	}
	there, gerr := j.store.Get(ctx, key, true)
	switch {
	case fault.Is(gerr, fault.NotFound):
		return false, err
	case gerr != nil:
		return false, gerr
	}
	return string(there.Body) == string(body), nil
}

func (j *Journal) lock(ref Ref) *sync.Mutex {
	h := uint32(2166136261)
	for _, s := range [...]string{ref.Run, ref.Track} {
		for i := range len(s) {
			h = (h ^ uint32(s[i])) * 16777619
		}
	}
	return &j.locks[h%uint32(len(j.locks))]
}
