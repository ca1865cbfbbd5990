package asl

import "strings"

// template is a payload template, compiled: a literal, a path, or an object or
// list of templates.
type template struct {
	literal any
	path    *path
	name    string // of the field, "x.$", for messages
	fields  []field
	items   []*template
	kind    templateKind
}

type templateKind int

const (
	literal templateKind = iota
	lookup
	fieldList
	itemList
)

type field struct {
	name  string
	value *template
}

// template compiles a node. Literal parts become one shared value, never changed.
func (l *loader) template(n *node) *template {
	switch n.kind {
	case object:
		return l.objectTemplate(n)
	case array:
		t := &template{kind: itemList}
		for _, item := range n.items {
			t.items = append(t.items, l.template(item))
		}
		return t.fold()
	default:
		return &template{literal: n.plain()}
	}
}

func (l *loader) objectTemplate(n *node) *template {
	t := &template{kind: fieldList}
	seen := map[string]bool{}
	for _, m := range n.members {
		name, dynamic := strings.CutSuffix(m.name, ".$")
		if seen[name] {
			l.fail(m.at, "%q is given twice, once with .$: keep one", name)
		}
		seen[name] = true
		if !dynamic {
			t.fields = append(t.fields, field{name, l.template(m.value)})
			continue
		}
		if p := l.path(m.value, true); p != nil {
			t.fields = append(t.fields, field{name, &template{kind: lookup, path: p, name: m.name}})
		}
	}
	return t.fold()
}

// fold makes a template without paths a literal.
func (t *template) fold() *template {
	for _, f := range t.fields {
		if f.value.kind != literal {
			return t
		}
	}
	for _, item := range t.items {
		if item.kind != literal {
			return t
		}
	}
	value, _ := t.evaluate(nil, nil)
	return &template{literal: value}
}

// evaluate fills in the template. A path that leads nowhere is
// States.ParameterPathFailure (specification, Payload Template).
func (t *template) evaluate(input any, c *Context) (any, *Failure) {
	switch t.kind {
	case lookup:
		v, ok := t.path.resolve(input, c)
		if !ok {
			return nil, failure(ErrParameterPath, "the path %q of the field %q leads nowhere in its input", t.path.text, t.name)
		}
		return v, nil
	case fieldList:
		out := make(map[string]any, len(t.fields))
		for _, f := range t.fields {
			v, bad := f.value.evaluate(input, c)
			if bad != nil {
				return nil, bad
			}
			out[f.name] = v
		}
		return out, nil
	case itemList:
		out := make([]any, len(t.items))
		for i, item := range t.items {
			v, bad := item.evaluate(input, c)
			if bad != nil {
				return nil, bad
			}
			out[i] = v
		}
		return out, nil
	default:
		return t.literal, nil
	}
}

// field returns the template of one field, nil when absent or t is no object
// with paths in it.
func (t *template) field(name string) (*template, bool) {
	if t.kind == literal {
		members, _ := t.literal.(map[string]any)
		v, ok := members[name]
		return &template{literal: v}, ok
	}
	for _, f := range t.fields {
		if f.name == name {
			return f.value, true
		}
	}
	return nil, false
}

// uses reports whether a context path with this head stands in the template.
func (t *template) uses(head string) bool {
	if t.kind == lookup {
		return t.path.context && t.path.head() == head
	}
	for _, f := range t.fields {
		if f.value.uses(head) {
			return true
		}
	}
	for _, item := range t.items {
		if item.uses(head) {
			return true
		}
	}
	return false
}
