package door

import (
	"fmt"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/journal"
)

// inputRun gives values to a node that asks for them while running (BEHAVIOUR §12.3).
func (d *door) inputRun(c *request.Call) (httpio.Answer, error) {
	var req struct {
		Node   string            `json:"node"`
		Values map[string]string `json:"values"`
	}
	if err := httpio.StrictJSON(c.Request, httpio.MaxBody, &req); err != nil {
		return httpio.Answer{}, err
	}
	if req.Node == "" {
		return httpio.Answer{}, fault.New(fault.Invalid, "field node is needed: the path of a step, step group or stage that waits for input")
	}
	r, _, err := d.Journal.Whole(c.Ctx, c.Who.Account, c.PathValue("run"))
	if err != nil {
		return httpio.Answer{}, err
	}
	n, err := named(r, req.Node)
	if err != nil {
		return httpio.Answer{}, err
	}
	if err := d.give(c, r, n, req.Values); err != nil {
		return httpio.Answer{}, err
	}
	return httpio.Answer{Body: map[string]any{"run": r.Launch.Run, "node": n.FQN}}, nil
}

// give gives the values to the node.
func (d *door) give(c *request.Call, r *engine.Run, n *core.Node, values map[string]string) error {
	_, err := d.Journal.Apply(c.Ctx, journal.Ref{Account: r.Account, Run: r.Launch.Run, Track: r.Owner(n.FQN)}, core.Event{
		Type: core.EventGiven, Actor: c.Who.Actor.ID, Given: &core.Given{Node: n.FQN, Values: values, By: c.Who.Actor},
	})
	if err != nil {
		return fmt.Errorf("input: %w", err)
	}
	return nil
}
