package compile

import (
	"math"
	"strconv"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

var variableFields = []string{"name", "type", "value", "default", "required", "description"}

var variableTypes = []string{"String", "Number", "Secret"}

// variables reads the `variables` of a pipeline, stage or group (BEHAVIOUR §7.8).
func (c *compiler) variables(m *yamldoc.Node, what string) []core.Variable {
	list := m.Get("variables")
	if list == nil || c.empty(list) {
		return nil
	}
	if list.Kind != yamldoc.List {
		c.errorf(list, CodeWrongType, "write - name: for each", "variables of %s is %s: expected a list", what, list.Kind)
		return nil
	}
	var out []core.Variable
	seen := newIDs()
	for _, it := range list.Items {
		if it.Kind != yamldoc.Map {
			c.errorf(it, CodeWrongType, "write - name:", "a variable of %s is %s: expected a map", what, it.Kind)
			continue
		}
		if v, ok := c.variable(it, what, seen); ok {
			out = append(out, v)
		}
	}
	return out
}

func (c *compiler) variable(it *yamldoc.Node, where string, seen *ids) (v core.Variable, ok bool) {
	for _, e := range it.Entries {
		if !has(variableFields, e.Key.Text) {
			c.unknownField(e, "a variable", variableFields)
		}
	}
	name, n := c.scalar(it, "name", "a variable of "+where)
	if n == nil {
		return v, false
	}
	what := "variable " + name
	switch {
	case !variableForm.MatchString(name):
		c.errorf(n, CodeIdentifier, "use letters, digits and _ . - $, not beginning with a digit", "%q cannot be the name of a variable", name)
	case expr.Reserved(name):
		c.errorf(n, CodeIdentifier, "choose another word", "%q is a word of the expression language and cannot be the name of a variable", name)
	}
	c.unique(seen, name, n, "variable", where)
	typ, t := c.scalar(it, "type", what)
	if t != nil && !has(variableTypes, typ) {
		c.errorf(t, CodeValue, "", "type of %s is %q: expected String, Number or Secret", what, typ)
	}
	v = core.Variable{Name: name, Type: typ, Required: textAt(it, "required") == "true"}
	if r := it.Get("required"); r != nil && !c.empty(r) && r.Text != "true" && r.Text != "false" {
		c.wrong(r, "required of "+what, "true or false")
	}
	value := it.Get("value")
	if value == nil {
		c.missingField(it, "value", what)
		return v, true
	}
	if d := it.Get("default"); c.empty(value) && d != nil && !c.empty(d) {
		value = d
	}
	if in := c.missing[value]; in != nil && v.Required {
		c.missingInput(value, in)
	} else if v.Required && c.empty(value) {
		c.errorf(value, CodeMissingInput, "set value:", "%s is required and has no value", what)
	}
	v.Value = c.variableValue(value, typ, what)
	c.expressions(value)
	return v, true
}

func (c *compiler) variableValue(n *yamldoc.Node, typ, what string) any {
	switch {
	case n.Kind == yamldoc.Null && c.missing[n] != nil:
		return nil
	case n.Kind == yamldoc.Null || n.Kind == yamldoc.String && n.Text == "":
		return ""
	case n.Kind == yamldoc.List || n.Kind == yamldoc.Map:
		if typ != "String" {
			c.wrong(n, "value of "+what, "a "+typ)
		}
		return n.Any()
	case typ != "Number" || isExpression(n):
		return n.Text
	}
	if n.Kind == yamldoc.Number {
		return n.Any()
	}
	f, err := strconv.ParseFloat(n.Text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		c.errorf(n, CodeValue, "write a number, or make its type String", "value of %s is %q: expected a number", what, n.Text)
		return nil
	}
	return f
}
