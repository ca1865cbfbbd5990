// Package door is the REST interface to what people keep: documents of all kinds,
// secrets, users and tokens. The kinds on Harness's paths are package ng's; Slipway's
// own routes and pipelines are here.
package door

import (
	"maps"
	"net/http"
	"slices"

	"github.com/slipway-cd/slipway/functions/catalogue/ng"
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// Config is what the routes are handed to. All of it is required.
type Config struct {
	Catalogue *entity.Catalogue
	Govern    *govern.Govern
	Ports     core.Ports
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
	d := &door{cfg, cfg.Ports.IDs, govern.NewDirectory(cfg.Ports)}
	return httpio.Mux(d.ids, d.all())
}

// Patterns are all routes, as http.ServeMux has them and without /gateway, in order.
func Patterns() []string { return slices.Sorted(maps.Keys((&door{}).all())) }

// all is every route there is.
func (d *door) all() httpio.Routes {
	routes := ng.Routes(ng.Config{Catalogue: d.Catalogue, Govern: d.Govern, Directory: d.directory, IDs: d.ids, Clock: d.Ports.Clock})
	maps.Copy(routes, d.adminRoutes())
	maps.Copy(routes, d.entityRoutes())
	maps.Copy(routes, d.pipelineRoutes())
	maps.Copy(routes, httpio.Routes{"GET /slipway/v1/openapi.json": request.Located(d.showOpenAPI)})
	return routes
}

// pipelineRoutes are Harness's routes of pipelines.
func (d *door) pipelineRoutes() httpio.Routes {
	const (
		v1 = "/v1/orgs/{org}/projects/{project}/pipelines"
		ng = "/pipeline/api/pipelines"
	)
	return httpio.Routes{
		"POST " + ng:             request.Project(d.createPipeline),
		"POST " + ng + "/v2":     request.Project(d.createPipelineV2),
		"POST " + ng + "/list":   request.Project(d.listPipelines),
		"GET " + ng + "/{id}":    request.Project(d.getPipeline),
		"PUT " + ng + "/{id}":    request.Project(d.updatePipeline),
		"PUT " + ng + "/v2/{id}": request.Project(d.updatePipelineV2),
		"DELETE " + ng + "/{id}": request.Project(d.deletePipeline),

		"GET " + v1:              request.V1(d.v1ListPipelines),
		"POST " + v1:             request.V1(d.v1CreatePipeline),
		"GET " + v1 + "/{id}":    request.V1(d.v1GetPipeline),
		"PUT " + v1 + "/{id}":    request.V1(d.v1UpdatePipeline),
		"PATCH " + v1 + "/{id}":  request.V1(d.v1PatchPipeline),
		"DELETE " + v1 + "/{id}": request.V1(d.v1DeletePipeline),
	}
}
