package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/spell"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// rule says how a field of an envelope is treated.
type rule struct {
	// refuse names the part when it is not executed yet; "" for a field that is read
	// elsewhere or changes nothing.
	refuse string
	// noop tells forms that change nothing. Empty values never do.
	noop func(*yamldoc.Node) bool
}

// rules are the fields of a map, by name.
type rules map[string]rule

// check reports fields nobody knows and parts that are not executed yet.
func (c *compiler) check(m *yamldoc.Node, what string, rs rules) {
	for _, e := range m.Entries {
		r, ok := rs[e.Key.Text]
		if !ok {
			c.unknownField(e, what, keys(rs))
			continue
		}
		if r.refuse == "" || c.empty(e.Value) || r.noop != nil && r.noop(e.Value) {
			continue
		}
		c.unexecuted(e.Value, e.Key.Pos, r.refuse)
	}
}

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (c *compiler) unknownField(e yamldoc.Entry, what string, known []string) {
	if e.Key.Text == "description" { // which may stand anywhere
		return
	}
	help := "remove it"
	if near := nearest(e.Key.Text, known); near != "" {
		help = fmt.Sprintf("did you mean %q?", near)
	}
	c.add(core.SeverityError, e.Value, e.Key.Pos, CodeUnknownField, fmt.Sprintf("unknown field %q of %s", e.Key.Text, what), help)
}

// empty reports a value that stands for nothing: no value, "", {}, [] or an input
// nobody gave.
func (c *compiler) empty(n *yamldoc.Node) bool {
	switch n.Kind {
	case yamldoc.Null:
		return true
	case yamldoc.String:
		return n.Text == ""
	case yamldoc.List:
		return len(n.Items) == 0
	case yamldoc.Map:
		return len(n.Entries) == 0
	case yamldoc.Bool, yamldoc.Number:
	}
	return false
}

// mapAt returns a field that must be a map, nil (and said) when it is not.
func (c *compiler) mapAt(m *yamldoc.Node, key, what string) *yamldoc.Node {
	return c.kindAt(m, key, what, yamldoc.Map)
}

// listAt returns a field that must be a list, nil (and said) when it is not.
func (c *compiler) listAt(m *yamldoc.Node, key, what string) *yamldoc.Node {
	return c.kindAt(m, key, what, yamldoc.List)
}

func (c *compiler) kindAt(m *yamldoc.Node, key, what string, kind yamldoc.Kind) *yamldoc.Node {
	n := m.Get(key)
	switch {
	case n == nil || n.Kind == yamldoc.Null:
		c.missingField(m, key, what)
	case c.missing[n] != nil:
		c.missingInput(n, c.missing[n])
	case n.Kind != kind:
		c.errorf(n, CodeWrongType, "", "%s of %s is %s: expected %s", key, what, n.Kind, kind)
	default:
		return n
	}
	return nil
}

// missingField points at the map that lacks a field.
func (c *compiler) missingField(m *yamldoc.Node, key, what string) {
	at := m
	if n := m.Get(key); n != nil {
		at = n
	}
	c.errorf(at, CodeMissingField, "add "+key+":", "%s has no %s", what, key)
}

// texts reads a list of strings such as tags of a delegate. One may be an
// expression, which may stand for several.
func (c *compiler) texts(n *yamldoc.Node, what string) []string {
	n = c.settled(n)
	if n == nil || c.empty(n) {
		return nil
	}
	var items []*yamldoc.Node
	switch {
	case isExpression(n):
		items = []*yamldoc.Node{n}
	case n.Kind == yamldoc.String:
		for w := range strings.SplitSeq(n.Text, ",") {
			items = append(items, yamldoc.NewString(strings.TrimSpace(w), n.Pos))
		}
	case n.Kind == yamldoc.List:
		items = n.Items
	default:
		c.errorf(n, CodeWrongType, "", "%s is %s: expected a list", what, n.Kind)
		return nil
	}
	var out []string
	for _, it := range items {
		it = c.settled(it)
		switch {
		case !it.Scalar():
			c.errorf(it, CodeWrongType, "", "an item of %s is %s: expected a string", what, it.Kind)
		case it.Text != "":
			c.expressions(it)
			out = append(out, it.Text)
		}
	}
	return out
}

// nearest returns the word most like s, "" when none is like it.
func nearest(s string, words []string) string {
	best, bestD := "", max(1, min(len(s)/3, 3))+1
	for _, w := range words {
		if d := spell.Distance(strings.ToLower(s), strings.ToLower(w)); d < bestD {
			best, bestD = w, d
		}
	}
	return best
}
