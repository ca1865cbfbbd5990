package expr_test

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/expr"
)

// TestRefsOfNoise holds that a text full of broken expressions costs little: the time
// does not rise with the square of its length.
func TestRefsOfNoise(t *testing.T) {
	text := strings.Repeat("<+", 20_000)
	allocs := testing.AllocsPerRun(1, func() {
		if _, err := expr.Refs(text); err == nil {
			t.Error("it can be read")
		}
	})
	if allocs > 20_000 {
		t.Errorf("%.0f allocations", allocs)
	}
}
