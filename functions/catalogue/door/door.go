// Package door is the REST interface to what people keep: documents of all kinds,
// secrets, users and tokens. The kinds on Harness's paths are package ng's; Slipway's
// own routes are here.
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
	maps.Copy(routes, httpio.Routes{"GET /slipway/v1/openapi.json": request.Located(d.showOpenAPI)})
	return routes
}
