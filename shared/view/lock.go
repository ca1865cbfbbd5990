package view

import (
	"context"
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/lock"
)

// Lock is who holds something and who waits for it, the first in line first.
type Lock struct {
	Kind  string `json:"kind"` // core.LockQueue and its like
	Key   string `json:"key"`
	Limit int    `json:"limit"` // how many may hold it
	// Times are ms, since when each holds or waits.
	Holders []Claim `json:"holders"`
	Waiters []Claim `json:"waiters"`
}

// Claim is one that holds a lock or waits for it.
type Claim struct {
	Run   string         `json:"run"`
	Track string         `json:"track"`
	Node  string         `json:"node,omitempty"` // FQN of the step that asked
	Scope core.LockScope `json:"scope,omitempty"`
	Since int64          `json:"since"` // ms
}

// maxLocks is how many locks are listed.
const maxLocks = 1000

// Locks lists the locks that somebody holds, by kind and key.
func (v *Views) Locks(ctx context.Context, account string) ([]Lock, error) {
	locks := []Lock{}
	q := core.Query{PK: core.LockPK(account), Strong: true}
	for {
		page, err := v.journal.Ports().Store.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range page.Items {
			l, err := readLock(it)
			if err != nil {
				return nil, err
			}
			if len(l.Holders)+len(l.Waiters) > 0 {
				locks = append(locks, l)
			}
		}
		if page.Cursor == "" || len(locks) >= maxLocks {
			return locks[:min(len(locks), maxLocks)], nil
		}
		q.After = page.Cursor
	}
}

// Lock returns one lock; a free one when nobody wants it.
func (v *Views) Lock(ctx context.Context, account, kind, key string) (Lock, error) {
	at := core.LockKey(account, core.LockName(kind, key))
	if len(key) > core.MaxLockKey {
		return Lock{}, fault.New(fault.Invalid, "a key has at most %d bytes", core.MaxLockKey)
	}
	it, err := v.journal.Ports().Store.Get(ctx, at, true)
	if fault.Is(err, fault.NotFound) {
		it = core.Item{Key: at, Body: []byte("{}")}
	} else if err != nil {
		return Lock{}, err
	}
	return readLock(it)
}

func readLock(it core.Item) (Lock, error) {
	var l lock.Lock
	if err := json.Unmarshal(it.Body, &l); err != nil {
		return Lock{}, err
	}
	kind, key := core.LockParts(it.SK)
	return Lock{Kind: kind, Key: key, Limit: max(1, l.Limit), Holders: claims(l.Holders), Waiters: claims(l.Waiters)}, nil
}

func claims(list []lock.Held) []Claim {
	out := make([]Claim, len(list))
	for i, h := range list {
		out[i] = Claim{Run: h.Run, Track: h.Track, Node: h.Node, Scope: h.Scope, Since: h.At}
	}
	return out
}
