// Command advance is the function that the state machines and timers invoke.
package main

import (
	"github.com/slipway-cd/slipway/functions/advance/door"
	"github.com/slipway-cd/slipway/shared/aws/function"
)

func main() {
	p := function.Plane()
	function.Invoked(door.New(p.Journal, p.Dispatch).Handle)
}
