// Package budget holds a serial run of 3 × 5 steps to what a step may cost (DESIGN
// §3), on any deployment, through its API alone.
package budget

import (
	"context"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/e2e/noop"
	"github.com/slipway-cd/slipway/shared/meter"
)

const (
	stages, steps = 3, 5
	transitions   = 17
)

// Limits of a step and of a run, DESIGN §3.
const (
	maxTransitions = 1.2
	maxInvocations = 1.5
	maxWrites      = 4
	maxReads       = 4
	maxDollars     = 0.80 / 1000 // a run
)

// Hold runs the pipeline twice on the platform at base, of which one delegate is
// connected, and holds the second to the budget. Its counts are to be written at
// the end of every invocation and left out of them (SLIPWAY_METER=each); here one
// write is added for each process that has counted. It prints where each unit and each
// cent comes from.
func Hold(t *testing.T, base, token string) {
	t.Helper()
	c, err := client.New(base, token, "")
	if err != nil {
		t.Fatal(err)
	}
	run(t, c) // the functions have started, the delegate has made itself known
	cost := run(t, c)
	bill := Fair(cost.Bill)
	const n = stages * steps
	t.Logf("a step, by cause:\n%s\n%d processes have counted", bill.Table(n), cost.Records)
	if got := bill.Quantity("Step Functions", "transition"); got != transitions {
		t.Errorf("%g transitions, want %d", got, transitions)
	}
	for _, b := range []struct {
		what string
		got  float64
		most float64
	}{
		{"transitions", bill.Quantity("Step Functions", "transition") / n, maxTransitions},
		{"invocations of advance and delegate", bill.Quantity("Lambda", "request", "enter", "recover", "advance", "sync", "complete", "logs") / n, maxInvocations},
		{"write units", (bill.Quantity("DynamoDB", "write unit") + float64(cost.Records)) / n, maxWrites},
		{"read units", bill.Quantity("DynamoDB", "read unit") / n, maxReads},
		{"dollars for 1,000 runs", bill.Dollars * 1000, maxDollars * 1000},
	} {
		t.Logf("%-36s %.3f, at most %.2f", b.what, b.got, b.most)
		if b.got > b.most {
			t.Errorf("%s: %.3f, the budget is %.2f", b.what, b.got, b.most)
		}
	}
}

// run runs the pipeline and waits until everything that it causes has been counted.
func run(t *testing.T, c *client.Client) meter.Cost {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	started, err := c.Launch(ctx, client.Launch{YAML: noop.Pipeline(stages, steps), File: "budget.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var last float64
	for ended := false; ; <-tick.C {
		r, err := c.Run(ctx, started.Run)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Ended {
			continue
		}
		if r.Status != "Success" {
			t.Fatalf("run %s ended %s", r.ID, r.Status)
		}
		cost, err := c.Cost(ctx, started.Run)
		if err != nil {
			t.Fatal(err)
		}
		now := cost.Without("view").Dollars
		if ended && now == last {
			return cost
		}
		ended, last = true, now
	}
}

// Fair leaves out of a bill who only looked, and of the syncs those that brought no
// task: they are what a connected delegate costs, not a run. One a stage brings one.
// What syncs have written is of claims.
func Fair(b meter.Bill) meter.Bill {
	b = b.Without("view")
	syncs := b.Quantity("Lambda", "request", "sync")
	share := 1.0
	if syncs > stages {
		share = stages / syncs
	}
	asked := b.Quantity("API Gateway", "request")
	rows := b.Rows
	b.Rows, b.Dollars = nil, 0
	for _, r := range rows {
		f := 1.0
		switch {
		case r.Cause == "sync" && r.Unit != "write unit":
			f = share
		case r.Cause == "authorizer":
			f = 1 - (1-share)*syncs/asked
		}
		r.Quantity, r.Dollars = r.Quantity*f, r.Dollars*f
		b.Rows, b.Dollars = append(b.Rows, r), b.Dollars+r.Dollars
	}
	return b
}
