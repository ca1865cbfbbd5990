package e2e

import (
	"testing"
	"time"

	"github.com/slipway-cd/slipway/delegate/runner"
	"github.com/slipway-cd/slipway/e2e/noop"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/dispatch"
	"github.com/slipway-cd/slipway/shared/meter"
	"github.com/slipway-cd/slipway/shared/view"
)

// TestBudget holds the serial run of 3 × 5 steps to what a step may cost (DESIGN
// §3). Syncs that bring nothing are what a connected delegate costs, not a run;
// here none is made, for the delegate is woken when there is work.
func TestBudget(t *testing.T) {
	const stages, steps = 3, 5
	m := &meter.Meter{}
	pace := dispatch.LocalPace()
	pace.Idle, pace.Active = time.Hour, time.Hour
	in := startInside(t, platform.Config{Delegate: true, Runners: []runner.Runner{noop.Runner{}}, Pace: &pace,
		Wrap: m.Wrap, OnTransition: m.Transition, OnInvoke: m.Invoke})
	run := func() {
		m.Reset()
		r := in.run(noop.Pipeline(stages, steps), nil)
		if r.Status != "Success" {
			t.Fatal(show(r))
		}
		in.until(r.ID, func(view.Run) bool { // the machines leave after the run has ended
			return m.Total().Transitions >= 17
		})
	}
	run() // the delegate makes itself known
	run()
	const n = stages * steps
	by, total := m.ByCause(), m.Total("other") // other: this test looking
	t.Logf("per step:\n%s", m.Table(n))
	transitions := by["machine pipeline"].Transitions + by["machine stage"].Transitions
	if transitions != 17 {
		t.Errorf("%d transitions, want 17", transitions)
	}
	// Of the syncs only those that bring a task count; each stage needs one.
	invocations := by["function advance"].Invocations + by["function delegate: complete"].Invocations + stages
	for _, b := range []struct {
		what string
		got  float64
		most float64
	}{
		{"transitions", float64(transitions) / n, 1.2},
		{"invocations of advance and delegate", float64(invocations) / n, 1.5},
		{"write units", total.WriteUnits() / n, 4},
		{"read units", total.ReadUnits() / n, 4},
	} {
		if b.got > b.most {
			t.Errorf("%s a step: %.2f, the budget is %.2f", b.what, b.got, b.most)
		}
	}
}
