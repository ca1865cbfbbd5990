package door_test

import (
	"flag"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

const own = "/slipway/v1"

// do makes a call as admin.
func do(f *apitest.Fixture, method, path, body string) apitest.Response {
	f.T.Helper()
	return f.Do(apitest.Request{Method: method, Path: path, Body: body, User: "admin"})
}

// TestExchanges plays the examples of these routes.
func TestExchanges(t *testing.T) { apitest.PlayAll(t, "testdata", *update) }
