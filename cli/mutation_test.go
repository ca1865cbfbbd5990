package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// TestMutations changes right documents a line at a time: nothing may end the program,
// and whatever is wrong then has its place and says how to mend it.
func TestMutations(t *testing.T) {
	files, err := filepath.Glob("../examples/*.yaml")
	more, _ := filepath.Glob("../examples/*/*.yaml")
	if files = append(files, more...); err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	wrong := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(data), "\n")
		for i := range lines {
			for _, with := range mutations(lines[i]) {
				text := strings.Join(lines[:i], "") + with + strings.Join(lines[i+1:], "")
				v := &validation{app: &app{err: os.Stderr}}
				v.documents(file, []byte(text), false)
				v.compile()
				for _, e := range v.examined {
					for _, d := range e.Diagnostics {
						if d.Severity != core.SeverityError {
							continue
						}
						if wrong++; d.Line < 1 || d.Column < 1 || d.Help == "" {
							t.Errorf("%s:%d: %q: %+v", file, i+1, with, d)
						}
					}
				}
			}
		}
	}
	if wrong < 100 {
		t.Errorf("only %d were wrong", wrong)
	}
}

// mutations are what a line is replaced with.
func mutations(line string) []string {
	out := []string{"", line + line}
	key, value, ok := strings.Cut(line, ": ")
	if !ok {
		return out
	}
	for _, v := range []string{"", "[]", "{}", "x", "[x]", "{a: b}", "<+a b>", "-1", "''"} {
		if v != strings.TrimSpace(value) {
			out = append(out, fmt.Sprintf("%s: %s\n", key, v))
		}
	}
	return append(out, fmt.Sprintf("%sx: %s", key, value))
}
