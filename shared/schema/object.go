package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// everywhere are fields that any map may have and nobody reads: editors and
// other tools leave them.
var everywhere = []string{"description", "metadata", "__uuid", "desc"}

func (c *checker) object(n *yamldoc.Node, o *object) {
	if n.Kind != yamldoc.Map {
		c.wrongType(n, &typ{shape: shapeObject, object: o})
		return
	}
	if o.scoped && c.partial == 0 && c.unnamed != n {
		c.register(n)
	}
	var strange []string
	for i := range n.Entries {
		e := &n.Entries[i]
		f := o.byName[e.Key.Text]
		switch {
		case f == nil:
			if !slices.Contains(everywhere, e.Key.Text) && !strings.HasPrefix(e.Key.Text, "x-") {
				strange = append(strange, e.Key.Text)
				c.unknown(n, e, o)
			}
			c.free(e.Value)
		case f.t.shape == shapeBy:
			c.choice(n, o, f, e.Value)
		default:
			c.value(e.Value, f.t)
		}
		if f != nil && f.deprecated {
			c.add(core.SeverityWarning, e.Value, e.Key.Pos, CodeDeprecated, fmt.Sprintf("%s of %s is an old form", e.Key.Text, describe(n)), f.doc)
		}
	}
	if c.partial == 0 {
		c.required(n, o, strange)
	}
	for _, r := range o.rules {
		c.rule(n, r)
	}
}

// there reports whether a map sets a field.
func there(n *yamldoc.Node, key string) bool {
	v := n.Get(key)
	return v != nil && v.Kind != yamldoc.Null
}

// required says which required fields are missing. A field of a similar name that
// nobody knows is taken for a slip.
func (c *checker) required(n *yamldoc.Node, o *object, strange []string) {
	templated := o.templated && there(n, "template")
	for _, f := range o.fields {
		if there(n, f.name) {
			continue
		}
		must := f.required
		if f.t.shape == shapeBy {
			if v := variantOf(n, f.t.choice); v != nil && v.required != needAsField {
				must = v.required == needAlways
			}
		}
		naming := f.name == "identifier" || f.name == "name"
		if !must || templated && !naming || naming && c.unnamed == n {
			continue
		}
		help := "add " + f.name + ":"
		if near := nearest(f.name, strange); near != "" {
			help = fmt.Sprintf("did you mean %s by %q?", f.name, near)
		}
		at := n
		if v := n.Get(f.name); v != nil {
			at = v
		}
		c.errorf(at, CodeMissingField, help, "%s has no %s", describe(n), f.name)
	}
}

// variantOf returns the case of a choice that a map selects, nil when it selects
// none that is known.
func variantOf(n *yamldoc.Node, ch *choice) *variant {
	d := n.Get(ch.disc)
	if d == nil || d.Kind == yamldoc.Null {
		return nil
	}
	return ch.cases().by[d.Text]
}

// choice checks a value whose type the field beside it decides.
func (c *checker) choice(n *yamldoc.Node, o *object, f *field, v *yamldoc.Node) {
	ch := f.t.choice
	if got := variantOf(n, ch); got != nil {
		c.runs(n.Get(ch.disc), ch.union)
		c.value(v, got.t)
		return
	}
	d := n.Get(ch.disc)
	if d != nil && d.Scalar() && !open(d) && d.Text != "" {
		c.unknownCase(d, o, ch)
	}
	c.free(v)
}

// unknownCase says that a type is none we know: an error where the types are a
// closed list.
func (c *checker) unknownCase(d *yamldoc.Node, o *object, ch *choice) {
	sev, names := core.SeverityWarning, ch.cases().names
	if f := o.field(ch.disc); f != nil {
		switch t := f.t.real(); {
		case t.shape == shapeEnum:
			return // said there
		case t.format == "case":
			sev = core.SeverityError
		}
	}
	c.add(sev, d, d.Pos, CodeUnknownType, fmt.Sprintf("unknown %s %q of %s", ch.disc, d.Text, describe(d.Parent())), oneOf(d.Text, names))
}

func (c *checker) unknown(n *yamldoc.Node, e *yamldoc.Entry, o *object) {
	known := make([]string, 0, len(o.fields))
	for _, f := range o.fields {
		if !there(n, f.name) {
			known = append(known, f.name)
		}
	}
	help := "check its place and indentation, or remove it"
	if near := nearest(e.Key.Text, known); near != "" {
		help = fmt.Sprintf("did you mean %q?", near)
	}
	sev := core.SeverityWarning
	if o.closed {
		sev = core.SeverityError
	}
	c.add(sev, e.Value, e.Key.Pos, CodeUnknownField, fmt.Sprintf("unknown field %q of %s", e.Key.Text, describe(n)), help)
}

func (c *checker) rule(n *yamldoc.Node, r rule) {
	var set []string
	for _, f := range r.fields {
		if there(n, f) {
			set = append(set, f)
		}
	}
	all := strings.Join(r.fields, ", ")
	switch r.kind {
	case "need":
		d := n.Get(r.disc)
		if c.partial > 0 || d == nil || !slices.Contains(r.values, d.Text) || len(set) == len(r.fields) {
			return
		}
		for _, f := range r.fields {
			if !there(n, f) {
				c.errorf(n, CodeMissingField, "add "+f+":", "%s has no %s, which %s %s needs", describe(n), f, r.disc, d.Text)
			}
		}
	case "one", "most", "any":
		switch {
		case len(set) == 0 && r.kind != "most" && c.partial == 0:
			c.errorf(n, CodeMissingField, "add one of them", "%s has none of %s", describe(n), all)
		case len(set) > 1 && r.kind != "any":
			c.errorf(n.Get(set[1]), CodeExclusive, "keep one of them", "%s has both %s", describe(n), strings.Join(set, " and "))
		}
	}
}
