package engine

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// TestErrorTypes holds that every type a strategy can name is one of the engine's.
func TestErrorTypes(t *testing.T) {
	named := map[core.ErrorType]bool{core.AllErrors: true}
	for _, e := range errorTypes {
		named[e] = true
	}
	for _, e := range core.ErrorTypes {
		if !named[e] {
			t.Errorf("%s matches nothing", e)
		}
		delete(named, e)
	}
	if len(named) > 0 {
		t.Errorf("not types of failure: %v", named)
	}
}
