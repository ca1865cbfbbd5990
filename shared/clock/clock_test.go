package clock_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
)

var epoch = time.UnixMilli(1_790_000_000_000)

func TestContract(t *testing.T) {
	clocks := map[string]func() (core.Clock, func(time.Duration)){
		"system": func() (core.Clock, func(time.Duration)) { return clock.System(), nil },
		"fast":   func() (core.Clock, func(time.Duration)) { return clock.Fast(100, epoch), nil },
		"manual": func() (core.Clock, func(time.Duration)) { m := clock.NewManual(epoch); return m, m.Advance },
	}
	for name, open := range clocks {
		t.Run(name, func(t *testing.T) {
			contract.Clock(t, func(*testing.T) (core.Clock, func(time.Duration)) { return open() })
		})
	}
	t.Run("ids", func(t *testing.T) {
		contract.IDs(t, func(*testing.T) core.IDs { return clock.NewIDs(clock.System()) })
	})
	t.Run("seeded ids", func(t *testing.T) {
		contract.IDs(t, func(*testing.T) core.IDs { return clock.Seeded(clock.NewManual(epoch), 1) })
	})
}

func TestFast(t *testing.T) {
	c := clock.Fast(3600, epoch)
	if d := c.Now().Sub(epoch); d < 0 || d > 12*time.Hour {
		t.Errorf("begins %s after its epoch", d)
	}
	fired := make(chan time.Time)
	c.AfterFunc(time.Minute, func() { fired <- c.Now() })
	if d := (<-fired).Sub(epoch); d < time.Minute {
		t.Errorf("a minute took %s", d)
	}
}

func TestManual(t *testing.T) {
	m := clock.NewManual(epoch)
	var got []string
	note := func(what string) func() {
		return func() { got = append(got, what+" at "+m.Now().Sub(epoch).String()) }
	}
	m.AfterFunc(3*time.Second, note("c"))
	m.AfterFunc(time.Second, func() {
		note("a")()
		m.AfterFunc(time.Second, note("a's"))
	})
	m.AfterFunc(3*time.Second, note("d"))
	stop := m.AfterFunc(2*time.Second, note("stopped"))
	m.AfterFunc(5*time.Second, note("e"))
	stop()
	if at, ok := m.Next(); !ok || !at.Equal(epoch.Add(time.Second)) || m.Armed() != 4 {
		t.Errorf("next is %s, %v, of %d", at, ok, m.Armed())
	}
	m.Advance(4 * time.Second)
	want := []string{"a at 1s", "a's at 2s", "c at 3s", "d at 3s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if d := m.Now().Sub(epoch); d != 4*time.Second {
		t.Errorf("it is %s", d)
	}
	go m.AfterFunc(time.Second, note("f"))
	m.Await(2)
	m.Advance(time.Second)
	if slices.Sort(got[4:]); !slices.Equal(got[4:], []string{"e at 5s", "f at 5s"}) {
		t.Errorf("then %v", got[4:])
	}
	if _, ok := m.Next(); ok {
		t.Error("a timer is left")
	}
}

type settable struct {
	core.Clock
	now time.Time
}

func (c *settable) Now() time.Time { return c.now }

func TestIDsClockSetBack(t *testing.T) {
	for name, make := range map[string]func(core.Clock) core.IDs{
		"random": clock.NewIDs,
		"seeded": func(c core.Clock) core.IDs { return clock.Seeded(c, 7) },
	} {
		c := &settable{Clock: clock.System(), now: epoch}
		ids := make(c)
		first := ids.New()
		c.now = epoch.Add(-time.Hour)
		if second := ids.New(); second <= first {
			t.Errorf("%s: %s after %s", name, second, first)
		}
	}
}

func TestSeeded(t *testing.T) {
	a, b := clock.Seeded(clock.NewManual(epoch), 7), clock.Seeded(clock.NewManual(epoch), 7)
	other := clock.Seeded(clock.NewManual(epoch), 8)
	for range 3 {
		id, token := a.New(), a.Token()
		if id != b.New() || token != b.Token() {
			t.Error("one seed, two sequences")
		}
		if id == other.New() || token == other.Token() {
			t.Error("two seeds, one sequence")
		}
	}
}
