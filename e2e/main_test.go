// Package e2e drives whole platforms and delegates as processes of their own: it
// kills them, lets them race and holds what they must never lose or do twice.
package e2e

import (
	"os"
	"testing"
)

// TestMain lets this binary be a platform or a delegate when a test starts it as
// one.
func TestMain(m *testing.M) {
	switch role := os.Getenv(roleEnv); role {
	case "":
		os.Exit(m.Run())
	default:
		os.Exit(child(role))
	}
}
