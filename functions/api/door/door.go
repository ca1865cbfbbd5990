// Package door is the REST interface for people and their tools: Harness's
// pipeline and execution routes as its clients know them, and Slipway's own under
// /slipway/v1. Handlers decode, make one call, and encode.
package door

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/dispatch"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/launch"
	"github.com/slipway-cd/slipway/shared/meter"
	"github.com/slipway-cd/slipway/shared/view"
)

// Config is what the routes are handed to. All of it is required.
type Config struct {
	Journal   *journal.Journal
	Launch    *launch.Launch // its BaseURL begins the links that are given out
	Catalogue *entity.Catalogue
	Views     *view.Views
	Dispatch  *dispatch.Dispatch
	Govern    *govern.Govern
	Links     *govern.Links
	Meter     *meter.Meter
}

// door serves the routes.
type door struct {
	Config
	ids   core.IDs
	clock core.Clock
}

// New returns the routes, each at the root and under /gateway. They take the
// principal from the context and serve users only.
func New(cfg Config) http.Handler {
	ports := cfg.Journal.Ports()
	d := &door{cfg, ports.IDs, ports.Clock}
	return httpio.Mux(d.ids, d.all())
}

// Patterns are all routes, as http.ServeMux has them and without /gateway, in order.
func Patterns() []string { return slices.Sorted(maps.Keys((&door{}).all())) }

// all is every route there is.
func (d *door) all() httpio.Routes {
	routes := d.routes()
	maps.Copy(routes, d.recordRoutes())
	maps.Copy(routes, d.againRoutes())
	maps.Copy(routes, d.pauseRoutes())
	maps.Copy(routes, d.executionInputRoutes())
	maps.Copy(routes, d.retryRoutes())
	maps.Copy(routes, d.rollbackRoutes())
	return routes
}

// ofRun are routes on a run, for whoever may do that with it.
func (d *door) ofRun(action govern.Action, h request.Handler) httpio.Handler {
	return request.OfRun(action, h, func(ctx context.Context, account, run string) (core.Scope, error) {
		r, err := d.Journal.Run(ctx, account, run)
		if err != nil {
			return core.Scope{}, err
		}
		return r.Plan.Scope, nil
	})
}

// routes are those that more than one kind of user has, and Harness's of pipelines.
func (d *door) routes() httpio.Routes {
	const (
		v1 = "/v1/orgs/{org}/projects/{project}"
		ng = "/pipeline/api"
	)
	return httpio.Routes{
		"POST /slipway/v1/runs":                     request.Located(d.startRun),
		"GET /slipway/v1/runs":                      request.Located(d.listRuns),
		"GET /slipway/v1/runs/{run}":                d.ofRun(govern.View, d.showRun),
		"POST /slipway/v1/runs/{run}/abort":         d.ofRun(govern.Execute, d.abortRun),
		"POST /slipway/v1/runs/{run}/intervene":     d.ofRun(govern.Execute, d.interveneRun),
		"POST /slipway/v1/runs/{run}/input":         d.ofRun(govern.Execute, d.inputRun),
		"GET /slipway/v1/runs/{run}/logs/{task}":    d.ofRun(govern.View, d.runLog),
		"GET /slipway/v1/runs/{run}/outputs/{node}": d.ofRun(govern.View, d.runOutputs),
		"GET /slipway/v1/runs/{run}/cost":           d.ofRun(govern.View, d.runCost),
		"GET /slipway/v1/approvals/{id}":            d.ofRun(govern.View, d.listApprovals),
		"POST /slipway/v1/approvals/{id}/link":      d.ofRun(govern.View, d.makeLink),
		"GET /slipway/v1/delegates":                 request.Own(d.listDelegates),
		"GET /slipway/v1/locks":                     request.Own(d.listLocks),

		"POST " + ng + "/pipeline/execute/{id}":                                      request.Project(d.executePipeline),
		"POST " + ng + "/pipeline/execute/{id}/{what}":                               request.Project(d.executeMore),
		"PUT " + ng + "/pipeline/execute/interrupt/{run}":                            request.Project(d.interrupt),
		"PUT " + ng + "/pipeline/execute/interrupt/{run}/{node}":                     request.Project(d.interruptNode),
		"PUT " + ng + "/pipeline/execute/manual-intervention/interrupt/{run}/{node}": request.Project(d.interruptNode),
		"GET " + ng + "/pipelines/execution/{run}":                                   request.Project(d.execution),
		"GET " + ng + "/pipelines/execution/v2/{run}":                                request.Project(d.execution),
		"POST " + ng + "/pipelines/execution/summary":                                request.Project(d.listExecutions),
		"POST " + ng + "/approvals/{id}/harness/activity":                            d.ofRun(govern.View, d.answerApproval),

		"POST " + v1 + "/pipelines/{id}/execute":        request.V1(d.v1Execute),
		"POST " + v1 + "/pipelines/{id}/execute/stages": request.V1(d.v1ExecuteStages),
		"GET " + v1 + "/approvals/execution/{run}":      request.V1(d.v1ListApprovals),
		"POST " + v1 + "/approvals/execution/{run}":     request.V1(d.v1AnswerApproval),
	}
}
