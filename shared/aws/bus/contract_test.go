package bus_test

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/aws/awstest"
	"github.com/slipway-cd/slipway/shared/aws/bus"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
)

// TestContract subscribes a queue by a rule for the source.
func TestContract(t *testing.T) {
	cfg := awstest.Config(t)
	contract.Bus(t, func(t *testing.T) (core.Bus, func() []core.BusEvent) {
		name, received := awstest.EventBus(t, cfg, bus.Source)
		return bus.New(cfg, name, clock.System()), func() (events []core.BusEvent) {
			for _, message := range received() {
				e, err := bus.Event(message)
				if err != nil {
					t.Errorf("%v: %.200s", err, message)
				}
				events = append(events, e)
			}
			return events
		}
	})
}
