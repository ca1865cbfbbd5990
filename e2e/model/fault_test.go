//go:build slow

package model_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestFaults puts one fault at a time into the engine and what it stands on: something
// has to notice each.
func TestFaults(t *testing.T) {
	var mu sync.Mutex
	found := map[string]int{}
	start := time.Now()
	t.Cleanup(func() {
		caught := 0
		for _, by := range slices.Sorted(maps.Keys(found)) {
			t.Logf("%3d noticed by %s", found[by], by)
			caught += found[by]
		}
		t.Logf("%d of %d faults noticed, in %.0f s", caught, len(faults), time.Since(start).Seconds())
	})
	for _, f := range faults {
		t.Run(strings.NewReplacer(" ", "_", "/", ".").Replace(f.file+": "+f.what), func(t *testing.T) {
			t.Parallel()
			overlay := f.overlay(t)
			start := time.Now()
			by, says := f.caught(t, overlay)
			if by == "" {
				t.Fatalf("nothing notices when in %s\n\t%s\nis\n\t%s", f.file, f.old, f.new)
			}
			t.Logf("by %s in %.1f s: %s", by, time.Since(start).Seconds(), says)
			mu.Lock()
			defer mu.Unlock()
			found[by]++
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

// caught says what notices the fault, and what it says; "" when nothing does. What is
// known to notice it comes first.
func (f fault) caught(t *testing.T, overlay string) (by, says string) {
	dir, test, named := strings.Cut(f.by, " ")
	type try struct{ by, pkg, run string }
	tries := []try{{"the model", ".", "^TestModel$"}}
	for _, pkg := range []string{"engine", "compile"} {
		tries = append(tries, try{"tests of " + pkg, "../../shared/" + pkg, ""})
	}
	if named {
		tries = slices.Insert(tries, 0, try{"tests of " + dir, "../../shared/" + dir, "^" + test + "$"})
	}
	for i, try := range tries {
		args := []string{"test", "-count=1", "-failfast", "-vet=off", "-timeout=5m", "-ldflags=-s -w", "-overlay", overlay, "-run", try.run, try.pkg}
		if try.pkg == "." {
			args = append(args, "-few")
		}
		out, err := exec.Command("go", args...).CombinedOutput()
		if strings.Contains(string(out), "[build failed]") || strings.Contains(string(out), "[setup failed]") {
			t.Fatalf("the fault does not compile: %s", out)
		}
		if err != nil {
			return try.by, first(string(out))
		}
		if i == 0 {
			t.Logf("%s %s does not notice it any more", try.by, test)
		}
	}
	return "", ""
}

// failed is the line that names a failed test.
var failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// first is the test that failed and the first thing that it says.
func first(out string) string {
	name := ""
	if m := failed.FindStringSubmatch(out); m != nil {
		name = m[1] + ": "
	}
	for line := range strings.Lines(out) {
		if s := strings.TrimSpace(line); s != "" && !strings.HasPrefix(s, "---") {
			return fmt.Sprintf("%s%.100s", name, s)
		}
	}
	return name + "?"
}
