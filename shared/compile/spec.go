package compile

import (
	"math"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/steps"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// object checks a map against a field table and returns it as JSON values.
func (c *compiler) object(m *yamldoc.Node, fields []steps.Field, what string) map[string]any {
	byName := make(map[string]*steps.Field, len(fields))
	for i := range fields {
		byName[fields[i].Name] = &fields[i]
	}
	out := map[string]any{}
	if f, n := byName["type"], m.Get("type"); f != nil && n != nil && len(f.UnsupportedValues) > 0 && c.refusal(f, n) != "" {
		c.unexecuted(n, n.Pos, c.refusal(f, n)) // the other fields are those of a variant nobody reads
		return out
	}
	refused := false
	for _, e := range m.Entries {
		f := byName[e.Key.Text]
		if f == nil {
			c.unknownField(e, what, keys(byName))
			continue
		}
		if why := c.refusal(f, e.Value); why != "" {
			pos := e.Key.Pos
			if len(f.UnsupportedValues) > 0 {
				pos = e.Value.Pos
			}
			c.unexecuted(e.Value, pos, why)
			refused = true
			continue
		}
		if v, ok := c.value(e.Value, f, e.Key.Text+" of "+what); ok {
			out[e.Key.Text] = v
		}
	}
	for _, f := range fields {
		// What belongs to a refused variant cannot be judged.
		if f.Required && !refused {
			c.required(m, f.Name, what)
		}
	}
	return out
}

// required says that a field is missing or empty.
func (c *compiler) required(m *yamldoc.Node, key, what string) {
	n := m.Get(key)
	switch {
	case n == nil || n.Kind == yamldoc.Null && c.missing[n] == nil:
		c.missingField(m, key, what)
	case c.missing[n] != nil:
		c.missingInput(n, c.missing[n])
	case n.Kind == yamldoc.String && n.Text == "":
		c.errorf(n, CodeMissingField, "give it a value", "%s of %s is empty", key, what)
	}
}

// refusal returns what a field's value asks for that is not executed yet, or "".
func (c *compiler) refusal(f *steps.Field, n *yamldoc.Node) string {
	if n.Scalar() && f.UnsupportedValues[n.Text] != "" {
		return f.UnsupportedValues[n.Text]
	}
	if f.Unsupported != "" && !c.empty(n) && (f.Harmless == "" || n.Text != f.Harmless) {
		return f.Unsupported
	}
	return ""
}

func isExpression(n *yamldoc.Node) bool {
	return n.Kind == yamldoc.String && strings.Contains(n.Text, "<+")
}

// value converts a field's value; ok is false when it stands for nothing or is
// wrong (and said).
func (c *compiler) value(n *yamldoc.Node, f *steps.Field, what string) (v any, ok bool) {
	if n.Kind == yamldoc.Null || f.Type != steps.String && n.Kind == yamldoc.String && n.Text == "" {
		return nil, false
	}
	if isExpression(n) && f.Literal {
		c.errorf(n, CodeValue, "write it out", "%s is an expression: it has to be known before the run", what)
		return nil, false
	}
	if isExpression(n) && f.Type != steps.String {
		return n.Text, true
	}
	switch f.Type {
	case steps.String:
		return c.textValue(n, f, what)
	case steps.Int:
		return c.intValue(n, f, what)
	case steps.Bool:
		if b := strings.ToLower(n.Text); n.Scalar() && (b == "true" || b == "false") {
			return b == "true", true
		}
		return c.wrong(n, what, "true or false")
	case steps.Duration:
		if _, ok := c.duration(n, what); ok {
			return n.Text, true
		}
		return nil, false
	case steps.List:
		return c.listValue(n, f, what)
	case steps.Variables:
		return c.variablesValue(n, f, what)
	case steps.Map:
		if n.Kind != yamldoc.Map {
			return c.wrong(n, what, "a map")
		}
		if f.Fields == nil {
			return n.Any(), true
		}
		return c.object(n, f.Fields, what), true
	}
	return nil, false
}

func (c *compiler) wrong(n *yamldoc.Node, what, want string) (any, bool) {
	have := n.Kind.String()
	if n.Scalar() {
		have = strconv.Quote(n.Text)
	}
	c.errorf(n, CodeWrongType, "", "%s is %s: expected %s", what, have, want)
	return nil, false
}

func (c *compiler) textValue(n *yamldoc.Node, f *steps.Field, what string) (any, bool) {
	if !n.Scalar() {
		return c.wrong(n, what, "a string")
	}
	if n.Text == "" || isExpression(n) {
		return n.Text, true
	}
	if len(f.Enum) > 0 && !has(f.Enum, n.Text) {
		help := ""
		if near := nearest(n.Text, f.Enum); near != "" {
			help = "did you mean " + near + "?"
		}
		c.errorf(n, CodeValue, help, "%s is %q: expected one of %s", what, n.Text, strings.Join(f.Enum, ", "))
		return nil, false
	}
	if f.Identifier {
		c.shellName(n, what)
	}
	return n.Text, true
}

// shellName checks the name of an output or environment variable (BEHAVIOUR §1.4,
// §15.7).
func (c *compiler) shellName(n *yamldoc.Node, what string) {
	switch {
	case !identifierForm.MatchString(n.Text):
		c.errorf(n, CodeIdentifier, "use letters, digits and _, not beginning with a digit", "%q cannot be the %s", n.Text, what)
	case expr.Reserved(n.Text):
		c.errorf(n, CodeIdentifier, "choose another word", "%q is a word of the expression language and cannot be the %s", n.Text, what)
	}
}

func (c *compiler) intValue(n *yamldoc.Node, f *steps.Field, what string) (any, bool) {
	v, err := strconv.ParseFloat(n.Text, 64)
	if !n.Scalar() || err != nil || v != math.Trunc(v) {
		return c.wrong(n, what, "a whole number")
	}
	if f.Positive && v < 1 {
		c.errorf(n, CodeValue, "", "%s is %s: expected at least 1", what, n.Text)
		return nil, false
	}
	return v, true
}

func (c *compiler) listValue(n *yamldoc.Node, f *steps.Field, what string) (any, bool) {
	if n.Scalar() && f.Fields == nil {
		return []any{n.Text}, true
	}
	if n.Kind != yamldoc.List {
		return c.wrong(n, what, "a list")
	}
	out := make([]any, 0, len(n.Items))
	for _, it := range n.Items {
		switch {
		case f.Fields == nil && it.Scalar():
			out = append(out, it.Text)
		case f.Fields == nil:
			c.wrong(it, "an item of "+what, "a string")
		case it.Kind != yamldoc.Map:
			c.wrong(it, "an item of "+what, "a map")
		default:
			out = append(out, c.object(it, f.Fields, "an item of "+what))
		}
	}
	return out, true
}

// variablesValue converts a list of variables; a Number's value becomes a number.
func (c *compiler) variablesValue(n *yamldoc.Node, f *steps.Field, what string) (any, bool) {
	v, ok := c.listValue(n, f, what)
	if !ok || n.Kind != yamldoc.List {
		return v, ok
	}
	seen := newIDs()
	for _, it := range n.Items {
		if name := it.Get("name"); name.Scalar() {
			c.unique(seen, name.Text, name, "the variable", what)
		}
	}
	for _, it := range v.([]any) {
		m, _ := it.(map[string]any)
		if s, ok := m["value"].(string); ok && m["type"] == "Number" {
			if num, err := strconv.ParseFloat(s, 64); err == nil && s != "" {
				m["value"] = num
			}
		}
	}
	return v, true
}
