// Command approve is the function behind approval links, which are their own
// credential.
package main

import (
	"github.com/slipway-cd/slipway/functions/approve/door"
	"github.com/slipway-cd/slipway/shared/aws/function"
)

func main() {
	p := function.Plane()
	links := door.New(door.Config{Journal: p.Journal, Views: p.Views, Govern: p.Govern, Links: p.Links})
	function.HTTP(p.Meter.HTTP("approve", links), nil)
}
