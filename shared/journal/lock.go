package journal

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/lock"
)

// keeper carries out what tracks ask of locks (docs/adr/0011). Each lock is one item,
// changed on the condition of its version. A claim's track has the last word: it is
// asked before a claim is entered and told when it is given the lock, and what it no
// longer wants is passed on. All of it may be done again at any time.
type keeper struct {
	store  core.Store
	clock  core.Clock
	tracks claimants
	mine   [64]sync.Mutex // of this process' changes one at a time, by lock
}

// claimants are the tracks, as locks see them.
type claimants interface {
	// Asks reports whether the claim's track waits for an answer to it, by all that is
	// stored.
	Asks(ctx context.Context, account string, c core.Claim) (bool, error)
	// Tell answers a claim; fault.Gone when its track does not want it any more.
	Tell(ctx context.Context, account string, c core.Claim, a core.LockAnswer) error
}

// maxLockBytes is how large a lock's claims may be, as JSON.
const maxLockBytes = core.MaxItemBytes - 16<<10

// keepFree is how long a lock that nobody holds stays stored.
const keepFree = 24 * time.Hour

// acquire enters a claim into its lock and tells its track how it stands.
func (k *keeper) acquire(ctx context.Context, account string, c core.Claim) error {
	l, err := k.change(ctx, account, c.Lock, func(l *lock.Lock, at int64) (bool, error) {
		if l.Standing(c.ID) != lock.Absent {
			return false, nil
		}
		// Asked after the lock was read: what has been given and let go of since then
		// has changed the lock, and what has not been given is found out when it is.
		if asks, err := k.tracks.Asks(ctx, account, c); err != nil || !asks {
			return false, err
		}
		return l.Acquire(c, at), nil
	})
	switch {
	case fault.Is(err, fault.TooLarge):
		return notWanted(k.tracks.Tell(ctx, account, c, core.LockAnswer{Claim: c.ID, Refused: "too many wait for " + shown(c.Lock) + ": its line is full"}))
	case err != nil:
		return err
	case l.Standing(c.ID) == lock.Waiting:
		err = k.tracks.Tell(ctx, account, c, core.LockAnswer{Claim: c.ID})
		if fault.Is(err, fault.Gone) {
			return k.release(ctx, account, c)
		}
		if err != nil {
			return err
		}
	}
	return k.tell(ctx, account, c.Lock, c.ID, l)
}

// release takes a claim out of its lock and tells whoever has it now.
func (k *keeper) release(ctx context.Context, account string, c core.Claim) error {
	l, err := k.change(ctx, account, c.Lock, func(l *lock.Lock, at int64) (bool, error) {
		return l.Release(c.ID, c.ID, at), nil
	})
	if err != nil {
		return err
	}
	return k.tell(ctx, account, c.Lock, c.ID, l)
}

// tell tells those whom by's coming or going gave the lock l. Who does not want it any
// more is taken out on by's account, so that whoever does this again goes on there.
func (k *keeper) tell(ctx context.Context, account, name, by string, l *lock.Lock) error {
	for {
		gone := ""
		for _, h := range l.Given(by) {
			err := k.tracks.Tell(ctx, account, h.Claim, core.LockAnswer{Claim: h.ID, Held: true})
			if fault.Is(err, fault.Gone) {
				gone = h.ID
				break
			}
			if err != nil {
				return err
			}
		}
		if gone == "" {
			return nil
		}
		var err error
		if l, err = k.change(ctx, account, name, func(l *lock.Lock, at int64) (bool, error) { return l.Release(gone, by, at), nil }); err != nil {
			return err
		}
	}
}

func notWanted(err error) error {
	if fault.Is(err, fault.Gone) {
		return nil
	}
	return err
}

// change reads a lock and stores what f makes of it, again when somebody else was
// first. It returns the lock as it is then.
func (k *keeper) change(ctx context.Context, account, name string, f func(l *lock.Lock, at int64) (bool, error)) (*lock.Lock, error) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(account + name))
	mine := &k.mine[h.Sum32()%uint32(len(k.mine))]
	mine.Lock()
	defer mine.Unlock()
	for range maxRaces {
		l, put, err := k.read(ctx, account, name)
		if err != nil {
			return nil, err
		}
		now := k.clock.Now()
		changed, err := f(l, core.Millis(now))
		if err != nil || !changed {
			return l, err
		}
		if put.Item.Body, err = json.Marshal(l); err != nil {
			return nil, err
		}
		if len(put.Item.Body) > maxLockBytes {
			return nil, fault.New(fault.TooLarge, "lock %s is full", name)
		}
		// A version is never used again, also after the item has expired.
		put.Item.Version = max(put.Item.Version+1, core.Millis(now))
		if l.Free() {
			put.Item.Expires = now.Add(keepFree).Unix()
		}
		if err = k.store.Write(ctx, put); err == nil {
			return l, nil
		}
		if !fault.Is(err, fault.Conflict) {
			return nil, err
		}
		if err = k.pause(ctx); err != nil {
			return nil, err
		}
	}
	return nil, fault.New(fault.Throttled, "lock %s changes too fast; retry", name)
}

// read returns a lock and how it is to be written.
func (k *keeper) read(ctx context.Context, account, name string) (*lock.Lock, core.Put, error) {
	l, key := &lock.Lock{}, core.LockKey(account, name)
	item, err := k.store.Get(ctx, key, true)
	if fault.Is(err, fault.NotFound) {
		return l, core.Put{Item: core.Item{Key: key}, If: core.IfAbsent()}, nil
	}
	if err != nil {
		return nil, core.Put{}, err
	}
	put := core.Put{Item: core.Item{Key: key, Version: item.Version}, If: core.IfVersion(item.Version)}
	return l, put, json.Unmarshal(item.Body, l)
}

// pause lets the others go ahead for a moment.
func (k *keeper) pause(ctx context.Context) error {
	over := make(chan struct{})
	stop := k.clock.AfterFunc(rand.N(20*time.Millisecond)+time.Millisecond, func() { close(over) })
	defer stop()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return fault.New(fault.Canceled, "%w", ctx.Err())
	}
}

// shown is how people know a lock.
func shown(name string) string {
	kind, key := core.LockParts(name)
	switch kind {
	case core.LockQueue:
		return "the key " + key
	case core.LockInfra:
		return "the infrastructure " + key
	default:
		return "the account's runs"
	}
}

// claiming is the journal as locks see it.
type claiming struct{ *Journal }

// Asks implements claimants.
func (j claiming) Asks(ctx context.Context, account string, c core.Claim) (bool, error) {
	_, t, err := j.Load(ctx, Ref{account, c.Run, c.Track})
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	asked := t.Claim()
	return asked != nil && asked.ID == c.ID, nil
}

// Tell implements claimants.
func (j claiming) Tell(ctx context.Context, account string, c core.Claim, a core.LockAnswer) error {
	_, err := j.Apply(ctx, Ref{account, c.Run, c.Track}, core.Event{Type: core.EventLock, Lock: &a})
	if fault.Is(err, fault.NotFound) { // a run that has been deleted
		return fault.New(fault.Gone, "%w", err)
	}
	return err
}
