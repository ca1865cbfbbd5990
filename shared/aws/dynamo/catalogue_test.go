package dynamo_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/aws/awstest"
	"github.com/slipway-cd/slipway/shared/aws/dynamo"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity/entitytest"
	"github.com/slipway-cd/slipway/shared/meter"
)

// TestCatalogueUnits holds what the estimate says of the catalogue, from which its page is
// written, to what DynamoDB says that it consumed.
func TestCatalogueUnits(t *testing.T) {
	cfg := awstest.Config(t)
	measure := func(wrap func(core.Ports) core.Ports) []entitytest.Cost {
		t.Helper()
		at := clock.NewManual(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		ports := wrap(core.Ports{Store: &entitytest.Memory{}, Secrets: &entitytest.Values{}, Clock: at, IDs: clock.NewIDs(at)})
		costs, err := entitytest.Measure(t.Context(), ports, 10, 100)
		if err != nil {
			t.Fatal(err)
		}
		for i := range costs { // other services, and time
			for u := range costs[i].Use {
				if u := core.Unit(u); u != core.ReadHalves && u != core.WriteHalves {
					costs[i].Use[u] = 0
				}
			}
		}
		return costs
	}
	want := measure(meter.Estimate)
	for i := range want {
		if want[i].What == "delete" { // it asks who uses what is deleted: of a query that finds nothing, stand-ins count nothing
			want[i].Use[core.ReadHalves] -= meter.ReadHalves(0, true)
		}
	}
	got := measure(func(p core.Ports) core.Ports {
		p.Store = dynamo.New(cfg, awstest.Table(t, cfg), clock.System())
		return p
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("estimated (-) and consumed (+):\n%s", diff)
	}
}

// TestTransactionsTakeTwice compares a transaction with its puts one by one, for stand-ins
// forget that it takes twice the units.
func TestTransactionsTakeTwice(t *testing.T) {
	cfg := awstest.Config(t)
	consumed := func(write func(ctx context.Context, s core.Store) error) int64 {
		c := &tally{}
		if err := write(core.WithCounter(t.Context(), c), dynamo.New(cfg, awstest.Table(t, cfg), clock.System())); err != nil {
			t.Fatal(err)
		}
		return c.sum[core.WriteHalves]
	}
	var puts []core.Put
	for n, bytes := range []int{10, 900, 1100, 30_000} {
		puts = append(puts, core.Put{Item: core.Item{Key: core.Key{PK: "p", SK: string(rune('a' + n))}, Version: 1, Body: make([]byte, bytes)}})
	}
	together := consumed(func(ctx context.Context, s core.Store) error { return s.Write(ctx, puts...) })
	alone := consumed(func(ctx context.Context, s core.Store) error {
		for _, p := range puts {
			if err := s.Write(ctx, p); err != nil {
				return err
			}
		}
		return nil
	})
	if together != 2*alone || together != meter.WriteHalves(puts...) {
		t.Errorf("together %d halves of a unit, alone %d, estimated %d", together, alone, meter.WriteHalves(puts...))
	}
}
