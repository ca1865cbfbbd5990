package compile

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// expressions checks the form of every expression at and below a node. What the
// names in them stand for is not known before the run.
func (c *compiler) expressions(n *yamldoc.Node) {
	for _, it := range n.Items {
		c.expressions(it)
	}
	for _, e := range n.Entries {
		c.expressions(e.Value)
	}
	if n.Kind != yamldoc.String || !expr.Has(n.Text) {
		return
	}
	_, err := expr.Refs(n.Text)
	if err == nil {
		return
	}
	pos, msg := n.Pos, err.Error()
	var ee *expr.Error
	if errors.As(err, &ee) {
		pos, msg = n.PosAt(place(n.Text, ee)), ee.Msg+", in "+ee.Expr
	}
	if fault.Is(err, fault.Unsupported) {
		c.unexecuted(n, pos, msg)
		return
	}
	c.add(core.SeverityError, n, pos, CodeExpression, "the expression cannot be read: "+msg, "")
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
