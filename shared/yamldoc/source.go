package yamldoc

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/core"
)

// source is the text of one input and the file it came from.
type source struct {
	file  string
	data  []byte
	lines []string // without line ends, index 0 is line 1; nil until one is asked for
}

func newSource(file string, data []byte) *source { return &source{file: file, data: data} }

// line is a line of the text, counted from 1; "" when there is none.
func (s *source) line(n int) string {
	s.split()
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

// split cuts the text into lines: only positions inside scalars need them.
func (s *source) split() {
	if s.lines != nil {
		return
	}
	s.lines = strings.Split(string(s.data), "\n")
	for i, l := range s.lines {
		s.lines[i] = strings.TrimSuffix(l, "\r")
	}
}

// blockIndent is the indentation of the block scalar whose header is on a line.
func (s *source) blockIndent(header int) int {
	s.split()
	for _, l := range s.lines[min(header, len(s.lines)):] {
		if t := strings.TrimLeft(l, " "); t != "" {
			return len(l) - len(t)
		}
	}
	return 0
}

// chunk is the text of one document; its first line is line first+1 of the input.
type chunk struct {
	data  []byte
	first int
}

// text is the document, the whole stream when it is the only one.
func (c chunk) text(of int) []byte {
	if line, rest, found := bytes.Cut(c.data, []byte("\n")); of > 1 && found && marker(bytes.TrimRight(line, " \r\t"), "---") && len(bytes.TrimRight(line, " \r\t")) == 3 {
		return rest
	}
	return c.data
}

// split cuts a stream into documents. "---" at the start of a line separates
// documents wherever it stands, inside block scalars too, so no parsing is needed.
func split(data []byte) []chunk {
	var out []chunk
	start, startLine, line := 0, 0, 0
	content := false // whether the current chunk holds more than comments
	for at := 0; at < len(data); line++ {
		end := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if content && data[at] != '-' && data[at] != '.' {
			at = end
			continue
		}
		text := bytes.TrimRight(data[at:end], " \r\n\t")
		if marker(text, "---") && content {
			out = append(out, chunk{data[start:at], startLine})
			start, startLine, content = at, line, false
		}
		if marker(text, "...") && content {
			out = append(out, chunk{data[start:at], startLine})
			start, startLine, content = end, line+1, false
		} else if len(text) > 0 && text[0] != '#' && text[0] != '%' && !bytes.Equal(text, []byte("...")) {
			content = true
		}
		at = end
	}
	if content || len(out) == 0 {
		out = append(out, chunk{data[start:], startLine})
	}
	return out
}

func marker(line []byte, m string) bool {
	return bytes.HasPrefix(line, []byte(m)) && (len(line) == 3 || line[3] == ' ' || line[3] == '\t')
}

// maxBlankCost bounds empty lines times document bytes: some seconds' worth.
const maxBlankCost = 150_000_000_000

// scan looks at the bytes of a document before the YAML library sees them and
// refuses what that would take too long over.
func (c chunk) scan(file string) *core.Diagnostic {
	blank, line, start, cost := 0, 0, 0, 0
	for i, b := range c.data {
		if i == MaxDocument {
			return at(file, c.first+line+1, column(c.data[start:i]), CodeTooLarge,
				fmt.Sprintf("the document is larger than %d MB", MaxDocument>>20), "split it into smaller documents")
		}
		switch {
		case b == '\n':
			line, start = line+1, i+1
			if blank++; blank > MaxEmptyLines {
				return at(file, c.first+line, 1, CodeTooLarge,
					fmt.Sprintf("more than %d empty lines in a row", MaxEmptyLines), "remove some of them")
			}
			if blank > 2 { // the library looks at a block scalar anew for each
				if cost += len(c.data); cost > maxBlankCost {
					return at(file, c.first+line, 1, CodeTooLarge, "too many empty lines for a document of this size", "remove some of them")
				}
			}
		case b != ' ' && b != '\r' && b != '\t':
			blank = 0
		}
		if b < ' ' && b != '\n' && b != '\r' && b != '\t' {
			return at(file, c.first+line+1, column(c.data[start:i]), CodeSyntax,
				fmt.Sprintf("control character %#02x is not allowed", b), "remove it or write it as an escape in double quotes")
		}
		if b >= utf8.RuneSelf && utf8.RuneStart(b) || b >= utf8.RuneSelf && (i == 0 || c.data[i-1] < utf8.RuneSelf) {
			if r, size := utf8.DecodeRune(c.data[i:]); r == utf8.RuneError && size == 1 {
				return at(file, c.first+line+1, column(c.data[start:i]), CodeSyntax, "the text is not valid UTF-8", "save the file as UTF-8")
			}
		}
	}
	return nil
}

func column(before []byte) int { return utf8.RuneCount(before) + 1 }

func at(file string, line, col int, code, msg, help string) *core.Diagnostic {
	return &core.Diagnostic{
		Severity: core.SeverityError, Code: code, Message: msg, Help: help,
		File: file, Line: max(line, 1), Column: max(col, 1),
	}
}
