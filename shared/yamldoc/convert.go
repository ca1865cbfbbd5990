package yamldoc

import (
	"fmt"
	"math"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/slipway-cd/slipway/shared/core"
)

// maxErrors is how many things are said about one document.
const maxErrors = 500

// converter turns the library's tree into Nodes.
type converter struct {
	src     *source
	first   int // lines before the document
	anchors map[string]ast.Node
	open    []string // anchors being expanded
	count   int
	aliased int // values made while an alias is expanded
	within  int // aliases being expanded
	stopped bool
	diags   core.Diagnostics
}

func (c *converter) pos(tk *token.Token) core.Position {
	p := core.Position{File: c.src.file, Line: c.first + 1, Column: 1}
	if tk != nil && tk.Position != nil {
		p.Line, p.Column = c.first+max(tk.Position.Line, 1), max(tk.Position.Column, 1)
	}
	return p
}

func (c *converter) fail(n ast.Node, code, msg, help string) {
	if len(c.diags) >= maxErrors {
		return
	}
	p := c.pos(n.GetToken())
	c.diags = append(c.diags, *at(p.File, p.Line, p.Column, code, msg, help))
}

// stop fails for good: the rest of the document is not converted.
func (c *converter) stop(n ast.Node, code, msg, help string) {
	if !c.stopped {
		c.fail(n, code, msg, help)
	}
	c.stopped = true
}

func (c *converter) node(a ast.Node, depth int) *Node {
	c.count++
	n := &Node{src: c.src}
	if a == nil || c.stopped {
		return n
	}
	n.Pos = c.pos(a.GetToken())
	if c.within > 0 {
		c.aliased++
	}
	switch {
	case c.aliased > MaxRepeated:
		c.stop(a, CodeTooLarge, fmt.Sprintf("aliases repeat more than %d values", MaxRepeated), "use fewer aliases")
		return n
	case depth > MaxDepth:
		c.stop(a, CodeTooLarge, fmt.Sprintf("maps and lists are nested more than %d deep", MaxDepth), "flatten the document")
		return n
	case c.count > MaxNodes:
		c.stop(a, CodeTooLarge, fmt.Sprintf("more than %d values, those that aliases repeat included", MaxNodes), "use fewer aliases")
		return n
	}
	switch a := a.(type) {
	case *ast.AnchorNode:
		return c.anchor(a, depth)
	case *ast.AliasNode:
		return c.alias(a, depth)
	case *ast.TagNode:
		return c.tag(a, depth)
	case *ast.MappingNode:
		if len(a.Values) > 0 && !a.IsFlowStyle {
			n.Pos = c.pos(keyToken(a.Values[0]))
		}
		n.Kind = Map
		c.entries(n, a.Values, depth)
	case *ast.MappingValueNode:
		n.Kind, n.Pos = Map, c.pos(keyToken(a))
		c.entries(n, []*ast.MappingValueNode{a}, depth)
	case *ast.SequenceNode:
		n.Kind = List
		for _, v := range a.Values {
			n.add(c.node(v, depth+1))
		}
	default:
		c.scalar(n, a)
	}
	return n
}

// keyToken is the token a map entry begins with.
func keyToken(v *ast.MappingValueNode) *token.Token {
	if v.Key == nil {
		return v.GetToken()
	}
	return v.Key.GetToken()
}

func (c *converter) scalar(n *Node, a ast.Node) {
	switch a := a.(type) {
	case *ast.StringNode:
		n.Kind, n.Text = String, a.Value
		n.Quoted = a.Token.Type == token.SingleQuoteType || a.Token.Type == token.DoubleQuoteType
	case *ast.LiteralNode:
		n.Kind, n.Quoted = String, true
		if a.Value != nil {
			n.Text = a.Value.Value
		}
	case *ast.BoolNode:
		n.Kind, n.Text, n.value = Bool, a.Token.Value, a.Value
	case *ast.IntegerNode:
		n.Kind, n.Text = Number, a.Token.Value
		switch v := a.Value.(type) {
		case int64:
			n.value = float64(v)
		case uint64:
			n.value = float64(v)
		default:
			n.Kind = String
		}
	case *ast.FloatNode:
		n.Kind, n.Text, n.value = Number, a.Token.Value, a.Value
		if math.IsInf(a.Value, 0) || math.IsNaN(a.Value) {
			n.Kind, n.value = String, nil
		}
	case *ast.NullNode:
	default: // .inf and .nan are no JSON numbers
		n.Kind, n.Text = String, a.GetToken().Value
	}
}

func (c *converter) anchor(a *ast.AnchorNode, depth int) *Node {
	name := a.Name.GetToken().Value
	c.open = append(c.open, name)
	n := c.node(a.Value, depth)
	c.open = c.open[:len(c.open)-1]
	c.anchors[name] = a.Value
	return n
}

func (c *converter) alias(a *ast.AliasNode, depth int) *Node {
	name := a.Value.GetToken().Value
	for _, o := range c.open {
		if o == name {
			c.fail(a, CodeAlias, fmt.Sprintf("alias *%s stands inside its own anchor", name), "")
			return &Node{Pos: c.pos(a.GetToken()), src: c.src}
		}
	}
	target, ok := c.anchors[name]
	if !ok {
		c.fail(a, CodeAlias, fmt.Sprintf("alias *%s has no anchor &%s before it", name, name),
			"define the anchor, or put text that begins with * in quotes")
		return &Node{Pos: c.pos(a.GetToken()), src: c.src}
	}
	c.open = append(c.open, name)
	c.within++
	n := c.node(target, depth)
	c.within--
	c.open = c.open[:len(c.open)-1]
	return n
}

// tag honours !!str and leaves other tags without effect.
func (c *converter) tag(a *ast.TagNode, depth int) *Node {
	n := c.node(a.Value, depth)
	if a.Start != nil && a.Start.Value == "!!str" && (n.Kind == Number || n.Kind == Bool || n.Kind == Null) {
		n.Kind, n.Quoted, n.value = String, true, nil
	}
	return n
}
