package replay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// TestRecorded decides all recorded runs again. They were made by whole platforms
// (e2e.TestRecord); those of older semantics stay for good.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/semantics*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".json"), func(t *testing.T) {
			rec := read(t, f)
			report, err := Run(rec)
			if err != nil {
				t.Fatal(err)
			}
			if d := report.First; d != nil {
				t.Errorf("the engine decides otherwise at event %d (%s) of track %s, %s: %s", d.N, d.Type, d.Track, d.What, d.Message)
				for _, c := range d.Changes {
					t.Errorf("  %s\n    - %s\n    + %s", c.Path, c.Recorded, c.Decided)
				}
			}
			for _, steps := range rec.Tracks {
				if len(steps) == 0 || steps[0].State == nil {
					t.Error("a track has no states written down")
				}
			}
		})
	}
}

func read(t *testing.T, file string) *Recording {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// TestDifferences changes what was recorded: it is found where it was changed.
func TestDifferences(t *testing.T) {
	tests := map[string]struct {
		change func(steps []Step)
		n      int64
		what   string
		path   string
	}{
		"a command":         {func(s []Step) { s[2].Event.Commands = nil }, 3, "commands", ""},
		"a command's route": {func(s []Step) { s[0].Event.Commands[2].Route.Track = "0.9" }, 1, "commands", "/2/route/track"},
		"a status":          {func(s []Step) { s[1].State = edited(s[1].State, `"SUCCEEDED"`, `"FAILED"`) }, 2, "state", ""},
		"a fact":            {func(s []Step) { s[0].Event.Facts = map[string]core.Fact{"node:x": {}} }, 1, "facts", ""},
		"what happened":     {func(s []Step) { s[1].Event.Child.Track = "0.7" }, 2, "event", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rec := read(t, "testdata/semantics1/linear.json")
			tc.change(rec.Tracks["0"])
			report, err := Run(rec)
			if err != nil {
				t.Fatal(err)
			}
			d := report.First
			if report.Agrees || d == nil || d.Track != "0" || d.N != tc.n || d.What != tc.what {
				t.Fatalf("the first difference is %+v, want %s of event %d of track 0", d, tc.what, tc.n)
			}
			if tc.path != "" && (len(d.Changes) != 1 || d.Changes[0].Path != tc.path) {
				t.Errorf("the changes are %+v, want one at %s", d.Changes, tc.path)
			}
		})
	}
}

func edited(raw json.RawMessage, from, to string) json.RawMessage {
	return json.RawMessage(strings.ReplaceAll(string(raw), from, to))
}

// TestMissing refuses recordings in which something is missing.
func TestMissing(t *testing.T) {
	tests := map[string]struct {
		change func(*Recording)
		want   string
	}{
		"an event": {func(r *Recording) { r.Tracks["0"] = r.Tracks["0"][1:] }, "event 1 of track 0 is missing"},
		"outputs":  {func(r *Recording) { r.Outputs = nil }, "lacks the outputs with the digest"},
		"other outputs": {func(r *Recording) {
			for k := range r.Outputs {
				r.Outputs[k] = map[string]any{"x": 1}
			}
		}, "do not have the digest"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rec := read(t, "testdata/semantics1/outputs-by-digest.json")
			tc.change(rec)
			if _, err := Run(rec); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want %q in it", err, tc.want)
			}
		})
	}
	for body, want := range map[string]string{"x": "not a recorded run", "{}": "slipway runs export", `{"v":9,"launch":{"plan":{"root":{}}}}`: "version 9",
		`{"v":1,"semantics":99,"launch":{"plan":{"root":{}}}}`: "use a newer one"} {
		if _, err := Parse([]byte(body)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", body, err, want)
		}
	}
}

// TestPatch takes states apart and puts them together again.
func TestPatch(t *testing.T) {
	states := []string{`{}`, `{"a":1,"b":{"c":[1,2],"d":"x"}}`, `{"a":1,"b":{"c":[1,2,3]},"e":{}}`, `{"b":{"c":[]},"e":{"f":{"g":null,"h":12345678901234567}}}`, `{}`}
	for i := 1; i < len(states); i++ {
		p, err := patch([]byte(states[i-1]), []byte(states[i]))
		if err != nil {
			t.Fatal(err)
		}
		changes, err := Diff(patched([]byte(states[i-1]), p), []byte(states[i]))
		if err != nil || len(changes) > 0 {
			t.Errorf("%s with %s: %+v %v", states[i-1], p, changes, err)
		}
	}
}

// TestHide leaves no token in a recording.
func TestHide(t *testing.T) {
	ev := core.Event{Entered: &core.Entered{Token: "secret"}, Commands: []core.Command{{Token: "secret"}, {}}}
	Hide(&ev)
	body, err := json.Marshal(ev)
	if err != nil || strings.Contains(string(body), "secret") || ev.Entered.Token != ev.Commands[0].Token || ev.Commands[1].Token != "" {
		t.Errorf("%s %v", body, err)
	}
}
