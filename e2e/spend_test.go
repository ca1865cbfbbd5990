package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/localstack/embedded/weak"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/meter"
	"github.com/slipway-cd/slipway/shared/view"
)

// told keeps what was put on the bus.
type told struct {
	core.Bus
	mu  sync.Mutex
	ids map[string]core.BusEvent
}

// Publish implements core.Bus.
func (b *told) Publish(ctx context.Context, events ...core.BusEvent) error {
	b.mu.Lock()
	for _, e := range events {
		b.ids[e.Type+" "+e.ID] = e
	}
	b.mu.Unlock()
	return b.Bus.Publish(ctx, events...)
}

// of returns the events of a type.
func (b *told) of(kind string) (events []core.BusEvent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.ids {
		if e.Type == kind {
			events = append(events, e)
		}
	}
	return events
}

func withBudget(amount, action, steps string) string {
	return strings.Replace(onePipeline(steps), "  stages:\n",
		"  tags: {slipway.budget: "+amount+" USD, slipway.budget.action: "+action+"}\n  stages:\n", 1)
}

// TestSpend lets runs be over their budget: the counts of one that waits for an
// approval are written while it does.
func TestSpend(t *testing.T) {
	tests := map[string]struct {
		amount, action string
		weak           bool
		warned         bool
		status         string
	}{
		"enough":                  {"0.01", "stop", false, false, "Success"},
		"over, warn":              {"0.000001", "warn", false, true, "Success"},
		"over, stop":              {"0.000001", "stop", false, true, "Aborted"},
		"over, stop, all is weak": {"0.000001", "stop", true, true, "Aborted"},
		"over, warn, all is weak": {"0.000001", "warn", true, true, "Success"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			bus := &told{ids: map[string]core.BusEvent{}}
			cfg := platform.Config{Delegate: true, Clock: clock.Fast(20, time.Now()), MeterEach: true}
			seed := weak.Seed(t)
			cfg.Wrap = func(p core.Ports) core.Ports {
				if tc.weak {
					p.Store, p.Bus = weak.Store(p.Store, weak.Usual(seed)), weak.Bus(p.Bus, weak.Usual(seed))
				}
				bus.Bus = p.Bus
				p.Bus = bus
				return p
			}
			if tc.weak {
				cfg.Weak = &workflow.Weak{Seed: seed, Duplicate: 0.3}
			}
			in := startInside(t, cfg)
			run := ""
			for run == "" { // a call may fail; its key makes it safe to repeat
				out, err := in.admin.Launch(t.Context(), client.Launch{YAML: withBudget(tc.amount, tc.action, shellItem+askItem), File: "b.yaml", Key: name})
				if err == nil {
					run = out.Run
				}
			}
			if tc.warned {
				in.until(run, func(r view.Run) bool { return len(r.Warnings) > 0 })
			}
			if tc.status == "Aborted" {
				in.until(run, ended)
			}
			r := in.finish(run)
			if r.Status != tc.status {
				t.Fatal(show(r))
			}
			if tc.warned != (len(r.Warnings) == 1) {
				t.Fatalf("warnings %+v", r.Warnings)
			}
			if !tc.warned {
				return
			}
			if w := r.Warnings[0]; w.Code != "budget" || w.Spent <= w.Limit || w.At == 0 || !strings.HasPrefix(w.Message, "budget of 1e-06 USD is used up") {
				t.Errorf("the warning is %+v", w)
			}
			if tc.status == "Aborted" && !strings.HasPrefix(r.Failure.Message, "budget of ") {
				t.Errorf("stopped because %s", r.Failure.Message)
			}
			in.until(run, func(view.Run) bool { return len(bus.of("run.budget")) > 0 && len(bus.of("run.ended")) > 0 })
			events := bus.of("run.budget")
			var detail struct {
				Run, Pipeline string
				Limit, Spent  float64
			}
			if err := json.Unmarshal(events[0].Detail, &detail); err != nil || len(events) != 1 ||
				detail.Run != run || detail.Pipeline != "p" || detail.Limit != 1e-6 || detail.Spent <= detail.Limit {
				t.Errorf("%d events, the first %s", len(events), events[0].Detail)
			}
		})
	}
}

// TestCost asks for the bill of a run.
func TestCost(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	r := in.run(withBudget("0.5", "warn", shellItem), nil)
	var cost meter.Cost
	in.until(r.ID, func(view.Run) bool { // the run has ended before the invocations that ended it
		var err error
		cost, err = in.admin.Cost(t.Context(), r.ID)
		return err == nil && cost.Quantity("Lambda", "request", "complete") == 1 && cost.Quantity("Step Functions", "transition") == 7
	})
	if cost.Run != r.ID || !cost.Estimated || cost.Currency != "USD" || cost.Budget == nil || cost.Budget.Over || cost.Budget.Dollars != 0.5 {
		t.Errorf("the bill is %+v", cost)
	}
	sum := 0.0
	for _, row := range cost.Rows {
		sum += row.Dollars
	}
	if sum == 0 || sum-cost.Dollars > 1e-12 || cost.Dollars-sum > 1e-12 {
		t.Errorf("the rows come to %g, the bill to %g", sum, cost.Dollars)
	}
	if _, err := in.admin.Cost(t.Context(), "nosuchrun"); err == nil {
		t.Error("a run that is not there has a bill")
	}
}
