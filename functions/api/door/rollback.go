package door

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/launch"
)

// rollbackRoutes roll back runs that have succeeded (BEHAVIOUR §14.7).
func (d *door) rollbackRoutes() httpio.Routes {
	return httpio.Routes{
		"POST /slipway/v1/runs/{run}/rollback": d.ofRun(govern.Execute, d.rollbackRun),
		"POST /ng/api/rollback/trigger":        request.Project(d.triggerRollback),
		"POST /ng/api/rollback/check":          request.Project(d.checkRollback),
	}
}

// rollbackRun is Slipway's own route.
func (d *door) rollbackRun(c *request.Call) (httpio.Answer, error) {
	var req struct {
		Stages []string `json:"stages"`
	}
	if err := httpio.OptionalJSON(c.Request, httpio.MaxBody, &req); err != nil {
		return httpio.Answer{}, err
	}
	s, err := d.Launch.Rollback(c.Ctx, launch.RollbackRequest{Again: again(c, c.PathValue("run")), Stages: req.Stages})
	return created(s), err
}

// placeOf is Harness's request: what is deployed somewhere. Both are the key of an
// infrastructure, as locks have it: here there is one deployment for it, the latest.
type placeOf struct {
	Key            string `json:"instanceKey"`
	Infrastructure string `json:"infrastructureMappingId"`
}

// latest is the request to roll back what is deployed there.
func (d *door) latest(c *request.Call) (launch.RollbackRequest, error) {
	var req placeOf
	if err := httpio.JSON(c.Request, httpio.MaxBody, &req); err != nil {
		return launch.RollbackRequest{}, err
	}
	if req.Infrastructure == "" {
		return launch.RollbackRequest{}, fault.New(fault.Invalid, "field infrastructureMappingId is needed: the key of an infrastructure, as `slipway queue list` shows it")
	}
	at, err := d.Journal.LastDeployed(c.Ctx, c.Who.Account, req.Infrastructure)
	if fault.Is(err, fault.NotFound) {
		return launch.RollbackRequest{}, fault.New(fault.NotFound, "nothing is known to be deployed to %s", req.Infrastructure)
	}
	if err == nil {
		err = d.inProject(c, govern.Execute, at.Run)
	}
	if err != nil {
		return launch.RollbackRequest{}, err
	}
	r, _, err := d.Journal.Whole(c.Ctx, c.Who.Account, at.Run)
	if err != nil {
		return launch.RollbackRequest{}, err
	}
	return launch.RollbackRequest{Again: again(c, at.Run), Stages: []string{r.TrackRoot(at.Track).Identifier}}, nil
}

func (d *door) triggerRollback(c *request.Call) (httpio.Answer, error) {
	req, err := d.latest(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	s, err := d.Launch.Rollback(c.Ctx, req)
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.OK(c.Request, map[string]any{"isRollbackTriggered": true, "planExecutionId": s.Run, "message": nil}), nil
}

func (d *door) checkRollback(c *request.Call) (httpio.Answer, error) {
	req, err := d.latest(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	out := map[string]any{"isRollbackAllowed": true, "message": nil}
	if err := d.Launch.CheckRollback(c.Ctx, req); err != nil {
		if !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.Conflict) {
			return httpio.Answer{}, err
		}
		out = map[string]any{"isRollbackAllowed": false, "message": err.Error()}
	}
	return httpio.OK(c.Request, out), nil
}
