package ng_test

import (
	"flag"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// TestExchanges plays the requests of Harness's clients for every kind.
func TestExchanges(t *testing.T) { apitest.PlayAll(t, "testdata", *update) }
