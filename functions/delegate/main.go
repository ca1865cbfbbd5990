// Command delegate is the function that delegates call.
package main

import (
	authorizer "github.com/slipway-cd/slipway/functions/authorizer/door"
	"github.com/slipway-cd/slipway/functions/delegate/door"
	"github.com/slipway-cd/slipway/shared/aws/function"
)

func main() {
	p := function.Plane()
	function.HTTP(p.Meter.HTTP("delegate", door.New(p.Dispatch, p.Ports.IDs)), authorizer.New(p.Govern).Middleware)
}
