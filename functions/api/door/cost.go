package door

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/meter"
)

// runCost prices a run: what was counted and written down by now.
func (d *door) runCost(c *request.Call) (httpio.Answer, error) {
	run := c.PathValue("run")
	r, err := d.Journal.Run(c.Ctx, c.Who.Account, run)
	if err != nil {
		return httpio.Answer{}, err
	}
	d.Meter.Flush(c.Ctx, c.Who.Account, run)
	by, records, err := meter.Read(c.Ctx, d.Journal.Ports().Store, c.Who.Account, run)
	if err != nil {
		return httpio.Answer{}, err
	}
	transitions, err := d.Journal.Transitions(c.Ctx, c.Who.Account, run, true)
	if err != nil {
		return httpio.Answer{}, err
	}
	cost := meter.Cost{Run: run, Estimated: d.Meter.Estimated, Records: records, Bill: meter.NewBill(by, transitions)}
	if b, ok, _, err := core.ParseBudget(r.Plan.Tags); ok && err == nil {
		cost.Budget = &meter.Allowed{Dollars: b.Dollars, Action: b.Action, Over: cost.Dollars > b.Dollars}
	}
	return httpio.Answer{Body: cost}, nil
}
