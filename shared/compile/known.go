package compile

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// maxKnown bounds how far variables are followed that are made of variables.
const maxKnown = expr.MaxTemplates

// settled returns the value that a node's expression stands for when it is known
// before the run: variables of the pipeline, stage and group that are constant, and
// what these are called. Any other node is returned as it is.
func (c *compiler) settled(n *yamldoc.Node) *yamldoc.Node {
	if n == nil || !isExpression(n) {
		return n
	}
	s := knownScope{c, n}
	if !s.knows(n.Text, 0) {
		return n
	}
	v, err := expr.Render(n.Text, s)
	if err != nil {
		return n // told where expressions are checked, or by the run
	}
	text := expr.Format(v)
	if t := strings.TrimSpace(text); strings.HasPrefix(t, "[") || strings.HasPrefix(t, "{") {
		if docs, diags := yamldoc.Parse("", []byte(t)); len(diags) == 0 && len(docs) == 1 {
			return docs[0].Root.Moved(n)
		}
	}
	return yamldoc.NewPlain(text, n.Pos).Moved(n)
}

// knownScope is what is known at a node before the run.
type knownScope struct {
	c *compiler
	n *yamldoc.Node
}

// knows reports whether all that a text names is known.
func (s knownScope) knows(text string, depth int) bool {
	paths, err := expr.Refs(text)
	if err != nil || depth > maxKnown || strings.Contains(text, inputMark) {
		return false
	}
	for _, p := range paths {
		v := s.at(p.Names)
		if p.Dynamic || v == nil || !v.Scalar() || v.Kind == yamldoc.String && expr.Has(v.Text) && !s.knows(v.Text, depth+1) {
			return false
		}
	}
	return true
}

// at is the node of a path, nil when it is not known.
func (s knownScope) at(names []string) *yamldoc.Node {
	if len(names) < 2 {
		return nil
	}
	m := s.around(names[0])
	switch {
	case m == nil:
	case len(names) == 2 && slices.Contains([]string{"identifier", "name"}, names[1]):
		return m.Get(names[1])
	case len(names) == 3 && names[1] == "variables":
		if list := m.Get("variables"); list != nil {
			for _, it := range list.Items {
				if textAt(it, "name") == names[2] && textAt(it, "type") != "Secret" {
					return it.Get("value")
				}
			}
		}
	}
	return nil
}

// around is the pipeline, stage or step group around the node, nil for none.
func (s knownScope) around(name string) *yamldoc.Node {
	if !slices.Contains([]string{"pipeline", "stage", "stepGroup"}, name) {
		return nil
	}
	for m := s.n; m != nil; m = m.Parent() {
		if m.Parent().Get(name) == m {
			return m
		}
	}
	return nil
}

// Lookup implements expr.Scope.
func (s knownScope) Lookup(name string) (any, bool) {
	m := s.around(name)
	return knownMap{s, []string{name}}, m != nil
}

// knownMap is a path on its way to something known.
type knownMap struct {
	s     knownScope
	names []string
}

// Get implements expr.Object.
func (m knownMap) Get(key string) (any, bool, error) {
	names := append(slices.Clone(m.names), key)
	if v := m.s.at(names); v != nil {
		if v.Kind == yamldoc.String {
			return expr.Template(v.Text), true, nil
		}
		return v.Text, true, nil
	}
	return knownMap{m.s, names}, len(names) == 2 && key == "variables", nil
}
