package compile

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// knownText is a scalar with its expressions evaluated, when nothing of the run is
// needed for it; ok is false when something is.
func (c *compiler) knownText(d *deployment, n *yamldoc.Node) (string, bool) {
	if n == nil || !n.Scalar() {
		return "", false
	}
	if !isExpression(n) {
		return n.Text, true
	}
	v, err := expr.RenderString(n.Text, known{c, d.stage})
	if err != nil || v == "" || v == "null" || strings.Contains(v, "<+") {
		return "", false
	}
	return v, true
}

// known is what expressions may read before a run: constants of the pipeline and of
// the stage.
type known struct {
	c     *compiler
	stage *yamldoc.Node
}

// Lookup implements expr.Scope.
func (k known) Lookup(name string) (any, bool) {
	switch name {
	case "pipeline":
		return k.of(k.c.top), true
	case "stage":
		return k.of(k.stage), true
	}
	return nil, false
}

func (k known) of(m *yamldoc.Node) any {
	vars := constants{}
	for _, v := range itemsOf(m.Get("variables")) {
		if value := v.Get("value"); value != nil && textAt(v, "type") != "Secret" && k.c.missing[value] == nil {
			vars[textAt(v, "name")] = late(literal(value))
		}
	}
	return constants{"identifier": textAt(m, "identifier"), "name": textAt(m, "name"), "variables": vars}
}

// constants are what is known of something: all else of it is known only in the run, and
// not null.
type constants map[string]any

// Get implements expr.Object.
func (c constants) Get(key string) (any, bool, error) {
	v, ok := c[key]
	if !ok {
		return nil, false, &expr.UnresolvedError{Path: key}
	}
	return v, true, nil
}

// late marks the text of a variable, whose expressions are evaluated when it is read.
func late(v any) any {
	if s, ok := v.(string); ok && expr.Has(s) {
		return expr.Template(s)
	}
	return v
}

// scopeOf is where a reference that stands in a scope looks.
func scopeOf(ref string, at core.Scope) (core.Scope, string) {
	if id, ok := strings.CutPrefix(ref, "account."); ok {
		return core.Scope{Account: at.Account}, id
	}
	if id, ok := strings.CutPrefix(ref, "org."); ok {
		return core.Scope{Account: at.Account, Org: at.Org}, id
	}
	return at, ref
}
