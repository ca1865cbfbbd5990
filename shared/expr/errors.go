package expr

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/fault"
)

// ErrNoMethod is a Caller's answer to a method it does not have.
var ErrNoMethod = errors.New("no such method")

// Error is what is wrong with an expression and where. Its fault kind is Invalid,
// Unsupported or TooLarge.
type Error struct {
	Kind   fault.Kind
	Msg    string // what was found and what was expected
	Offset int    // in runes, from 0, in the text that was rendered
	Line   int    // of the text, from 1
	Column int    // in the line, in runes, from 1
	Expr   string // the expression's source, shortened
	Within string // the path of the template the expression stands in, or ""
}

func (e *Error) Error() string {
	where := ""
	if e.Within != "" {
		where = " of the value of " + e.Within
	}
	return fmt.Sprintf("expression %s: %s%s: %s", e.Expr, spot(e.Line, e.Column), where, e.Msg)
}

// spot names a place: a text of one line has characters only.
func spot(line, column int) string {
	if line > 1 {
		return fmt.Sprintf("line %d, character %d", line, column)
	}
	return fmt.Sprintf("character %d", column)
}

// Unwrap gives the error its fault kind.
func (e *Error) Unwrap() error { return fault.New(e.Kind, "%s", e.Msg) }

// UnresolvedError says that a path names nothing, or that its value is null where
// one is needed (BEHAVIOUR §13.12). An Object may return one from Get. Its fault
// kind is Invalid.
type UnresolvedError struct {
	Path   string // as far as it is written out in the source
	Offset int    // in runes, from 0, in the text that was rendered
	Line   int    // of the text, from 1
	Column int    // in the line, in runes, from 1
	Msg    string // why, or "" for an unknown name
}

func (e *UnresolvedError) Error() string {
	why := e.Msg
	if why == "" {
		why = "expected a known name, found none of that name"
		if near := nearContext(e.Path); near != "" {
			why += "; did you mean " + near + "?"
		} else {
			why += "; if it may be missing, give a value for that: <+" + e.Path + ` ?: "…">`
		}
	}
	return fmt.Sprintf("unresolved expression %s: %s: %s", e.Path, spot(max(1, e.Line), max(1, e.Column)), why)
}

// Unwrap gives the error its fault kind.
func (e *UnresolvedError) Unwrap() error { return fault.New(fault.Invalid, "unresolved %s", e.Path) }

func isUnresolved(err error) bool {
	if err == nil {
		return false
	}
	_, ok := errors.AsType[*UnresolvedError](err)
	return ok
}

// unresolved is the error for a path that begins at the byte offset at.
func unresolved(path, text string, at int, msg string) *UnresolvedError {
	line, column := lineColumn(text, at)
	return &UnresolvedError{Path: path, Offset: runeOffset(text, at), Line: line, Column: column, Msg: msg}
}

// Caret shows where an error stands: the line of the text and, below it, a ^ under
// the character. It is "" when the error has no place in this text.
func Caret(text string, err error) string {
	line, column := 0, 0
	if e, ok := errors.AsType[*Error](err); ok && e.Within == "" {
		line, column = e.Line, e.Column
	} else if u, ok := errors.AsType[*UnresolvedError](err); ok {
		line, column = u.Line, u.Column
	}
	if line < 1 || column < 1 {
		return ""
	}
	for at := range strings.SplitSeq(text, "\n") {
		if line--; line == 0 {
			return caret(strings.TrimSuffix(at, "\r"), column)
		}
	}
	return ""
}

// caretWidth is how much of a long line is shown on either side of the place.
const caretWidth = 60

func caret(line string, column int) string {
	all := []rune(strings.ReplaceAll(line, "\t", " "))
	column = min(column, len(all)+1) - 1
	from, to := max(0, column-caretWidth), min(len(all), column+caretWidth)
	before := string(all[from:column])
	if from > 0 {
		before = "…" + before
	}
	after := string(all[column:to])
	if to < len(all) {
		after += "…"
	}
	return before + after + "\n" + strings.Repeat(" ", utf8.RuneCountInString(before)) + "^"
}

// failure returns an *Error at the byte offset at; from and end bound the expression.
func failure(kind fault.Kind, text string, at, from, end int, format string, args ...any) *Error {
	line, column := lineColumn(text, at)
	return &Error{
		Kind:   kind,
		Msg:    fmt.Sprintf(format, args...),
		Offset: runeOffset(text, at),
		Line:   line,
		Column: column,
		Expr:   excerpt(text[from:max(from, min(end, len(text)))]),
	}
}

func runeOffset(text string, at int) int { return utf8.RuneCountInString(text[:min(at, len(text))]) }

// lineColumn is the place of a byte, both from 1, the column in runes.
func lineColumn(text string, at int) (line, column int) {
	before := text[:min(at, len(text))]
	last := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[last:]) + 1
}

// excerpt shortens a source for a message: its first line, at most 80 runes.
func excerpt(src string) string {
	src = strings.TrimSpace(src)
	line, _, cut := strings.Cut(src, "\n")
	if n := 0; len(line) > 80 {
		for i := range line {
			if n++; n > 80 {
				line, cut = line[:i], true
				break
			}
		}
	}
	if cut {
		line += "…"
	}
	return line
}
