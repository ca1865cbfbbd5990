package schedule_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/file"
	"github.com/slipway-cd/slipway/localstack/embedded/schedule"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
)

var epoch = time.UnixMilli(1_790_000_000_000)

// functions records invocations; each waits for a verdict when there are any.
type functions struct {
	clock    core.Clock
	mu       sync.Mutex
	fired    []contract.Firing
	called   chan string // payloads, when not nil
	verdicts chan error
}

func (f *functions) Invoke(ctx context.Context, name string, payload json.RawMessage) (json.RawMessage, error) {
	f.mu.Lock()
	f.fired = append(f.fired, contract.Firing{Function: name, Payload: payload, At: f.clock.Now()})
	f.mu.Unlock()
	if f.called == nil {
		return nil, nil
	}
	f.called <- string(payload)
	select {
	case err := <-f.verdicts:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *functions) firings() []contract.Firing {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.fired)
}

func openFile(t *testing.T, path string) *file.File {
	t.Helper()
	f, err := file.Open(path, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func start(t *testing.T, f *file.File, c core.Clock, fn *functions) *schedule.Schedule {
	t.Helper()
	s, err := schedule.New(f.Records("schedule"), c)
	if err != nil {
		t.Fatal(err)
	}
	s.Start(fn)
	t.Cleanup(s.Close)
	return s
}

func TestContract(t *testing.T) {
	contract.Schedule(t, func(t *testing.T) (core.Schedule, func() time.Time, func() []contract.Firing) {
		c := clock.Fast(10, epoch)
		fn := &functions{clock: c}
		s := start(t, openFile(t, filepath.Join(t.TempDir(), "data")), c, fn)
		return s, c.Now, fn.firings
	})
}

// bench is a schedule on a clock set by hand and a file that can be reopened.
type bench struct {
	*schedule.Schedule
	t     *testing.T
	path  string
	file  *file.File
	clock *clock.Manual
	fn    *functions
}

func newBench(t *testing.T) *bench {
	m := clock.NewManual(epoch)
	b := &bench{t: t, path: filepath.Join(t.TempDir(), "data"), clock: m,
		fn: &functions{clock: m, called: make(chan string), verdicts: make(chan error)}}
	b.file = openFile(t, b.path)
	b.Schedule = start(t, b.file, m, b.fn)
	return b
}

func (b *bench) restart() {
	b.t.Helper()
	b.Close()
	if err := b.file.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.file = openFile(b.t, b.path)
	b.Schedule = start(b.t, b.file, b.clock, b.fn)
}

func (b *bench) set(name string, in time.Duration, payload string) {
	b.t.Helper()
	err := b.Set(b.t.Context(), core.Timer{Name: name, At: b.clock.Now().Add(in), Function: "f", Payload: json.RawMessage(payload)})
	if err != nil {
		b.t.Fatal(err)
	}
}

// call awaits an invocation.
func (b *bench) call(payload string) {
	b.t.Helper()
	if got := <-b.fn.called; got != payload {
		b.t.Fatalf("%s was invoked, want %s", got, payload)
	}
}

// records returns the keys that are kept, once there are n of them.
func (b *bench) records(n int) (keys []string) {
	b.t.Helper()
	for len(keys) != n || keys == nil {
		keys = []string{}
		if err := b.file.Records("schedule").Each(func(key string, _ []byte) error {
			keys = append(keys, key)
			return nil
		}); err != nil {
			b.t.Fatal(err)
		}
	}
	return keys
}

func TestRestart(t *testing.T) {
	b := newBench(t)
	b.set("a", time.Hour, `"a"`)
	b.restart()
	b.clock.Advance(time.Hour - 1)
	if n := b.clock.Armed(); n != 1 {
		t.Error("it fired too early")
	}
	b.clock.Advance(1)
	b.call(`"a"`)
	b.restart() // while the function runs: it fires again
	b.call(`"a"`)
	b.fn.verdicts <- nil
	b.records(0)
	b.restart()
	b.clock.Advance(24 * time.Hour)
	if n := len(b.fn.firings()); n != 2 {
		t.Errorf("fired %d times, want 2", n)
	}
}

func TestOverdueAtStart(t *testing.T) {
	b := newBench(t)
	b.set("a", time.Hour, `"a"`)
	b.Close()
	b.clock.Advance(2 * time.Hour)
	b.restart()
	b.call(`"a"`)
	b.fn.verdicts <- nil
	b.records(0)
}

func TestRetries(t *testing.T) {
	b := newBench(t)
	b.set("a", time.Second, `"a"`)
	b.clock.Advance(time.Second)
	for _, pause := range []time.Duration{1, 2, 4, 8} {
		b.call(`"a"`)
		b.fn.verdicts <- errors.New("not now")
		b.clock.Await(1)
		at, _ := b.clock.Next()
		if d := at.Sub(b.clock.Now()); d != pause*time.Second {
			t.Errorf("a pause of %s, want %ds", d, pause)
		}
		b.clock.Advance(pause * time.Second)
	}
	b.call(`"a"`)
	b.fn.verdicts <- nil
	b.records(0)
}

func TestGivesUp(t *testing.T) {
	b := newBench(t)
	b.set("a", 0, `"a"`)
	for try := range 185 {
		if try > 0 {
			b.clock.Await(1)
			b.clock.Advance(5 * time.Minute)
		}
		b.call(`"a"`)
		b.fn.verdicts <- errors.New("never")
	}
	for keys := b.records(1); keys[0] != "dead/a"; keys = b.records(1) {
	}
	if n := b.clock.Armed(); n != 0 {
		t.Errorf("%d timers are armed", n)
	}
}

// TestSetWhileFiring: the new timer is not taken for the one that has just fired.
func TestSetWhileFiring(t *testing.T) {
	b := newBench(t)
	b.set("a", 0, `"old"`)
	b.call(`"old"`)
	b.set("a", time.Minute, `"new"`)
	b.fn.verdicts <- nil
	b.restart()
	b.clock.Advance(time.Minute)
	b.call(`"new"`)
	b.fn.verdicts <- nil
	b.records(0)
}
