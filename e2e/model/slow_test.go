//go:build slow

package model_test

import "testing"

// TestModelLong is TestModel with many more cases: go test -tags slow -cases 1000000.
func TestModelLong(t *testing.T) { hold(t, *cases) }
