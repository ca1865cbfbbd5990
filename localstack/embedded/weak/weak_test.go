package weak_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/localstack/embedded/bus"
	"github.com/slipway-cd/slipway/localstack/embedded/file"
	"github.com/slipway-cd/slipway/localstack/embedded/weak"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func openFile(t *testing.T) *file.File {
	t.Helper()
	f, err := file.Open(filepath.Join(t.TempDir(), "data"), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// certain are usual options without the fault that leaves a caller in doubt: the
// contract's suites have to know what has happened.
func certain(t *testing.T) weak.Options {
	o := weak.Usual(weak.Seed(t))
	o.AfterCommit = 0
	return o
}

func TestStoreContract(t *testing.T) {
	o := certain(t)
	contract.Store(t, func(t *testing.T) core.Store { return weak.Store(openFile(t).Store(), o) })
}

func TestBusContract(t *testing.T) {
	o := certain(t)
	contract.Bus(t, func(t *testing.T) (core.Bus, func() []core.BusEvent) {
		b, err := bus.New(openFile(t).Records("bus"), clock.System())
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var got []core.BusEvent
		b.Subscribe("test", func(core.BusEvent) bool { return true }, func(_ context.Context, e core.BusEvent) error {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, e)
			return nil
		})
		b.Start()
		t.Cleanup(func() { _ = b.Close() })
		return weak.Bus(b, o), func() []core.BusEvent {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(got)
		}
	})
}

func item(sk string, version int64, index string) core.Item {
	it := core.Item{Key: core.Key{PK: "p", SK: sk}, Version: version}
	if index != "" {
		it.Index = core.Key{PK: "i", SK: index}
	}
	return it
}

func put(t *testing.T, s core.Store, items ...core.Item) {
	t.Helper()
	for _, it := range items {
		if err := s.Write(t.Context(), core.Put{Item: it}); err != nil {
			t.Fatal(err)
		}
	}
}

func show(t *testing.T, s core.Store, q core.Query) (got []string) {
	t.Helper()
	page, err := s.Query(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range page.Items {
		got = append(got, fmt.Sprint(it.SK, it.Version))
	}
	return got
}

// settle makes calls until nothing is hidden.
func settle(s core.Store, lag int) {
	for range lag + 1 {
		_, _ = s.Get(context.Background(), core.Key{PK: "p", SK: "other"}, true)
	}
}

func TestLag(t *testing.T) {
	const lag = 100
	for seed := range uint64(20) {
		s := weak.Store(openFile(t).Store(), weak.Options{Seed: seed, Lag: lag, Stale: 1})
		put(t, s, item("a", 1, "1"), item("b", 1, "2"), item("c", 1, "3"))
		settle(s, lag)
		index := core.Query{PK: "i", Index: true}
		if diff := cmp.Diff([]string{"a1", "b1", "c1"}, show(t, s, index)); diff != "" {
			t.Fatalf("settled (-want +got)\n%s", diff)
		}
		// What changes now is hidden for 1 to lag calls: at first all, at last nothing.
		put(t, s, item("a", 2, "9"), item("b", 2, ""), item("d", 1, "4"))
		if err := s.Delete(t.Context(), item("c", 0, "").Key); err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for range lag + 1 {
			for _, q := range []core.Query{index, {PK: "p"}, {PK: "p", Strong: true}} {
				seen[fmt.Sprint(q.Index, q.Strong, show(t, s, q))] = true
			}
		}
		for _, want := range []string{"true false [d1 a2]", "false false [a2 b2 d1]", "false true [a2 b2 d1]"} {
			if !seen[want] {
				t.Errorf("seed %d: never %s", seed, want)
			}
		}
		if seen["false true [a1 b1 c1]"] || len(seen) < 4 {
			t.Errorf("seed %d: seen %v", seed, seen)
		}
	}
}

// TestStale: right after a write, each kind of read may be late, a strong one not.
func TestStale(t *testing.T) {
	s := weak.Store(openFile(t).Store(), weak.Options{Seed: 1, Lag: 1 << 30, Stale: 1})
	ctx := t.Context()
	put(t, s, item("a", 1, "1"))
	if _, err := s.Get(ctx, item("a", 0, "").Key, false); !fault.Is(err, fault.NotFound) {
		t.Errorf("an eventual get sees it: %v", err)
	}
	for _, q := range []core.Query{{PK: "p"}, {PK: "i", Index: true}} {
		if got := show(t, s, q); got != nil {
			t.Errorf("%+v sees %v", q, got)
		}
	}
	if it, err := s.Get(ctx, item("a", 0, "").Key, true); err != nil || it.Version != 1 {
		t.Errorf("a strong get: %+v, %v", it, err)
	}
	if diff := cmp.Diff([]string{"a1"}, show(t, s, core.Query{PK: "p", Strong: true})); diff != "" {
		t.Errorf("a strong query (-want +got)\n%s", diff)
	}
}

func TestFaults(t *testing.T) {
	ctx := t.Context()
	key := item("a", 0, "").Key
	tests := map[string]struct {
		options weak.Options
		kind    fault.Kind
		done    bool
	}{
		"throttled":    {weak.Options{Throttle: 1}, fault.Throttled, false},
		"after commit": {weak.Options{AfterCommit: 1}, fault.Unavailable, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			inner := openFile(t).Store()
			s := weak.Store(inner, tc.options)
			if err := s.Write(ctx, core.Put{Item: item("a", 1, "")}); !fault.Is(err, tc.kind) {
				t.Errorf("write: %v", err)
			}
			if _, err := inner.Get(ctx, key, true); (err == nil) != tc.done {
				t.Errorf("done: %v, want %v", err, tc.done)
			}
			put(t, inner, item("a", 1, ""))
			if err := s.Delete(ctx, key); !fault.Is(err, tc.kind) {
				t.Errorf("delete: %v", err)
			}
			if _, err := inner.Get(ctx, key, true); fault.Is(err, fault.NotFound) != tc.done {
				t.Errorf("done: %v, want %v", err, tc.done)
			}
			refused := s.Write(ctx, core.Put{Item: item("a", 1, ""), If: core.IfVersion(7)})
			if tc.done && !fault.Is(refused, fault.Conflict) {
				t.Errorf("a conflict is told as %v", refused)
			}
		})
	}
}

// events is a bus that keeps what is published.
type events struct{ got []string }

func (e *events) Publish(_ context.Context, all ...core.BusEvent) error {
	for _, x := range all {
		e.got = append(e.got, x.ID)
	}
	return nil
}

func TestBus(t *testing.T) {
	run := func(seed uint64) []string {
		var kept events
		b := weak.Bus(&kept, weak.Options{Seed: seed, Duplicate: 0.5})
		for i := range 10 {
			var batch []core.BusEvent
			for j := range 4 {
				batch = append(batch, core.BusEvent{ID: fmt.Sprint(10*i + j)})
			}
			if err := b.Publish(t.Context(), batch...); err != nil {
				t.Fatal(err)
			}
		}
		return kept.got
	}
	got := run(3)
	if !slices.Equal(got, run(3)) {
		t.Error("one seed, two outcomes")
	}
	if slices.Equal(got, run(4)) {
		t.Error("two seeds, one outcome")
	}
	distinct := slices.Clone(got)
	slices.Sort(distinct)
	if n := len(slices.Compact(distinct)); n != 40 || len(got) == 40 || slices.IsSorted(got) {
		t.Errorf("%d of 40 events, %d in all: %v", n, len(got), got)
	}
}

// delivered watches until it has seen n different items.
func delivered(t *testing.T, s core.Store, n int) (got []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := map[core.Key]bool{}
	if err := s.Watch(ctx, "w", func(_ context.Context, items []core.Item) error {
		for _, it := range items {
			got = append(got, fmt.Sprint(it.SK, it.Version))
			if seen[it.Key] = true; len(seen) == n {
				cancel()
			}
		}
		return nil
	}); err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	return got
}

func TestWatch(t *testing.T) {
	run := func(seed uint64) []string {
		s := openFile(t).Store()
		for i := range 20 {
			it := item(fmt.Sprint(i), 1, "")
			it.Pending = true
			put(t, s, it)
		}
		return delivered(t, weak.Store(s, weak.Options{Seed: seed, Duplicate: 1}), 20)
	}
	got := run(5)
	if !slices.Equal(got, run(5)) {
		t.Error("one seed, two outcomes")
	}
	if len(got) <= 20 || slices.IsSorted(got[:20]) {
		t.Errorf("neither disorder nor doubles: %v", got)
	}
}

// nothing implements every port but the store by doing nothing.
type nothing struct{}

func (nothing) Start(context.Context, string, string, json.RawMessage) error { return nil }
func (nothing) Finish(context.Context, string, json.RawMessage) error        { return nil }
func (nothing) Beat(context.Context, string) error                           { return nil }
func (nothing) Stop(context.Context, string, string, string) error           { return nil }
func (nothing) Describe(context.Context, string, string) (core.Execution, error) {
	return core.Execution{Name: "n"}, nil
}
func (nothing) Publish(context.Context, ...core.BusEvent) error { return nil }
func (nothing) Get(context.Context, string) ([]byte, error)     { return []byte("got"), nil }
func (nothing) Put(context.Context, string, []byte) error       { return nil }
func (nothing) Delete(context.Context, string) error            { return nil }
func (nothing) Set(context.Context, core.Timer) error           { return nil }
func (nothing) Cancel(context.Context, string) error            { return nil }

func TestTaps(t *testing.T) {
	var told []string
	tell := func(when string) weak.Hook {
		return func(op string, keys []core.Key) { told = append(told, fmt.Sprint(when, " ", op, " ", keys)) }
	}
	before, after := tell("before"), tell("after")
	s := weak.Tap(openFile(t).Store(), before, after)
	w := weak.TapWorkflow(nothing{}, before, after)
	secrets, blobs := weak.TapSecrets(nothing{}, before, after), weak.TapBlobs(nothing{}, before, after)
	schedule := weak.TapSchedule(nothing{}, before, after)
	ctx := t.Context()
	pending := item("a", 1, "")
	pending.Pending = true
	tests := map[string]func() error{
		"store.Write [{p a}]":         func() error { return s.Write(ctx, core.Put{Item: pending}) },
		"store.Get [{p a}]":           func() error { _, err := s.Get(ctx, pending.Key, true); return err },
		"store.Query [{p x}]":         func() error { _, err := s.Query(ctx, core.Query{PK: "p", SKPrefix: "x"}); return err },
		"store.Delete [{p z}]":        func() error { return s.Delete(ctx, core.Key{PK: "p", SK: "z"}) },
		"workflow.Start [{m n}]":      func() error { return w.Start(ctx, "m", "n", nil) },
		"workflow.Finish [{token t}]": func() error { return w.Finish(ctx, "t", nil) },
		"workflow.Beat [{token t}]":   func() error { return w.Beat(ctx, "t") },
		"workflow.Stop [{m n}]":       func() error { return w.Stop(ctx, "m", "n", "c") },
		"workflow.Describe [{m n}]":   func() error { _, err := w.Describe(ctx, "m", "n"); return err },
		"bus.Publish [{t i}]": func() error {
			return weak.TapBus(nothing{}, before, after).Publish(ctx, core.BusEvent{ID: "i", Type: "t"})
		},
		"secrets.Get [{secret s}]":    func() error { _, err := secrets.Get(ctx, "s"); return err },
		"secrets.Put [{secret s}]":    func() error { return secrets.Put(ctx, "s", nil) },
		"secrets.Delete [{secret s}]": func() error { return secrets.Delete(ctx, "s") },
		"schedule.Set [{timer t}]":    func() error { return schedule.Set(ctx, core.Timer{Name: "t"}) },
		"schedule.Cancel [{timer t}]": func() error { return schedule.Cancel(ctx, "t") },
		"blobs.Get [{blob b}]":        func() error { _, err := blobs.Get(ctx, "b"); return err },
		"blobs.Put [{blob b}]":        func() error { return blobs.Put(ctx, "b", nil) },
		"blobs.Delete [{blob b}]":     func() error { return blobs.Delete(ctx, "b") },
	}
	if err := s.Write(ctx, core.Put{Item: pending}); err != nil {
		t.Fatal(err)
	}
	for want, call := range tests {
		told = nil
		if err := call(); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if diff := cmp.Diff([]string{"before " + want, "after " + want}, told); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	told = nil
	if got := delivered(t, s, 1); len(got) == 0 || told[0] != "before store.Watch [{p a}]" && told[0] != "before store.Watch [{p a} {p a}]" {
		t.Errorf("watch told %v", told)
	}
	bare := weak.Tap(openFile(t).Store(), nil, nil)
	put(t, bare, item("a", 1, ""))
}
