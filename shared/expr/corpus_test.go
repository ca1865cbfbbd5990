package expr

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCorpus parses every expression of the real documents beside the checkout:
// each parses or is refused with a position.
func TestCorpus(t *testing.T) {
	root := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(root); err != nil {
		t.Skip("no corpus beside the checkout")
	}
	total, parsed := 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(data)
		for at := 0; ; {
			i := strings.Index(text[at:], "<+")
			if i < 0 {
				break
			}
			total++
			n, err := parseAt(text, at+i)
			if err == nil {
				parsed++
				at = n.end
				continue
			}
			positioned := &Error{}
			if !errors.As(err, &positioned) || positioned.Offset == 0 {
				t.Errorf("%s: no position: %v", path, err)
			}
			t.Logf("%s: %v", filepath.Base(path), err)
			at += i + 2
		}
		for line := range strings.Lines(text) {
			if cond, ok := strings.CutPrefix(strings.TrimSpace(line), "condition: "); ok {
				if _, err := ConditionRefs(cond); err != nil {
					t.Errorf("%s: condition %s: %v", filepath.Base(path), cond, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	share := 100 * float64(parsed) / float64(max(total, 1))
	t.Logf("%d of %d expressions parse: %.1f %%", parsed, total, share)
	if total > 0 && share < 97 {
		t.Errorf("%.1f %% parse, want at least 97 %%", share)
	}
}
