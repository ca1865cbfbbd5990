package bus_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/localstack/embedded/bus"
	"github.com/slipway-cd/slipway/localstack/embedded/file"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
)

var epoch = time.UnixMilli(1_790_000_000_000)

func all(core.BusEvent) bool { return true }

func openFile(t *testing.T, path string) *file.File {
	t.Helper()
	f, err := file.Open(path, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func open(t *testing.T, f *file.File, c core.Clock) *bus.Bus {
	t.Helper()
	b, err := bus.New(f.Records("bus"), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func TestContract(t *testing.T) {
	contract.Bus(t, func(t *testing.T) (core.Bus, func() []core.BusEvent) {
		b := open(t, openFile(t, filepath.Join(t.TempDir(), "data")), clock.System())
		var mu sync.Mutex
		var got []core.BusEvent
		b.Subscribe("test", all, func(_ context.Context, e core.BusEvent) error {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, e)
			return nil
		})
		b.Start()
		return b, func() []core.BusEvent {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(got)
		}
	})
}

func event(id string) core.BusEvent {
	return core.BusEvent{ID: id, Type: "type." + id, Detail: json.RawMessage(`{}`)}
}

func publish(t *testing.T, b *bus.Bus, ids ...string) {
	t.Helper()
	var events []core.BusEvent
	for _, id := range ids {
		events = append(events, event(id))
	}
	if err := b.Publish(t.Context(), events...); err != nil {
		t.Fatal(err)
	}
}

// desk is a subscriber that hands over each event and awaits its verdict.
type desk struct {
	got      chan string
	verdicts chan error
}

func newDesk() desk { return desk{make(chan string), make(chan error)} }

func (d desk) take(ctx context.Context, e core.BusEvent) error {
	select {
	case d.got <- e.ID:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-d.verdicts:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d desk) want(t *testing.T, id string, verdict error) {
	t.Helper()
	if got := <-d.got; got != id {
		t.Errorf("got event %s, want %s", got, id)
	}
	d.verdicts <- verdict
}

func records(t *testing.T, f *file.File) (n int) {
	t.Helper()
	if err := f.Records("bus").Each(func(string, []byte) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestMatching(t *testing.T) {
	f := openFile(t, filepath.Join(t.TempDir(), "data"))
	b := open(t, f, clock.NewManual(epoch))
	one, two := newDesk(), newDesk()
	b.Subscribe("one", func(e core.BusEvent) bool { return e.Type == "type.a" }, one.take)
	b.Subscribe("two", func(e core.BusEvent) bool { return e.ID != "nobody's" }, two.take)
	publish(t, b, "b") // before the start: it waits
	b.Start()
	two.want(t, "b", nil)
	publish(t, b, "a")
	one.want(t, "a", nil)
	two.want(t, "a", nil)
	before := f.Stats().Commits
	publish(t, b, "nobody's")
	if n := f.Stats().Commits - before; n != 0 {
		t.Errorf("an event nobody wants cost %d commits", n)
	}
}

func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	f := openFile(t, path)
	b := open(t, f, clock.NewManual(epoch))
	d := newDesk()
	b.Subscribe("desk", all, d.take)
	b.Subscribe("idle", all, func(ctx context.Context, _ core.BusEvent) error { <-ctx.Done(); return ctx.Err() })
	b.Start()
	publish(t, b, "taken")
	d.want(t, "taken", nil)
	publish(t, b, "open")
	if got := <-d.got; got != "open" {
		t.Errorf("got %s", got)
	}
	if err := errors.Join(b.Close(), f.Close()); err != nil { // no verdict on the last
		t.Fatal(err)
	}

	f = openFile(t, path)
	b = open(t, f, clock.NewManual(epoch))
	b.Subscribe("desk", all, d.take)
	b.Start()
	d.want(t, "open", nil)
	publish(t, b, "new")
	d.want(t, "new", nil)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if n := records(t, f); n != 2 {
		t.Errorf("%d records are left, want those of the subscriber that is away", n)
	}
}

// TestNumbersGoOn: what is published after a restart does not replace what is kept.
func TestNumbersGoOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	nobody := func(context.Context, core.BusEvent) error { return errors.New("not started") }
	for i := range 3 {
		f := openFile(t, path)
		b := open(t, f, clock.NewManual(epoch))
		b.Subscribe("desk", all, nobody)
		publish(t, b, fmt.Sprint(i))
		if n := records(t, f); n != i+1 {
			t.Errorf("%d records, want %d", n, i+1)
		}
		if err := errors.Join(b.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCommits: taking an event costs no commit of its own.
func TestCommits(t *testing.T) {
	m := clock.NewManual(epoch)
	f := openFile(t, filepath.Join(t.TempDir(), "data"))
	b := open(t, f, m)
	d := newDesk()
	b.Subscribe("desk", all, d.take)
	b.Start()
	for i := range 20 {
		publish(t, b, fmt.Sprint(i))
		d.want(t, fmt.Sprint(i), nil)
	}
	if n := f.Stats().Commits; n != 20 {
		t.Errorf("%d commits for 20 events", n)
	}
	for records(t, f) > 0 { // deliveries and flushes run beside us
		m.Advance(time.Second)
	}
}

func TestRetriesThenDead(t *testing.T) {
	m := clock.NewManual(epoch)
	f := openFile(t, filepath.Join(t.TempDir(), "data"))
	b := open(t, f, m)
	d := newDesk()
	b.Subscribe("desk", all, d.take)
	b.Start()
	publish(t, b, "bad")
	for try := 1; try <= 185; try++ {
		d.want(t, "bad", fmt.Errorf("try %d", try))
		if try < 185 {
			m.Await(1)
			at, _ := m.Next()
			if want := min(100*time.Millisecond<<min(try-1, 20), 5*time.Minute); at.Sub(m.Now()) != want {
				t.Errorf("pause %d is %s, want %s", try, at.Sub(m.Now()), want)
			}
			m.Advance(at.Sub(m.Now()))
		}
	}
	var dead []bus.Dead
	for len(dead) == 0 {
		var err error
		if dead, err = b.Dead(); err != nil {
			t.Fatal(err)
		}
	}
	want := []bus.Dead{{Subscriber: "desk", Error: "try 185", Tries: 185, Event: event("bad")}}
	if diff := cmp.Diff(want, dead); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n := records(t, f); n != 1 {
		t.Errorf("%d records, want the dead letter", n)
	}
}
