package simulate

import (
	"fmt"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/lock"
)

// claimed carries out what a track asks of a lock, as shared/journal does, and tells
// those whom that gave the lock. Nobody but this run is there to hold one, unless
// Locks says so.
func (w *World) claimed(c core.Command) {
	top := w.top()
	if top.Locks == nil {
		top.Locks = map[string]*lock.Lock{}
	}
	l := top.Locks[c.Claim.Lock]
	if l == nil {
		l = &lock.Lock{}
		top.Locks[c.Claim.Lock] = l
	}
	if c.Do == core.DoRelease {
		l.Release(c.Claim.ID, c.Claim.ID, w.Now)
	} else if asked := w.Track(c.Claim.Track).Claim(); asked != nil && asked.ID == c.Claim.ID {
		l.Acquire(*c.Claim, w.Now)
		if l.Standing(c.Claim.ID) == lock.Waiting {
			w.must(c.Claim.Track, core.Event{Type: core.EventLock, Lock: &core.LockAnswer{Claim: c.Claim.ID}})
		}
	}
	for _, h := range l.Given(c.Claim.ID) {
		if to := w.of(h.Run); to != nil {
			to.give(c.Claim.Lock, h.Claim)
		}
	}
}

// give tells a claim that it has the lock; one that is not wanted goes to the next.
func (w *World) give(name string, c core.Claim) {
	err := w.Apply(c.Track, core.Event{Type: core.EventLock, Lock: &core.LockAnswer{Claim: c.ID, Held: true}})
	switch {
	case fault.Is(err, fault.Gone):
		w.claimed(core.Command{Do: core.DoRelease, Claim: &core.Claim{ID: c.ID, Lock: name, Track: c.Track}})
	case err != nil:
		w.fail(fmt.Errorf("giving %s to track %s: %w", name, c.Track, err))
	}
}
