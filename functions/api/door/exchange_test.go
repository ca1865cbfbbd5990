package door_test

import (
	"testing"

	"github.com/slipway-cd/slipway/functions/api/door/apitest"
)

// TestExchanges plays the examples of these routes.
func TestExchanges(t *testing.T) { apitest.PlayAll(t, "testdata", *update) }
