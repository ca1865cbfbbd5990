package schema

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// markerCalls may follow `<+input>` (BEHAVIOUR §12.1).
var markerCalls = []string{"default", "allowedValues", "selectOneFrom", "selectManyFrom", "regex", "executionInput"}

const inputMark = "<+input>"

// expression checks the form of the expressions in a text. One that is all of a
// value must be right; one inside a longer text may be text of another language
// and is warned about, since it is left as it stands at run time.
func (c *checker) expression(n *yamldoc.Node) {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(n.Text), inputMark); ok {
		c.marker(n, rest)
		return
	}
	_, err := expr.Refs(n.Text)
	if err == nil {
		return
	}
	pos, msg, sev := n.Pos, err.Error(), core.SeverityWarning
	if ee, ok := errors.AsType[*expr.Error](err); ok {
		pos, msg = n.PosAt(place(n.Text, ee)), ee.Msg+", in "+ee.Expr
	}
	switch text := strings.TrimSpace(n.Text); {
	case fault.Is(err, fault.Unsupported):
		c.add(sev, n, pos, CodeNotExecuted, "a run refuses this, as it is not executed yet: "+strings.TrimPrefix(msg, "not supported yet: "), "")
		return
	case strings.HasPrefix(text, "<+") && strings.HasSuffix(text, ">"):
		sev = core.SeverityError
		fallthrough
	default:
		msg = "the expression cannot be read: " + msg
	}
	c.add(sev, n, pos, CodeExpression, msg, "write <+ and > around one expression, or neither")
}

// marker checks what follows `<+input>`: calls of known names. Anything else is
// text around an input, which is left alone.
func (c *checker) marker(n *yamldoc.Node, rest string) {
	if !strings.HasPrefix(rest, ".") {
		return
	}
	name, _, ok := strings.Cut(rest[1:], "(")
	for _, m := range markerCalls {
		if ok && name == m {
			return
		}
	}
	c.add(core.SeverityWarning, n, n.Pos, CodeInputMarker, "<+input> is followed by "+rest+", which is no call it knows", oneOf(name, markerCalls))
}

// place is the offset in runes at which to point: where reading the expression
// stopped, or its beginning when that is the end of the text.
func place(text string, e *expr.Error) int {
	if e.Offset < utf8.RuneCountInString(strings.TrimRight(text, " \n")) {
		return e.Offset
	}
	start, _, _ := strings.Cut(e.Expr, "…")
	if i := strings.Index(text, start); i >= 0 {
		return utf8.RuneCountInString(text[:i])
	}
	return e.Offset
}
