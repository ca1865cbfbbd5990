// Package aws drives a deployed control plane through its real doors, with
// delegates as processes outside, and holds it to the embedded platform: the same
// scenarios, event logs and limits. Without a stack only the embedded half runs.
package aws

import (
	"os"
	"testing"

	"github.com/slipway-cd/slipway/cli"
)

// roleEnv makes this binary be the command line.
const roleEnv = "SLIPWAY_E2E_ROLE"

// TestMain lets this binary be a delegate when a test starts it as one, and ends
// the worlds that the tests have shared.
func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) != "" {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	code := m.Run()
	for _, end := range endings {
		end()
	}
	os.Exit(code)
}
