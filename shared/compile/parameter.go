package compile

import (
	"fmt"
	"regexp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// parameterForm is how the text of a template names one of its own variables.
var parameterForm = regexp.MustCompile(`<\+templateVariables\.([a-zA-Z_][0-9a-zA-Z_$-]*)>`)

// parameters puts the values of a template's own variables into its text: those that
// the link gives, or else the template's.
func (c *compiler) parameters(with, link *yamldoc.Node, t *template) {
	given := link.Get("templateVariables")
	if !t.reads && given == nil {
		return
	}
	values := map[string]string{}
	var names []string
	for _, v := range t.variables {
		values[v.Name] = expr.Format(v.Value)
		names = append(names, v.Name)
	}
	for _, e := range c.parameterEntries(given) {
		if _, ok := values[e.Key.Text]; !ok {
			help := "remove it"
			if near := nearest(e.Key.Text, names); near != "" {
				help = fmt.Sprintf("did you mean %q?", near)
			}
			c.add(core.SeverityError, e.Value, e.Key.Pos, CodeUnknownInput, fmt.Sprintf("the template %s has no variable %s", t.name, e.Key.Text), help)
			continue
		}
		if text, n, ok := c.linkText(e.Value.Parent(), e.Value.Name()); ok && n != nil {
			values[e.Key.Text] = text
		}
	}
	c.substitute(with, values)
}

// parameterEntries are what a link gives: a map, or a list of name and value.
func (c *compiler) parameterEntries(n *yamldoc.Node) []yamldoc.Entry {
	switch {
	case n == nil || c.empty(n):
		return nil
	case n.Kind == yamldoc.Map:
		return n.Entries
	case n.Kind != yamldoc.List:
		c.wrong(n, "templateVariables", "names and their values")
		return nil
	}
	var out []yamldoc.Entry
	for _, it := range n.Items {
		name, value := it.Get("name"), it.Get("value")
		if !name.Scalar() || value == nil {
			c.errorf(it, CodeMissingField, "write - {name: …, value: …}", "an item of templateVariables has no name and value")
			continue
		}
		out = append(out, yamldoc.Entry{Key: name, Value: value})
	}
	return out
}

func (c *compiler) substitute(n *yamldoc.Node, values map[string]string) {
	for _, it := range n.Items {
		c.substitute(it, values)
	}
	for _, e := range n.Entries {
		c.substitute(e.Value, values)
	}
	if n.Kind != yamldoc.String || !parameterForm.MatchString(n.Text) {
		return
	}
	text := parameterForm.ReplaceAllStringFunc(n.Text, func(s string) string {
		name := parameterForm.FindStringSubmatch(s)[1]
		v, ok := values[name]
		if !ok {
			c.errorf(n, CodeExpression, "add it to the template's variables:", "the template has no variable %s", name)
			return ""
		}
		return v
	})
	n.Replace(yamldoc.NewPlain(text, n.Pos))
}
