package cli

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/schema"
)

// TestUnsupported holds everything that validate calls unsupported to a type that
// nothing runs yet: the language itself is whole.
func TestUnsupported(t *testing.T) {
	counts := map[string]int{}
	v := &validation{app: &app{err: os.Stderr}}
	for _, dir := range []string{"../examples", "../shared", "../e2e", "../../shared/corpus"} {
		if _, err := os.Stat(dir); err == nil {
			if err := v.read(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	v.compile()
	later := map[string]bool{}
	for noun, names := range schema.Unsupported() {
		for _, name := range names {
			later[noun+" "+name] = true
		}
	}
	for _, e := range v.examined {
		for _, d := range e.Diagnostics {
			switch what, ok := strings.CutPrefix(d.Message, "not supported yet: "); {
			case d.Severity != core.SeverityUnsupported && !ok:
				if d.Code == "not-executed" {
					counts["(a warning) "+d.Message]++
				}
			case !ok, d.Severity != core.SeverityUnsupported:
				t.Errorf("%s:%d: %s: %s", filepath.Base(e.File), d.Line, d.Severity, d.Message)
			default:
				what, _, _ = strings.Cut(what, " (in template")
				if counts[what]++; !later[what] {
					t.Errorf("%s:%d: %s is no type without a runner", filepath.Base(e.File), d.Line, what)
				}
			}
		}
	}
	for _, what := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	}) {
		t.Logf("%4d %s", counts[what], what)
	}
}
