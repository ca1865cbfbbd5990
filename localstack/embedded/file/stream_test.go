package file

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func pending(sk string, version int64) core.Item {
	return core.Item{Key: core.Key{PK: "p", SK: sk}, Version: version, Pending: true}
}

func mustPut(t *testing.T, f *File, items ...core.Item) {
	t.Helper()
	for _, it := range items {
		if err := f.Store().Write(t.Context(), core.Put{Item: it}); err != nil {
			t.Fatal(err)
		}
	}
}

// watcher watches until it is stopped and hands over what comes.
func watcher(t *testing.T, f *File, name string) (next func() string, stop func()) {
	t.Helper()
	got := make(chan string, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- f.Store().Watch(ctx, name, func(_ context.Context, items []core.Item) error {
			for _, it := range items {
				got <- fmt.Sprint(it.SK, it.Version)
			}
			return nil
		})
	}()
	next = func() string {
		select {
		case s := <-got:
			return s
		case <-time.After(10 * time.Second):
			t.Fatal("nothing was delivered")
			return ""
		}
	}
	return next, func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func entries(t *testing.T, f *File) (n int) {
	t.Helper()
	err := f.view(t.Context(), func(tx *bolt.Tx) error {
		c := tx.Bucket(streamBucket).Cursor()
		for k, _ := c.Seek([]byte{entryPrefix}); k != nil; k, _ = c.Next() {
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func take(n int, next func() string) (got []string) {
	for range n {
		got = append(got, next())
	}
	return got
}

func TestWatchKeepsImages(t *testing.T) {
	f := openNew(t)
	mustPut(t, f, pending("a", 1), pending("a", 2), pending("b", 1), pending("c", 1))
	mustPut(t, f, core.Item{Key: pending("c", 0).Key, Version: 2})
	if err := f.Store().Delete(t.Context(), pending("b", 0).Key); err != nil {
		t.Fatal(err)
	}
	next, stop := watcher(t, f, "w")
	defer stop()
	if diff := cmp.Diff([]string{"a1", "a2", "b1", "c1"}, take(4, next)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWatchPositionSurvives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	f := openAt(t, path, nil)
	next, stop := watcher(t, f, "w")
	mustPut(t, f, pending("a", 1), pending("b", 1))
	take(2, next)
	stop()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f = openAt(t, path, nil)
	if n := entries(t, f); n != 0 {
		t.Errorf("%d entries are kept that everyone has got", n)
	}
	next, stop = watcher(t, f, "w")
	defer stop()
	mustPut(t, f, pending("c", 1))
	if got := next(); got != "c1" {
		t.Errorf("after a restart came %s", got)
	}
}

// TestWatchCosts: positions ride along with the writers' commits, or wait until
// nothing has come for a while.
func TestWatchCosts(t *testing.T) {
	manual := clock.NewManual(time.Unix(1e9, 0))
	f := openAt(t, filepath.Join(t.TempDir(), "data"), manual)
	next, stop := watcher(t, f, "w")
	defer stop()
	for i := range 50 {
		mustPut(t, f, pending("a", int64(i)))
		next()
	}
	if n := f.Stats().Commits; n != 50 {
		t.Errorf("%d commits for 50 writes", n)
	}
	if n := entries(t, f); n > 5 {
		t.Errorf("%d entries are kept", n)
	}
	manual.Await(2) // the sweeper and the idle flush
	manual.Advance(idleFlush)
	if n := entries(t, f); n != 0 || f.Stats().Commits != 51 {
		t.Errorf("idle: %d entries, %d commits", n, f.Stats().Commits)
	}
}

// TestWatchSlowest: what one consumer has not got is kept, also over a restart.
func TestWatchSlowest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	f := openAt(t, path, nil)
	nextSlow, stopSlow := watcher(t, f, "slow")
	nextFast, stopFast := watcher(t, f, "fast")
	mustPut(t, f, pending("a", 1))
	nextSlow()
	nextFast()
	stopSlow()
	mustPut(t, f, pending("b", 1), pending("c", 1))
	take(2, nextFast)
	stopFast()
	_ = f.Close()
	f = openAt(t, path, nil)
	nextSlow, stopSlow = watcher(t, f, "slow")
	defer stopSlow()
	if diff := cmp.Diff([]string{"b1", "c1"}, take(2, nextSlow)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWatchBacksOff(t *testing.T) {
	manual := clock.NewManual(time.Unix(1e9, 0))
	f := openAt(t, filepath.Join(t.TempDir(), "data"), manual)
	for i := range 8 {
		mustPut(t, f, pending(fmt.Sprint(i), 1))
	}
	ctx, cancel := context.WithCancel(t.Context())
	sizes := make(chan int, 1)
	done := make(chan error)
	go func() {
		done <- f.Store().Watch(ctx, "w", func(_ context.Context, items []core.Item) error {
			sizes <- len(items)
			return errors.New("no")
		})
	}()
	for i, want := range []int{8, 4, 2, 1, 1} {
		if got := <-sizes; got != want {
			t.Errorf("try %d had %d items, want %d", i, got, want)
		}
		manual.Await(2) // the sweeper and the pause
		manual.Advance(firstPause<<i - 1)
		select {
		case <-sizes:
			t.Errorf("try %d came too early", i+1)
		default:
		}
		manual.Advance(1)
	}
	<-sizes
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestWatchTwice(t *testing.T) {
	f := openNew(t)
	next, stop := watcher(t, f, "w")
	mustPut(t, f, pending("a", 1))
	next()
	err := f.Store().Watch(t.Context(), "w", func(context.Context, []core.Item) error { return nil })
	if !fault.Is(err, fault.AlreadyExists) {
		t.Errorf("a second watch: %v", err)
	}
	stop()
	_, stop = watcher(t, f, "w")
	stop()
}

func TestSweep(t *testing.T) {
	now := time.Unix(1e9, 0)
	f := openAt(t, filepath.Join(t.TempDir(), "data"), clock.NewManual(now))
	expiring := func(sk string, at time.Time) core.Item {
		return core.Item{Key: core.Key{PK: "p", SK: sk}, Index: core.Key{PK: "i", SK: sk}, Expires: at.Unix()}
	}
	old := now.Add(-sweepGrace)
	mustPut(t, f, expiring("late", old.Add(time.Second)), expiring("renewed", old), core.Item{Key: core.Key{PK: "p", SK: "never"}})
	mustPut(t, f, expiring("renewed", now))
	for i := range sweepPart + 10 {
		mustPut(t, f, expiring(fmt.Sprint("old", i), old))
	}
	if err := f.sweep(); err != nil {
		t.Fatal(err)
	}
	for _, q := range []core.Query{{PK: "p"}, {PK: "i", Index: true}} {
		page, err := f.Store().Query(t.Context(), q)
		var left []string
		for _, it := range page.Items {
			left = append(left, it.SK)
		}
		want := []string{"late", "never", "renewed"}
		if q.Index {
			want = []string{"late", "renewed"}
		}
		if diff := cmp.Diff(want, left); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
	}
}
