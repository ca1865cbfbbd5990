package door

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/journal"
)

// Interrupts that pause, as Harness names them.
const (
	interruptPause  = "Pause"
	interruptResume = "Resume"
)

// pauseRoutes hold runs up and let them go on.
func (d *door) pauseRoutes() httpio.Routes {
	return httpio.Routes{
		"POST /slipway/v1/runs/{run}/pause":  d.ofRun(govern.Execute, d.pauseRun),
		"POST /slipway/v1/runs/{run}/resume": d.ofRun(govern.Execute, d.resumeRun),
	}
}

func (d *door) pauseRun(c *request.Call) (httpio.Answer, error)  { return d.pauseOrResume(c, false) }
func (d *door) resumeRun(c *request.Call) (httpio.Answer, error) { return d.pauseOrResume(c, true) }

// pauseOrResume is Slipway's own route: of a run, or the stage in it that the body names.
func (d *door) pauseOrResume(c *request.Call, resume bool) (httpio.Answer, error) {
	var req struct {
		Stage string `json:"stage"`
	}
	if err := httpio.OptionalJSON(c.Request, httpio.MaxBody, &req); err != nil {
		return httpio.Answer{}, err
	}
	r, _, err := d.Journal.Whole(c.Ctx, c.Who.Account, c.PathValue("run"))
	if err != nil {
		return httpio.Answer{}, err
	}
	n := r.Plan.Root
	if req.Stage != "" {
		if n, err = named(r, req.Stage); err != nil {
			return httpio.Answer{}, err
		}
	}
	accepted, err := d.pause(c, r, n, resume)
	return httpio.Answer{Body: map[string]any{"run": r.Launch.Run, "node": n.FQN, "accepted": accepted}}, err
}

// pause pauses a run or stage, or resumes it; accepted is false when it was paused.
func (d *door) pause(c *request.Call, r *engine.Run, n *core.Node, resume bool) (accepted bool, err error) {
	switch {
	case n.Kind != core.KindPipeline && n.Kind != core.KindStage:
		return false, fault.New(fault.Invalid, "%s is a %s: a run or a stage of it can be paused", n.FQN, n.Kind)
	case n.Loop != nil:
		return false, fault.New(fault.Invalid, "stage %s is run several times: name one of its iterations, or pause the run", n.Identifier)
	}
	a, err := d.Journal.Apply(c.Ctx, journal.Ref{Account: r.Account, Run: r.Launch.Run, Track: n.Track}, core.Event{
		Type: core.EventPause, Actor: c.Who.Actor.ID, Pause: &core.Pause{Resume: resume, By: c.Who.Actor}})
	return err == nil && !a.Ignored, err
}
