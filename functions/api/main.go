// Command api is the function behind the REST routes.
package main

import (
	"github.com/slipway-cd/slipway/functions/api/door"
	authorizer "github.com/slipway-cd/slipway/functions/authorizer/door"
	"github.com/slipway-cd/slipway/shared/aws/function"
)

func main() {
	p, s := function.Plane(), function.Environment()
	p.Govern.Account = s.Account
	routes := door.New(door.Config{Journal: p.Journal, Launch: p.Launch, Catalogue: p.Catalogue, Views: p.Views,
		Dispatch: p.Dispatch, Govern: p.Govern, Links: p.Links, Meter: p.Meter})
	function.HTTP(p.Meter.HTTP("api", routes), authorizer.New(p.Govern).WithFirstAdmin(p.Ports.Secrets, s.AdminSecret, p.Ports.Clock).Middleware)
}
