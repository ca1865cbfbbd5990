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
	Expr   string // the expression's source, shortened
	Within string // the path of the template the expression stands in, or ""
}

func (e *Error) Error() string {
	where := ""
	if e.Within != "" {
		where = " of the value of " + e.Within
	}
	return fmt.Sprintf("expression %s: character %d%s: %s", e.Expr, e.Offset+1, where, e.Msg)
}

// Unwrap gives the error its fault kind.
func (e *Error) Unwrap() error { return fault.New(e.Kind, "%s", e.Msg) }

// UnresolvedError says that a path names nothing, or that its value is null where
// one is needed (BEHAVIOUR §13.12). An Object may return one from Get. Its fault
// kind is Invalid.
type UnresolvedError struct {
	Path   string // as far as it is written out in the source
	Offset int    // in runes, from 0
	Msg    string // why, or "" for an unknown name
}

func (e *UnresolvedError) Error() string {
	why := e.Msg
	if why == "" {
		why = "expected a known name, found none of that name"
	}
	return fmt.Sprintf("unresolved expression %s: character %d: %s", e.Path, e.Offset+1, why)
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

// failure returns an *Error at the byte offset at; from and end bound the expression.
func failure(kind fault.Kind, text string, at, from, end int, format string, args ...any) *Error {
	return &Error{
		Kind:   kind,
		Msg:    fmt.Sprintf(format, args...),
		Offset: runeOffset(text, at),
		Expr:   excerpt(text[from:max(from, min(end, len(text)))]),
	}
}

func runeOffset(text string, at int) int { return utf8.RuneCountInString(text[:min(at, len(text))]) }

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
