// Command relay is the function that reads the table's stream.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/events"

	"github.com/slipway-cd/slipway/functions/relay/door"
	"github.com/slipway-cd/slipway/shared/aws/dynamo"
	"github.com/slipway-cd/slipway/shared/aws/function"
	"github.com/slipway-cd/slipway/shared/meter"
)

func main() {
	p := function.Plane()
	relay := door.New(p.Journal)
	function.Invoked(meter.Func(p.Meter, "relay", func(ctx context.Context, e events.DynamoDBEvent) (any, error) {
		items, err := dynamo.Records(e)
		if err != nil {
			return nil, err
		}
		return nil, relay.Handle(ctx, items)
	}))
}
