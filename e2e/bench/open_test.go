package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

// TestOpen: of 200 runs that wait for a person at once none is lost.
func TestOpen(t *testing.T) {
	o, err := open(t.Context(), t.TempDir(), 200)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[core.Status]int{core.Succeeded: 200}, o.ended); diff != "" {
		t.Error(diff)
	}
}
