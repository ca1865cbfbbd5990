// Command advance is the function that the state machines and timers invoke.
package main

import (
	"github.com/slipway-cd/slipway/functions/advance/door"
	"github.com/slipway-cd/slipway/shared/aws/function"
	"github.com/slipway-cd/slipway/shared/meter"
)

func main() {
	p := function.Plane()
	function.Invoked(meter.Func(p.Meter, "advance", door.New(p.Journal, p.Dispatch).Handle))
}
