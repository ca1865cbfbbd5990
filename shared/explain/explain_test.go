package explain

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/replay"
)

var update = flag.Bool("update", false, "write the golden explanations anew")

// TestRecorded explains every node of the recorded runs.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("../replay/testdata/semantics*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := replay.Parse(body)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", name+".txt"), all(t, rec))
		})
	}
}

// all is the explanation of every node as text; times count from the run's start.
func all(t *testing.T, rec *replay.Recording) string {
	t.Helper()
	s, err := Recorded(rec)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	s.walk(s.node("pipeline"), func(n *core.Node) {
		if n.Kind == core.KindParallel {
			return
		}
		a, err := s.Why(n.FQN)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s: %s\n", a.Kind, a.Node, a.Status)
		if text, pos := s.Short(n.FQN); text != "" {
			fmt.Fprintf(&b, "  in short: %s (%s)\n", text, pos)
		}
		for _, l := range a.Links[1:] {
			fmt.Fprintf(&b, "  %-9s %s (%s)\n", l.Of, l.Text, l.Pos)
		}
	})
	return b.String()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("(-golden +got; -update writes them anew)\n%s", d)
	}
}
