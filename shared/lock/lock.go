// Package lock knows who holds a lock and who waits for it, first come first served
// (BEHAVIOUR §11.2): the rules alone, each safe to apply twice.
package lock

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
)

// Lock is one lock as it is stored. The zero Lock is free.
type Lock struct {
	// Limit is how many may hold it, as its last claim said; 0 for one.
	Limit   int    `json:"limit,omitempty"`
	Holders []Held `json:"holders,omitempty"`
	Waiters []Held `json:"waiters,omitempty"` // the first in line first
}

// Held is a claim in a lock.
type Held struct {
	core.Claim
	At int64 `json:"at"` // ms, since when it holds or waits
	// By is the claim whose coming or going gave this one the lock: whoever carries
	// that out also tells this one, again if need be.
	By string `json:"by,omitempty"`
}

// Standing is how a claim stands in a lock.
type Standing int

// Standings.
const (
	Absent Standing = iota
	Waiting
	Holding
)

// Standing returns how the claim stands.
func (l *Lock) Standing(id string) Standing {
	switch is := func(h Held) bool { return h.ID == id }; {
	case slices.ContainsFunc(l.Holders, is):
		return Holding
	case slices.ContainsFunc(l.Waiters, is):
		return Waiting
	default:
		return Absent
	}
}

// Acquire enters a claim and reports whether that changed anything. A claim made
// inside what holds the lock does not wait.
func (l *Lock) Acquire(c core.Claim, at int64) bool {
	if l.Standing(c.ID) != Absent {
		return false
	}
	l.Limit = c.Limit
	c.Lock, c.Limit = "", 0 // the lock says that
	l.Waiters = append(l.Waiters, Held{Claim: c, At: at})
	l.promote(c.ID, at)
	return true
}

// Release takes a claim out, holding or waiting, and reports whether it was there.
// by is the claim on whose account that is done, usually its own.
func (l *Lock) Release(id, by string, at int64) bool {
	if l.Standing(id) == Absent {
		return false
	}
	is := func(h Held) bool { return h.ID == id }
	l.Holders, l.Waiters = slices.DeleteFunc(l.Holders, is), slices.DeleteFunc(l.Waiters, is)
	l.promote(by, at)
	return true
}

// promote lets in who is next, and whoever waits inside what holds the lock by then.
func (l *Lock) promote(by string, at int64) {
	for i := 0; i < len(l.Waiters); {
		w := l.Waiters[i]
		first := i == 0 && len(l.Holders) < max(1, l.Limit)
		if !first && !l.inside(w.Claim) {
			i++
			continue
		}
		l.Waiters = slices.Delete(l.Waiters, i, i+1)
		l.Holders = append(l.Holders, Held{Claim: w.Claim, At: at, By: by})
		i = 0 // more may be inside now
	}
}

// inside reports whether the claim is made inside what a holder holds for. Runs
// that share a lock by their number are never inside one another.
func (l *Lock) inside(c core.Claim) bool {
	return slices.ContainsFunc(l.Holders, func(h Held) bool { return c.Within(h.Claim) })
}

// Given returns the holders that the claim's coming or going let in.
func (l *Lock) Given(by string) []Held {
	var given []Held
	for _, h := range l.Holders {
		if h.By == by {
			given = append(given, h)
		}
	}
	return given
}

// Free reports whether nobody holds the lock or waits for it.
func (l *Lock) Free() bool { return len(l.Holders)+len(l.Waiters) == 0 }
