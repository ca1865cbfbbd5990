// Package door is the REST interface for people and their tools: Harness's
// pipeline and execution routes as its clients know them, and Slipway's own under
// /slipway/v1. Handlers decode, make one call, and encode.
package door

import (
	"maps"
	"net/http"

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
	Pipelines *entity.Pipelines
	Views     *view.Views
	Dispatch  *dispatch.Dispatch
	Govern    *govern.Govern
	Links     *govern.Links
	Meter     *meter.Meter
}

// door serves the routes.
type door struct {
	Config
	ids       core.IDs
	directory *govern.Directory
}

// New returns the routes, each at the root and under /gateway. They take the
// principal from the context and serve users only.
func New(cfg Config) http.Handler {
	ports := cfg.Journal.Ports()
	d := &door{cfg, ports.IDs, govern.NewDirectory(ports)}
	routes := d.routes()
	maps.Copy(routes, d.adminRoutes())
	maps.Copy(routes, d.recordRoutes())
	maps.Copy(routes, d.againRoutes())
	return httpio.Mux(d.ids, routes)
}

// routes is every route there is but those for admins.
func (d *door) routes() httpio.Routes {
	const (
		v1 = "/v1/orgs/{org}/projects/{project}"
		ng = "/pipeline/api"
	)
	return httpio.Routes{
		"POST /slipway/v1/runs":                     own(d.startRun),
		"GET /slipway/v1/runs":                      own(d.listRuns),
		"GET /slipway/v1/runs/{run}":                own(d.showRun),
		"POST /slipway/v1/runs/{run}/abort":         own(d.abortRun),
		"POST /slipway/v1/runs/{run}/intervene":     own(d.interveneRun),
		"POST /slipway/v1/runs/{run}/input":         own(d.inputRun),
		"GET /slipway/v1/runs/{run}/logs/{task}":    own(d.runLog),
		"GET /slipway/v1/runs/{run}/outputs/{node}": own(d.runOutputs),
		"GET /slipway/v1/runs/{run}/cost":           own(d.runCost),
		"GET /slipway/v1/approvals/{id}":            own(d.listApprovals),
		"POST /slipway/v1/approvals/{id}/link":      own(d.makeLink),
		"GET /slipway/v1/delegates":                 own(d.listDelegates),
		"GET /slipway/v1/locks":                     own(d.listLocks),

		"POST " + ng + "/pipelines":                                                  project(d.createPipeline),
		"POST " + ng + "/pipelines/v2":                                               project(d.createPipelineV2),
		"POST " + ng + "/pipelines/list":                                             project(d.listPipelines),
		"GET " + ng + "/pipelines/{id}":                                              project(d.getPipeline),
		"PUT " + ng + "/pipelines/{id}":                                              project(d.updatePipeline),
		"PUT " + ng + "/pipelines/v2/{id}":                                           project(d.updatePipelineV2),
		"DELETE " + ng + "/pipelines/{id}":                                           project(d.deletePipeline),
		"POST " + ng + "/pipeline/execute/{id}":                                      project(d.executePipeline),
		"POST " + ng + "/pipeline/execute/{id}/{what}":                               project(d.executeMore),
		"PUT " + ng + "/pipeline/execute/interrupt/{run}":                            project(d.interrupt),
		"PUT " + ng + "/pipeline/execute/interrupt/{run}/{node}":                     project(d.interruptNode),
		"PUT " + ng + "/pipeline/execute/manual-intervention/interrupt/{run}/{node}": project(d.interruptNode),
		"GET " + ng + "/pipelines/execution/{run}":                                   project(d.execution),
		"GET " + ng + "/pipelines/execution/v2/{run}":                                project(d.execution),
		"POST " + ng + "/pipelines/execution/summary":                                project(d.listExecutions),
		"POST " + ng + "/approvals/{id}/harness/activity":                            account(d.answerApproval),

		"GET " + v1 + "/pipelines":                  v1Route(d.v1ListPipelines),
		"POST " + v1 + "/pipelines":                 v1Route(d.v1CreatePipeline),
		"GET " + v1 + "/pipelines/{id}":             v1Route(d.v1GetPipeline),
		"PUT " + v1 + "/pipelines/{id}":             v1Route(d.v1UpdatePipeline),
		"DELETE " + v1 + "/pipelines/{id}":          v1Route(d.v1DeletePipeline),
		"POST " + v1 + "/pipelines/{id}/execute":    v1Route(d.v1Execute),
		"GET " + v1 + "/approvals/execution/{run}":  v1Route(d.v1ListApprovals),
		"POST " + v1 + "/approvals/execution/{run}": v1Route(d.v1AnswerApproval),
	}
}
