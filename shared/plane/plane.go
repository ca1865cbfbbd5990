// Package plane is the control plane over its ports, put together the same way
// for every runtime: what the doors are handed.
package plane

import (
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/dispatch"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/launch"
	"github.com/slipway-cd/slipway/shared/meter"
	"github.com/slipway-cd/slipway/shared/view"
)

// Plane is safe for concurrent use.
type Plane struct {
	Ports     core.Ports // the store patient with what may succeed later
	Journal   *journal.Journal
	Dispatch  *dispatch.Dispatch
	Launch    *launch.Launch
	Catalogue *entity.Catalogue
	Views     *view.Views
	Govern    *govern.Govern
	Links     *govern.Links
	Meter     *meter.Meter // for the doors to count their invocations with
}

// New puts a control plane together. Launch.BaseURL and Govern.AllowAs are left
// for the runtime to set.
func New(ports core.Ports, pace dispatch.Pace) *Plane {
	p := &Plane{Journal: journal.New(ports)}
	p.Ports = p.Journal.Ports()
	p.Dispatch = dispatch.New(p.Journal, pace)
	p.Catalogue = entity.NewCatalogue(p.Ports)
	p.Launch = launch.New(p.Journal, p.Catalogue)
	p.Views = view.New(p.Journal)
	p.Govern = govern.New(p.Ports.Store, p.Ports.Clock)
	p.Links = govern.NewLinks(p.Ports)
	p.Meter = meter.New(p.Ports.Store, p.Ports.Clock, p.Ports.IDs.New())
	p.Meter.Flushed = newBudgets(p.Journal).check
	return p
}
