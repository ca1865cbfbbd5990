package screen

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Clean makes text of others safe to show: whatever could move the cursor, retitle
// the window or overwrite what is there is taken out. Colours of the text's own
// stay where the theme has colours, and are ended with the text.
func (t Theme) Clean(text string) string {
	if !strings.ContainsFunc(text, unsafe) {
		return text
	}
	if !t.colour {
		return strings.Map(printable, ansi.Strip(text))
	}
	var out strings.Builder
	coloured := false
	for state := byte(0); len(text) > 0; {
		seq, _, n, next := ansi.DecodeSequence(text, state, nil)
		switch {
		case !strings.ContainsFunc(seq, unsafe):
			out.WriteString(seq)
		case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
			out.WriteString(seq)
			coloured = true
		}
		text, state = text[n:], next
	}
	if coloured {
		out.WriteString("\x1b[m")
	}
	return out.String()
}

func unsafe(r rune) bool { return r != '\t' && unicode.IsControl(r) }

func printable(r rune) rune {
	if unsafe(r) {
		return -1
	}
	return r
}
