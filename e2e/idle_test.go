package e2e

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/dispatch"
	"github.com/slipway-cd/slipway/shared/meter"
)

// maxDelegate is what a connected delegate that does nothing may cost a month, in
// dollars. It is what the documentation says, rounded up.
const maxDelegate = 1.5

// idle is what a platform has used since its start, by cause.
func idle(in *inside) map[string]core.Use {
	all := map[string]core.Use{}
	for _, m := range in.Meters() {
		for cause, u := range m.ByCause() {
			sum := all[cause]
			sum.Add(u)
			all[cause] = sum
		}
	}
	return all
}

// TestIdleDelegate prices a month of a delegate with nothing to do, at the pace it
// has on AWS, from a dozen of its calls.
func TestIdleDelegate(t *testing.T) {
	pace := dispatch.DefaultPace()
	in := startInside(t, platform.Config{Delegate: true, Pace: &pace, Clock: clock.Fast(200, time.Now()), Apart: true})
	calls := func(least int64) (map[string]core.Use, int64) {
		t.Helper()
		for end := time.Now().Add(time.Minute); time.Now().Before(end); wait(2 * time.Millisecond) {
			if by := idle(in); by["sync"][core.Invocations] >= least {
				return by, by["sync"][core.Invocations]
			}
		}
		t.Fatal("the delegate does not call")
		return nil, 0
	}
	before, first := calls(2) // the first makes it known
	after, last := calls(first + 12)
	month := map[string]core.Use{}
	for cause, u := range after {
		for i := range u {
			u[i] = int64(float64(u[i]-before[cause][i]) * meter.MonthSeconds / pace.Idle.Seconds() / float64(last-first))
		}
		if cause == "sync" { // the fast clock stretches it: 8 ms a call and 2 ms besides
			u[core.MemoryTime] = meter.DefaultMemory * (8*(u[core.Reads]+u[core.Writes]) + 2*u[core.Invocations])
		}
		month[cause] = u
	}
	if got := slices.Sorted(maps.Keys(month)); !slices.Equal(got, []string{"authorizer", "sync"}) {
		t.Errorf("an idle delegate uses %v", got)
	}
	bill := meter.NewBill(month, nil)
	t.Logf("a month of a delegate that calls every %s:\n%s", pace.Idle, bill.Table(1))
	if bill.Dollars > maxDelegate {
		t.Errorf("$%.2f a month, at most $%.2f", bill.Dollars, maxDelegate)
	}
}

// TestIdlePlatform lets days pass without a delegate and without a run: nothing is
// invoked.
func TestIdlePlatform(t *testing.T) {
	started := time.Now()
	c := clock.Fast(1_000_000, started)
	in := startInside(t, platform.Config{Clock: c, Apart: true})
	for c.Now().Sub(started) < 7*24*time.Hour {
		wait(10 * time.Millisecond)
	}
	if by := idle(in); len(by) > 0 {
		t.Errorf("an idle platform has used %v", by)
	}
}
