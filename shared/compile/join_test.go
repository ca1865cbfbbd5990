package compile_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/compile"
)

// TestJoin goes through both libraries where documents are not named, and asks the
// first one first where they are.
func TestJoin(t *testing.T) {
	shelf := func(names ...string) compile.Library {
		return func(r compile.Reference) (compile.Source, bool) {
			for i, n := range names {
				if r.Identifier == n || r.Nth == i+1 {
					return compile.Source{File: fmt.Sprint(n, " of ", len(names))}, true
				}
			}
			return compile.Source{}, false
		}
	}
	all := func(l compile.Library) (got []string) {
		for n := 1; ; n++ {
			src, ok := l(compile.Reference{Kind: compile.KindOverride, Nth: n})
			if !ok {
				return got
			}
			got = append(got, src.File)
		}
	}
	a, b := shelf("x", "y"), shelf("y", "z", "w")
	for name, tc := range map[string]struct {
		library compile.Library
		want    []string
	}{
		"both":      {compile.Join(a, b), []string{"x of 2", "y of 2", "y of 3", "z of 3", "w of 3"}},
		"no first":  {compile.Join(nil, b), []string{"y of 3", "z of 3", "w of 3"}},
		"no second": {compile.Join(a, nil), []string{"x of 2", "y of 2"}},
		"empty":     {compile.Join(shelf(), a), []string{"x of 2", "y of 2"}},
	} {
		if diff := cmp.Diff(tc.want, all(tc.library)); diff != "" {
			t.Error(name, diff)
		}
	}
	for id, want := range map[string]string{"x": "x of 2", "y": "y of 2", "z": "z of 3"} {
		if src, _ := compile.Join(a, b)(compile.Reference{Identifier: id}); src.File != want {
			t.Errorf("%s is %q, want %q", id, src.File, want)
		}
	}
}
