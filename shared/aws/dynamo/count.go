package dynamo

import (
	"context"
	"math"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/slipway-cd/slipway/shared/aws/call"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/meter"
)

// capacity asks DynamoDB what a call consumed: the table's and the index's units in
// one number, transactions twice.
const capacity = types.ReturnConsumedCapacityTotal

func countRead(ctx context.Context, c *types.ConsumedCapacity) {
	core.Count(ctx, core.Use{core.Reads: 1, core.ReadHalves: halves(deref(c))})
}

func countWrite(ctx context.Context, parts ...types.ConsumedCapacity) {
	u := core.Use{core.Writes: 1}
	for _, c := range parts {
		u[core.WriteHalves] += halves(c)
	}
	core.Count(ctx, u)
}

// countTransaction counts what DynamoDB says or, since stand-ins forget that a
// transaction takes twice the units, what it must be at least.
func countTransaction(ctx context.Context, parts []types.ConsumedCapacity, puts []core.Put) {
	n := int64(0)
	for _, c := range parts {
		n += halves(c)
	}
	core.Count(ctx, core.Use{core.Writes: 1, core.WriteHalves: max(n, meter.WriteHalves(puts...))})
}

// countRefused counts writes whose condition failed: DynamoDB bills them by size
// and does not say so.
func countRefused(ctx context.Context, err error, puts []core.Put) {
	switch call.Code(err) {
	case "ConditionalCheckFailedException", "TransactionCanceledException":
	default:
		return
	}
	bare := make([]core.Put, len(puts))
	for i, p := range puts { // nothing was written to the index
		p.Item.Index = core.Key{}
		bare[i] = p
	}
	core.Count(ctx, core.Use{core.Writes: 1, core.WriteHalves: meter.WriteHalves(bare...)})
}

func halves(c types.ConsumedCapacity) int64 { return int64(math.Round(2 * deref(c.CapacityUnits))) }
