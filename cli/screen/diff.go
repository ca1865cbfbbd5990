package screen

import (
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// Diff is what makes of one text another, in the unified form; "" when nothing does.
func (t Theme) Diff(name, before, after string) string {
	if before == after {
		return ""
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: difflib.SplitLines(before), B: difflib.SplitLines(after),
		FromFile: "stored " + name, ToFile: "given " + name, Context: 3})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		ink := Plain
		switch {
		case strings.HasPrefix(line, "+"):
			ink = Good
		case strings.HasPrefix(line, "-"):
			ink = Bad
		}
		b.WriteString(t.Paint(ink, t.Clean(line)) + "\n")
	}
	return b.String()
}
