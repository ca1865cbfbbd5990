package door

import (
	"fmt"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/journal"
)

// interruptNode interrupts a run at one node: aborts it, marks what runs there as
// failed, or answers a ManualIntervention (BEHAVIOUR §14.4).
func (d *door) interruptNode(c *request.Call) (httpio.Answer, error) {
	run, id, kind := c.PathValue("run"), c.PathValue("node"), c.Q.Get("interruptType")
	if kind == "" {
		return httpio.Answer{}, fault.New(fault.Invalid, "query parameter interruptType is needed: AbortAll, UserMarkedFailure or an action")
	}
	if err := d.inProject(c, govern.Execute, run); err != nil {
		return httpio.Answer{}, err
	}
	r, _, err := d.Journal.Whole(c.Ctx, c.Who.Account, run)
	if err != nil {
		return httpio.Answer{}, err
	}
	var n *core.Node
	r.Walk(func(o *core.Node) {
		if engine.NodeExecutionID(run, o.FQN) == id {
			n = o
		}
	})
	switch {
	case n == nil:
		return httpio.Answer{}, fault.New(fault.NotFound, "run %s has no node %s", run, id)
	case kind == "AbortAll":
		_, err = d.abort(c, run, "")
	case kind == interruptPause, kind == interruptResume:
		_, err = d.pause(c, r, n, kind == interruptResume)
	default:
		err = d.intervene(c, r, n, core.ActionType(kind))
	}
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.OK(c.Request, interrupted{ID: d.ids.New(), Type: kind, Run: run}), nil
}

// interveneRun does the same to a node that is named by its path.
func (d *door) interveneRun(c *request.Call) (httpio.Answer, error) {
	var req struct {
		Node   string          `json:"node"`
		Action core.ActionType `json:"action"`
	}
	if err := httpio.StrictJSON(c.Request, httpio.MaxBody, &req); err != nil {
		return httpio.Answer{}, err
	}
	if req.Node == "" || req.Action == "" {
		return httpio.Answer{}, fault.New(fault.Invalid, "fields node and action are needed: the path of a step, and what is to become of it")
	}
	r, _, err := d.Journal.Whole(c.Ctx, c.Who.Account, c.PathValue("run"))
	if err != nil {
		return httpio.Answer{}, err
	}
	n, err := named(r, req.Node)
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.Answer{Body: map[string]any{"run": r.Launch.Run, "node": n.FQN, "action": req.Action}}, d.intervene(c, r, n, req.Action)
}

// named finds a node by its FQN, by its path as `slipway simulate` writes it, or by
// an identifier that only one node has.
func named(r *engine.Run, name string) (*core.Node, error) {
	var found []*core.Node
	exact := false
	r.Walk(func(n *core.Node) {
		short := strings.ReplaceAll(strings.TrimPrefix(n.FQN, "pipeline."), ".spec.execution.", ".")
		switch {
		case exact:
		case n.FQN == name || short == name:
			found, exact = []*core.Node{n}, true
		case n.Identifier == name && n.Kind != core.KindPipeline:
			found = append(found, n)
		}
	})
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, fault.New(fault.NotFound, "run %s has no node %q", r.Launch.Run, name)
	}
	var all []string
	for _, n := range found {
		all = append(all, n.FQN)
	}
	return nil, fault.New(fault.Invalid, "%q is the identifier of several nodes; say which: %s", name, strings.Join(all, ", "))
}

// intervene tells the track that walks the node; a stage or group is marked as failed
// by the steps that run in it.
func (d *door) intervene(c *request.Call, r *engine.Run, n *core.Node, action core.ActionType) error {
	if action != core.InterruptMarkFailed || n.Kind == core.KindStep {
		return d.tell(c, r, n.FQN, action)
	}
	marked := 0
	for track := range r.TrackIDs() {
		_, t, err := d.Journal.Load(c.Ctx, journal.Ref{Account: r.Account, Run: r.Launch.Run, Track: track})
		if err != nil {
			return err
		}
		fqn := t.Busy()
		if fqn == "" || !r.Below(r.Node(fqn), n) {
			continue
		}
		err = d.tell(c, r, fqn, action)
		switch {
		case err == nil:
			marked++
		case !fault.Is(err, fault.Gone): // it has ended meanwhile
			return err
		}
	}
	if marked == 0 {
		return fault.New(fault.Gone, "nothing runs in %s", n.FQN)
	}
	return nil
}

func (d *door) tell(c *request.Call, r *engine.Run, fqn string, action core.ActionType) error {
	_, err := d.Journal.Apply(c.Ctx, journal.Ref{Account: r.Account, Run: r.Launch.Run, Track: r.Owner(fqn)}, core.Event{
		Type: core.EventIntervened, Actor: c.Who.Actor.ID,
		Intervened: &core.Intervened{Node: fqn, Action: action, By: c.Who.Actor},
	})
	if err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	return nil
}
