package e2e

import (
	"testing"
	"time"

	"github.com/slipway-cd/slipway/delegate/runner"
	"github.com/slipway-cd/slipway/e2e/budget"
	"github.com/slipway-cd/slipway/e2e/noop"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/dispatch"
)

// TestBudget holds the serial run of 3 × 5 steps to what a step may cost (DESIGN
// §3), in one process and with each door apart, as on AWS.
func TestBudget(t *testing.T) {
	for name, apart := range map[string]bool{"one process": false, "each door apart": true} {
		t.Run(name, func(t *testing.T) {
			pace := dispatch.LocalPace()
			pace.Idle, pace.Active = time.Hour, time.Hour // it is woken when there is work
			in := startInside(t, platform.Config{Delegate: true, Runners: []runner.Runner{noop.Runner{}}, Pace: &pace,
				Apart: apart, MeterEach: true})
			budget.Hold(t, in.URL(), in.AdminToken())
		})
	}
}
