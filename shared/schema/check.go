package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// checker is the state of one Check: one walk over the tree.
type checker struct {
	diags   core.Diagnostics
	partial int           // > 0 inside runtime inputs, where nothing is required
	unnamed *yamldoc.Node // a map that has no name and identifier: the part a template is of
	names   *names        // identifiers of the innermost list that has its own
}

func (c *checker) add(sev core.Severity, n *yamldoc.Node, pos core.Position, code, msg, help string) {
	if len(c.diags) >= MaxDiagnostics {
		return
	}
	c.diags = append(c.diags, core.Diagnostic{
		Severity: sev, Code: code, Message: msg, Help: help,
		File: pos.File, Line: pos.Line, Column: pos.Column, Path: n.Pointer(),
	})
}

func (c *checker) errorf(n *yamldoc.Node, code, help, format string, args ...any) {
	c.add(core.SeverityError, n, n.Pos, code, fmt.Sprintf(format, args...), help)
}

func (c *checker) sorted() core.Diagnostics {
	slices.SortStableFunc(c.diags, func(a, b core.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return c.diags
}

// value checks a value against its type. Nothing (null) is what an absent field
// is: whoever requires it says so.
func (c *checker) value(n *yamldoc.Node, t *typ) {
	t = t.real()
	if n.Kind == yamldoc.Null {
		return
	}
	if t.shape == shapePartial && t.unnamed {
		c.unnamed = n
		c.value(n, t.elem)
		return
	}
	if t.shape == shapePartial {
		c.partial++
		c.value(n, t.elem)
		c.partial--
		return
	}
	if open(n) && t.format != "id" && t.format != "name" {
		c.expression(n)
		return
	}
	switch t.shape {
	case shapeAny:
		c.free(n)
	case shapeText, shapeBool, shapeInt, shapeNumber, shapeEnum:
		c.scalar(n, t)
	case shapeList:
		c.list(n, t)
	case shapeDict:
		c.dict(n, t)
	case shapeObject:
		c.object(n, t.object)
	case shapeUnion:
		if alt := pick(n, t.alts); alt != nil {
			c.value(n, alt)
		} else {
			c.wrongType(n, t)
		}
	case shapeBy, shapeNamed, shapePartial: // a choice needs its siblings: see object
	}
}

// open reports whether a value is left to an expression.
func open(n *yamldoc.Node) bool {
	return n.Kind == yamldoc.String && strings.Contains(n.Text, "<+")
}

// free looks for expressions in what has no known form.
func (c *checker) free(n *yamldoc.Node) {
	for _, it := range n.Items {
		c.free(it)
	}
	for i := range n.Entries {
		c.free(n.Entries[i].Value)
	}
	if open(n) {
		c.expression(n)
	}
}

func (c *checker) list(n *yamldoc.Node, t *typ) {
	if n.Kind != yamldoc.List {
		if !(n.Kind == yamldoc.String && n.Text == "") { // an empty form field
			c.wrongType(n, t)
		}
		return
	}
	if len(n.Items) < t.atLeast && c.partial == 0 {
		c.errorf(n, CodeMissingField, "add an item", "%s is empty", describe(n))
	}
	if !t.inner {
		outer := c.names
		c.names = nil
		defer func() { c.names = outer }()
	}
	elem := t.elem.real()
	for _, it := range n.Items {
		if it.Kind == yamldoc.Null && elem.shape == shapeObject {
			c.wrongType(it, elem)
			continue
		}
		c.value(it, elem)
	}
	if elem.shape == shapeObject && elem.object.keyed != "" {
		c.keyed(n, elem.object.keyed)
	}
}

func (c *checker) dict(n *yamldoc.Node, t *typ) {
	switch n.Kind {
	case yamldoc.Map:
		for i := range n.Entries {
			c.value(n.Entries[i].Value, t.elem)
		}
	case yamldoc.String:
		if n.Text != "" {
			c.wrongType(n, t)
		}
	default:
		c.wrongType(n, t)
	}
}

// pick returns the alternative a value is meant to be, nil when it is none.
func pick(n *yamldoc.Node, alts []*typ) *typ {
	var fits []*typ
	for _, a := range alts {
		if r := a.real(); like(n, r) {
			fits = append(fits, r)
		}
	}
	for _, a := range fits {
		if a.shape == shapeObject && a.object.hasType(n.Get("type")) {
			return a
		}
	}
	switch {
	case len(fits) == 0:
		return nil
	case len(fits) > 1 && n.Kind == yamldoc.Map:
		return closest(n, fits)
	}
	return fits[0]
}

// closest is the one of several types of maps that knows most of a map's fields.
// A type that says nothing stands for a draw.
func closest(n *yamldoc.Node, fits []*typ) *typ {
	best, most, draw := &typ{}, -1, false
	for _, a := range fits {
		if a.shape != shapeObject {
			return a
		}
		known := 0
		for _, e := range n.Entries {
			if a.object.field(e.Key.Text) != nil {
				known++
			}
		}
		if draw = known == most && !a.object.closed; known > most {
			best, most = a, known
		}
	}
	if draw {
		return &typ{}
	}
	return best
}

// like reports whether a value has the outer form of a type.
func like(n *yamldoc.Node, t *typ) bool {
	switch t.shape {
	case shapeList:
		return n.Kind == yamldoc.List
	case shapeDict, shapeObject:
		return n.Kind == yamldoc.Map
	case shapeText:
		return n.Scalar()
	case shapeBool, shapeInt, shapeNumber, shapeEnum:
		return n.Scalar() && wrong(n, t) == ""
	case shapeUnion:
		return pick(n, t.alts) != nil
	case shapePartial:
		return like(n, t.elem.real())
	case shapeAny, shapeNamed, shapeBy:
	}
	return true
}

// hasType reports whether a map of this type may say so in its `type`.
func (o *object) hasType(n *yamldoc.Node) bool {
	f := o.field("type")
	if f == nil || n == nil {
		return false
	}
	return slices.Contains(f.t.real().values, n.Text)
}
