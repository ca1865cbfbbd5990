package clients_test

import (
	"os"
	"testing"

	"github.com/slipway-cd/slipway/e2e/clients"
	"github.com/slipway-cd/slipway/functions/apitest"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
)

// TestHarness plays Harness's client on a platform that has taken over the account's
// identifier.
func TestHarness(t *testing.T) {
	if os.Getenv(clients.Python) == "" {
		t.Skip("the clients are not here: make test-clients")
	}
	const account = "kmpySmUISimoRrJL6NL73w"
	f := apitest.StartAs(t, platform.Config{Account: account})
	if err := clients.Harness(t.Context(), f.Platform.URL()+"/gateway", f.Platform.AdminToken(), account); err != nil {
		t.Error(err)
	}
}
