package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// seen collects what a watch delivers of one partition.
type seen struct {
	mu    sync.Mutex
	items []core.Item
}

func (s *seen) take(items []core.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = append(s.items, items...)
}

// versions returns the versions delivered of each item, doubles left out, in the
// order in which they first came.
func (s *seen) versions(pk string) map[string][]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := map[string][]int64{}
	for _, it := range s.items {
		if it.PK == pk && !slices.Contains(got[it.SK], it.Version) {
			got[it.SK] = append(got[it.SK], it.Version)
		}
	}
	return got
}

func (s *seen) has(pk string, sks ...string) bool {
	got := s.versions(pk)
	return !slices.ContainsFunc(sks, func(sk string) bool { return got[sk] == nil })
}

// watch starts a watch that the test's end, or stop, ends and awaits.
func (s store) watch(consumer string, fn func([]core.Item) error) (stop func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := s.Watch(ctx, consumer, func(_ context.Context, items []core.Item) error { return fn(items) })
		if err != nil && ctx.Err() == nil {
			s.t.Errorf("watch: %v", err)
		}
	}()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	s.t.Cleanup(stop)
	return stop
}

func (s store) pending(sk string, version int64) core.Item {
	it := s.item(sk, version)
	it.Pending = true
	return it
}

func storeWatchPending(t *testing.T, s store) {
	var got seen
	s.put(s.pending("before", 1), s.item("quiet", 1))
	s.watch(unique("w"), func(items []core.Item) error { got.take(items); return nil })
	s.put(s.pending("after", 1))
	if err := s.write(core.Put{Item: s.pending("x", 1)}, core.Put{Item: s.item("y", 1)}, core.Put{Item: s.pending("z", 1)}); err != nil {
		t.Fatal(err)
	}
	refused := s.write(core.Put{Item: s.pending("refused", 1)}, core.Put{Item: s.item("y", 1), If: core.IfAbsent()})
	wantFailed(t, "a write that conflicts", refused, 1)
	s.put(s.pending("last", 1))
	eventually(t, "all that is pending", func() bool { return got.has(s.pk, "before", "after", "x", "z", "last") })
	for _, sk := range []string{"quiet", "y", "refused"} {
		if got.has(s.pk, sk) {
			t.Errorf("%s was delivered", sk)
		}
	}
	for _, it := range got.items {
		if it.PK == s.pk && (!it.Pending || string(it.Body) != `{"v":1}`) {
			t.Errorf("delivered %+v", it)
		}
	}
}

func storeWatchFailure(t *testing.T, s store) {
	var mu sync.Mutex
	failures := map[string]int{}
	var got seen
	s.watch(unique("w"), func(items []core.Item) error {
		mu.Lock()
		defer mu.Unlock()
		for _, it := range items {
			if it.PK == s.pk && failures[it.SK] < 2 && it.SK != "fine" {
				failures[it.SK]++
				return errors.New("not yet")
			}
		}
		got.take(items)
		return nil
	})
	s.put(s.pending("a", 1), s.pending("b", 1), s.pending("fine", 1))
	eventually(t, "what failed twice", func() bool { return got.has(s.pk, "a", "b", "fine") })
}

func storeWatchOrder(t *testing.T, s store) {
	const last = 30
	var got seen
	fail := true
	s.watch(unique("w"), func(items []core.Item) error {
		got.take(items) // before the failure: what comes again is no disorder
		fail = !fail
		if fail && len(items) > 1 {
			return errors.New("every second time")
		}
		return nil
	})
	var done sync.WaitGroup
	for i := range 3 {
		done.Go(func() {
			for v := range int64(last) {
				if err := s.write(core.Put{Item: s.pending(fmt.Sprint("item", i), v+1)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	eventually(t, "the newest of each", func() bool {
		got := s.newest(&got)
		return len(got) == 3 && !slices.ContainsFunc(got, func(v int64) bool { return v != last })
	})
	for sk, versions := range got.versions(s.pk) {
		if !slices.IsSorted(versions) {
			t.Errorf("%s came in the order %v", sk, versions)
		}
	}
}

func (s store) newest(got *seen) (newest []int64) {
	for _, versions := range got.versions(s.pk) {
		newest = append(newest, slices.Max(versions))
	}
	return newest
}

func storeWatchResume(t *testing.T, s store) {
	var first, second, other seen
	name := unique("w")
	stop := s.watch(name, func(items []core.Item) error { first.take(items); return nil })
	s.watch(unique("w"), func(items []core.Item) error { other.take(items); return nil })
	s.put(s.pending("a", 1))
	eventually(t, "the first item", func() bool { return first.has(s.pk, "a") && other.has(s.pk, "a") })
	stop()
	s.put(s.pending("b", 1))
	s.watch(name, func(items []core.Item) error { second.take(items); return nil })
	s.put(s.pending("c", 1))
	eventually(t, "what came meanwhile and what came later", func() bool { return second.has(s.pk, "b", "c") })
	eventually(t, "the other consumer's share", func() bool { return other.has(s.pk, "b", "c") })
	if first.has(s.pk, "b") || first.has(s.pk, "c") {
		t.Error("a watch that was ended got an item")
	}
}
