package engine

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// TestRecoverBeforeTheFirstToken: the function that was to store a track's first
// token has died, and its machine asks where to go. It is sent back to Work, and
// there the walk begins.
func TestRecoverBeforeTheFirstToken(t *testing.T) {
	p := plan(stage("s", shell("a")))
	r := NewRun(core.Launch{Run: "01RUN", Plan: p})
	track := &Track{ID: "0.1"}
	for _, ev := range []core.Event{
		{N: 1, At: 1, Type: core.EventRecovered, Recovered: &core.Recovered{Segment: 1, Error: "Runtime.ExitError"}},
		{N: 2, At: 2, Type: core.EventEntered, Entered: &core.Entered{Segment: 2, Token: "t", At: 2}},
	} {
		res, err := Apply(r, track, ev, nil)
		if err != nil {
			t.Fatal(err)
		}
		if track = res.Track; ev.N == 1 && (track.Route == nil || track.Route.Kind != kindWork || track.Route.Segment != 2) {
			t.Fatalf("the machine is sent to %+v", track.Route)
		}
	}
	if track.Task == nil || track.Status != core.Running {
		t.Errorf("the walk has not begun: %+v", track)
	}
}
