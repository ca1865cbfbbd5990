package aws

import (
	"os"
	"testing"

	"github.com/slipway-cd/slipway/e2e/clients"
	"github.com/slipway-cd/slipway/shared/core"
)

// TestHarnessClient plays a client of others' making on the deployed stack; the embedded
// platform is held to it by `make test-clients`.
func TestHarnessClient(t *testing.T) {
	w := deployed(t)
	if w == nil || os.Getenv(clients.Python) == "" {
		t.Skip("needs a deployed stack and the clients: make test-aws")
	}
	if err := clients.Harness(t.Context(), w.url+"/gateway", w.token["admin"], core.DefaultAccount); err != nil {
		t.Error(err)
	}
}
