package dynamo_test

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/aws/awstest"
	"github.com/slipway-cd/slipway/shared/aws/dynamo"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
)

func TestContract(t *testing.T) {
	cfg := awstest.Config(t)
	contract.Store(t, func(t *testing.T) core.Store {
		return dynamo.New(cfg, awstest.Table(t, cfg), clock.System())
	})
}
