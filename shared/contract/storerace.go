package contract

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

const racers = 1000

// race lets all racers call fn at once and returns the one that got no error; all
// others must get a conflict.
func race(t *testing.T, fn func(i int) error) (winner int) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	var winners atomic.Int64
	for i := range racers {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			switch err := fn(i); {
			case err == nil:
				winners.Add(1)
				winner = i // several would be a data race as well
			case !fault.Is(err, fault.Conflict):
				t.Errorf("racer %d: %v", i, err)
			}
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	if n := winners.Load(); n != 1 {
		t.Fatalf("%d winners", n)
	}
	return winner
}

func (s store) wantWinner(sk string, winner int) {
	s.t.Helper()
	if it, err := s.get(sk, true); err != nil || string(it.Body) != fmt.Sprint(winner) {
		s.t.Errorf("%d won, but the item is %s, %v", winner, it.Body, err)
	}
}

func storeRaceAbsent(t *testing.T, s store) {
	winner := race(t, func(i int) error {
		it := core.Item{Key: s.key("a"), Version: 1, Body: fmt.Append(nil, i)}
		return s.write(core.Put{Item: it, If: core.IfAbsent()})
	})
	s.wantWinner("a", winner)
}

func storeRaceVersion(t *testing.T, s store) {
	s.put(s.item("a", 1))
	winner := race(t, func(i int) error {
		it := core.Item{Key: s.key("a"), Version: 2, Body: fmt.Append(nil, i)}
		return s.write(core.Put{Item: it, If: core.IfVersion(1)})
	})
	s.wantWinner("a", winner)
}

// storeRaceCounter: what several read and write back under IfVersion adds up.
func storeRaceCounter(t *testing.T, s store) {
	const workers, rounds = 8, 10
	s.put(s.item("n", 0))
	var done sync.WaitGroup
	for range workers {
		done.Go(func() {
			for n := 0; n < rounds; {
				it, err := s.get("n", true)
				if err == nil {
					err = s.write(core.Put{Item: s.item("n", it.Version+1), If: core.IfVersion(it.Version)})
				}
				switch {
				case err == nil:
					n++
				case !fault.Is(err, fault.Conflict):
					t.Error(err)
					return
				}
			}
		})
	}
	done.Wait()
	if it, err := s.get("n", true); err != nil || it.Version != workers*rounds {
		t.Errorf("counted to %d of %d, %v", it.Version, workers*rounds, err)
	}
}

// storeRacePairs: two items always written together never differ.
func storeRacePairs(t *testing.T, s store) {
	const workers, rounds = 6, 10
	s.put(s.item("a", 0), s.item("b", 0))
	var done sync.WaitGroup
	for range workers {
		done.Go(func() {
			for range rounds {
				it, err := s.get("a", true)
				if err != nil {
					t.Error(err)
					return
				}
				err = s.write(
					core.Put{Item: s.item("a", it.Version+1), If: core.IfVersion(it.Version)},
					core.Put{Item: s.item("b", it.Version+1), If: core.IfVersion(it.Version)},
				)
				if _, conflict := errors.AsType[*core.ConflictError](err); err != nil && !conflict {
					t.Error(err)
					return
				}
			}
		})
	}
	done.Wait()
	a, errA := s.get("a", true)
	b, errB := s.get("b", true)
	if errors.Join(errA, errB) != nil || a.Version != b.Version || a.Version == 0 {
		t.Errorf("a is at %d, b at %d, %v %v", a.Version, b.Version, errA, errB)
	}
}
