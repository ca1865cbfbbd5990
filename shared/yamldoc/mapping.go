package yamldoc

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// entries fills map n. Keys the map has itself win over merged ones, of which the
// first wins (YAML 1.1 merge keys).
func (c *converter) entries(n *Node, values []*ast.MappingValueNode, depth int) {
	own := make(map[string]*Node, len(values))
	var merged []*Node
	for _, v := range values {
		if v.Key == nil {
			continue
		}
		if v.Key.IsMergeKey() {
			merged = append(merged, c.merge(v, depth)...)
			continue
		}
		key, ok := c.key(v.Key)
		if !ok {
			continue
		}
		value := c.node(v.Value, depth+1)
		if value.Kind == Null && v.Value != nil && v.Value.GetToken().Type == token.ImplicitNullType {
			value.Pos = key.Pos // nothing is written there: the key is what can be pointed at
		}
		if before, dup := own[key.Text]; dup {
			c.fail(v.Key, CodeDuplicate, fmt.Sprintf("key %q is already set on line %d", key.Text, before.Pos.Line), "keep one of the two")
			continue
		}
		own[key.Text] = key
		n.put(key, value)
	}
	for _, m := range merged {
		for _, e := range m.Entries {
			if own[e.Key.Text] == nil {
				own[e.Key.Text] = e.Key
				n.put(e.Key, e.Value)
			}
		}
	}
}

// key reads a scalar key.
func (c *converter) key(k ast.MapKeyNode) (*Node, bool) {
	var a ast.Node = k
	if q, ok := k.(*ast.MappingKeyNode); ok {
		a = q.Value
	}
	if a == nil {
		return nil, false
	}
	n := c.node(a, 0)
	if n.Kind == List || n.Kind == Map {
		c.fail(k, CodeKey, "a key must be a plain word, not "+n.Kind.String(), "put text that begins with { or [ in quotes")
		return nil, false
	}
	if n.Kind == Null {
		n.Text = k.GetToken().Value
	}
	n.Kind, n.value = String, nil
	return n, true
}

// merge returns the maps a `<<` key names.
func (c *converter) merge(v *ast.MappingValueNode, depth int) []*Node {
	m := c.node(v.Value, depth+1)
	switch m.Kind {
	case Map:
		return []*Node{m}
	case List:
		for _, it := range m.Items {
			if it.Kind != Map {
				c.fail(v.Key, CodeAlias, "<< must name maps only", "")
				return nil
			}
		}
		return m.Items
	default:
		c.fail(v.Key, CodeAlias, "<< must name a map, not "+m.Kind.String(), "")
		return nil
	}
}
