//go:build slow

package model_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFaults puts one fault at a time into the engine and the compiler: the model has
// to see it in a few cases, or else a unit test of the engine.
func TestFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(strings.ReplaceAll(f.file+": "+f.what, " ", "_"), func(t *testing.T) {
			t.Parallel()
			overlay := f.overlay(t)
			start := time.Now()
			by := f.caught(t, overlay)
			if by == "" {
				t.Errorf("nothing notices when in %s\n\t%s\nis\n\t%s", f.file, f.old, f.new)
			}
			t.Logf("by %s in %.1f s", by, time.Since(start).Seconds())
		})
	}
}

// overlay is go's -overlay file with the fault in it.
func (f fault) overlay(t *testing.T) string {
	path, err := filepath.Abs(filepath.Join("../../shared", f.file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), f.old); n != 1 {
		t.Fatalf("%s holds the text %d times, not once: the fault has to be written anew:\n\t%s", f.file, n, f.old)
	}
	dir := t.TempDir()
	wrong := filepath.Join(dir, "wrong.go")
	if err := os.WriteFile(wrong, []byte(strings.Replace(string(text), f.old, f.new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"Replace": map[string]string{path: wrong}})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay
}

// caught says what notices the fault, "" when nothing does.
func (f fault) caught(t *testing.T, overlay string) string {
	for _, try := range []struct{ by, pkg, run string }{
		{"the model", ".", "^TestModel$"},
		{"the engine's tests", "../../shared/engine", ""},
	} {
		args := []string{"test", "-count=1", "-vet=off", "-timeout=5m", "-ldflags=-s -w", "-overlay", overlay, "-run", try.run, try.pkg}
		if try.pkg == "." {
			args = append(args, "-few")
		}
		out, err := exec.Command("go", args...).CombinedOutput()
		if strings.Contains(string(out), "[build failed]") || strings.Contains(string(out), "[setup failed]") {
			t.Fatalf("the fault does not compile: %s", out)
		}
		if err != nil {
			return try.by + ": " + first(string(out))
		}
	}
	return ""
}

// first is the first thing that a failed test says.
func first(out string) string {
	for line := range strings.Lines(out) {
		if s := strings.TrimSpace(line); s != "" && !strings.HasPrefix(s, "---") {
			return fmt.Sprintf("%.120s", s)
		}
	}
	return "?"
}
