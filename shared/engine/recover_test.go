package engine_test

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// TestRecoverBeforeTheFirstToken: the function that was to store a track's first
// token has died, and its machine asks where to go. It is sent back to Work, and
// there the walk begins.
func TestRecoverBeforeTheFirstToken(t *testing.T) {
	p := plan(stage("s", shell("a")))
	r := engine.NewRun(core.Launch{Run: "01RUN", Plan: p})
	track := &engine.Track{ID: "0.1"}
	for _, ev := range []core.Event{
		{N: 1, At: 1, Type: core.EventRecovered, Recovered: &core.Recovered{Segment: 1, Error: "Runtime.ExitError"}},
		{N: 2, At: 2, Type: core.EventEntered, Entered: &core.Entered{Segment: 2, Token: "t", At: 2}},
	} {
		res, err := engine.Apply(r, track, ev, nil)
		if err != nil {
			t.Fatal(err)
		}
		if track = res.Track; ev.N == 1 && (track.Route == nil || track.Route.Kind != "Work" || track.Route.Segment != 2) {
			t.Fatalf("the machine is sent to %+v", track.Route)
		}
	}
	if track.Task == nil || track.Status != core.Running {
		t.Errorf("the walk has not begun: %+v", track)
	}
}

// TestStageThatCannotRun: a stage's machine that fails every time is not started
// for ever. The stage is told to stop, and the run ends Errored.
func TestStageThatCannotRun(t *testing.T) {
	r := engine.NewRun(core.Launch{Run: "01RUN", Plan: plan(stage("s", shell("a")))})
	track := &engine.Track{ID: "0"}
	var commands []core.Command
	apply := func(ev core.Event) {
		t.Helper()
		ev.N, ev.At = track.N+1, track.N+1
		res, err := engine.Apply(r, track, ev, nil)
		if err != nil {
			t.Fatal(err)
		}
		track, commands = res.Track, res.Commands
	}
	apply(core.Event{Type: core.EventStarted})
	for i := 1; i < 20; i++ {
		apply(core.Event{Type: core.EventRecovered, Recovered: &core.Recovered{Error: "States.Runtime"}})
		if track.Stopping != "" || track.Route.Kind != "RunStage" {
			t.Fatalf("after %d failures: %+v", i, track)
		}
	}
	apply(core.Event{Type: core.EventRecovered, Recovered: &core.Recovered{Error: "States.Runtime"}})
	if track.Stopping != core.Errored || len(commands) != 1 || commands[0].Track != "0.1" || commands[0].Event.Type != core.EventStop {
		t.Fatalf("the stage is not stopped: %+v %+v", track, commands)
	}
	apply(core.Event{Type: core.EventChild, Child: &core.Child{Track: "0.1", Status: core.Errored}})
	if track.Status != core.Errored || track.Route.Kind != "Done" {
		t.Errorf("the run has not ended: %s %+v", track.Status, track.Route)
	}
}

// TestTokens: of the tokens that a machine's states bring, late or repeated, the one
// of the last entry and its last try stands.
func TestTokens(t *testing.T) {
	type entry struct {
		token     string
		at, retry int64
	}
	for name, tc := range map[string]struct {
		entries []entry
		want    string
	}{
		"entered again":          {[]entry{{"a", 10, 0}, {"b", 20, 0}}, "b"},
		"the old one comes late": {[]entry{{"b", 20, 0}, {"a", 10, 3}}, "b"},
		"tried again":            {[]entry{{"a", 10, 0}, {"b", 10, 1}}, "b"},
		"the old try comes late": {[]entry{{"b", 10, 1}, {"a", 10, 0}}, "b"},
		"told twice":             {[]entry{{"a", 10, 0}, {"a", 10, 0}}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			r := engine.NewRun(core.Launch{Run: "01RUN", Plan: plan(stage("s", shell("a")))})
			track := &engine.Track{ID: "0.1"}
			for i, e := range tc.entries {
				res, err := engine.Apply(r, track, core.Event{N: int64(i + 1), At: 100, Type: core.EventEntered,
					Entered: &core.Entered{Segment: 1, Token: e.token, At: e.at, Retry: int(e.retry)}}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !res.Ignored {
					track = res.Track
				}
			}
			if got := track.Segment.Token; got != tc.want {
				t.Errorf("token %q stands, want %q", got, tc.want)
			}
		})
	}
}
