package expr_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
)

// TestCaret holds where errors point: the text with a ^ below the character.
func TestCaret(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"syntax":           {"<+1 + * 2>", "<+1 + * 2>\n      ^"},
		"end of the text":  {"echo <+pipeline.name", "echo <+pipeline.name\n                    ^"},
		"second line":      {"echo a\nécho <+nowhere.x> b\nexit", "écho <+nowhere.x> b\n       ^"},
		"windows line":     {"a\r\n<+1 -> 2>\r\n", "<+1 -> 2>\n    ^"},
		"operand":          {`<+pipeline.sequenceId + 1 - pipeline.name>`, "<+pipeline.sequenceId + 1 - pipeline.name>\n                            ^"},
		"argument":         {`<+"a".concat(secrets.getValue("k"))>`, `<+"a".concat(secrets.getValue("k"))>` + "\n             ^"},
		"method":           {`a <+pipeline.name.frob()>`, "a <+pipeline.name.frob()>\n    ^"},
		"inside a string":  {`<+"x <+nowhere> y">`, `<+"x <+nowhere> y">` + "\n       ^"},
		"condition inside": {`<+var x = 1; if (x + 1 > pipeline.name) { 1 }>`, "<+var x = 1; if (x + 1 > pipeline.name) { 1 }>\n                         ^"},
		"scope's refusal":  {`ab <+stage.nope> c`, "ab <+stage.nope> c\n     ^"},
		"scope's function": {`ab <+broken("x")> c`, "ab <+broken(\"x\")> c\n     ^"},
		"tabs":             {"\tx\t<+*>", " x <+*>\n     ^"},
		"long line":        {strings.Repeat("x", 100) + "<+*>" + strings.Repeat("y", 100), "…" + strings.Repeat("x", 58) + "<+*>" + strings.Repeat("y", 58) + "…\n" + strings.Repeat(" ", 61) + "^"},
	}
	s := demo()
	s["stage"] = lazy{get: func(key string) (any, bool, error) { return nil, false, &expr.UnresolvedError{Path: "stage." + key} }}
	s["broken"] = expr.Func(func([]any) (any, error) { return nil, fault.New(fault.Unsupported, "not supported yet: it") })
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := expr.Render(tc.text, s)
			if diff := cmp.Diff(tc.want, expr.Caret(tc.text, err)); diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
	if got := expr.Caret("x", nil); got != "" {
		t.Errorf("Caret of no error = %q", got)
	}
	_, err := expr.Render("<+pipeline.variables.broken>", s)
	if got := expr.Caret("<+pipeline.variables.broken>", err); got != "" {
		t.Errorf("Caret of an error in another text = %q", got)
	}
	_, err = expr.Render("a\nb <+nowhere>", s)
	if !strings.Contains(err.Error(), "line 2, character 5") {
		t.Errorf("no line in %v", err)
	}
}
