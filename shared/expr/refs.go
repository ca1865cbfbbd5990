package expr

import (
	"slices"
	"strings"
)

// Path is a path as it is written in a text.
type Path struct {
	Names   []string // the leading names that are written out: pipeline, variables, x
	Method  string   // the method or function called at the end, or ""
	Args    []any    // its arguments; nil where one is not a literal
	Dynamic bool     // goes on with a computed name or index that is not written out
	Offset  int      // in runes, from 0, of the first name
}

// String is the path with dots.
func (p Path) String() string { return strings.Join(p.Names, ".") }

// Refs lists the paths that can be seen in a text without evaluating it, in order,
// those inside other expressions included. The functors' own names and an
// expression's variables are left out.
// The first syntax error is returned beside what the rest of the text refers to.
func Refs(text string) ([]Path, error) {
	r := refs{src: text}
	for at := 0; ; {
		i := strings.Index(text[at:], "<+")
		if i < 0 {
			return r.found, r.err
		}
		n, err := parseAt(text, at+i)
		if err != nil {
			if r.err == nil {
				r.err = err
			}
			if r.wrong++; r.wrong == maxWrong {
				return r.found, r.err // of a text that is mostly something else
			}
			at += i + 2
			continue
		}
		r.own = ownNames(n)
		r.visit(n)
		at = n.end
	}
}

// ConditionRefs is Refs for a text that Condition or Eval takes: names outside
// `<+…>` count as well.
func ConditionRefs(text string) ([]Path, error) {
	r := refs{src: text}
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	n, err := parseBare(text, false)
	if err != nil {
		return nil, err
	}
	r.own = ownNames(n)
	r.visit(n)
	return r.found, nil
}

type refs struct {
	src   string
	found []Path
	err   error
	own   []string // variables of the expression: no references
	wrong int      // expressions that cannot be read
}

// maxWrong is how many expressions that cannot be read are passed over in a text.
const maxWrong = 50

func literalArg(a *node) any {
	if a.kind == kLit {
		return a.val
	}
	return nil
}

func (r *refs) visit(n *node) {
	switch n.kind {
	case kName, kProp, kIndex:
		if p, ok := r.path(n); ok {
			r.found = append(r.found, p)
		}
		r.computed(n)
	case kCall:
		r.call(n)
	default:
		n.each(r.visit)
	}
}

func (r *refs) call(n *node) {
	if n.x == nil || !isFunctor(n.x) {
		p, ok := Path{Offset: runeOffset(r.src, n.pos)}, true
		if n.x != nil {
			p, ok = r.path(n.x)
		}
		if ok && !(n.x == nil && slices.Contains(r.own, n.name)) {
			p.Method = n.name
			for _, a := range n.list {
				p.Args = append(p.Args, literalArg(a))
			}
			r.found = append(r.found, p)
		}
		if n.x != nil {
			r.computed(n.x)
		}
	}
	for _, a := range n.list {
		r.visit(a)
	}
}

// computed visits what stands inside a path: indexes, computed names, and a
// beginning that is no name.
func (r *refs) computed(n *node) {
	switch n.kind {
	case kProp, kIndex:
		r.computed(n.x)
		if n.y != nil && n.y.kind != kLit {
			r.visit(n.y)
		}
	case kName:
	default:
		r.visit(n)
		return
	}
	for _, part := range n.list {
		r.visit(part)
	}
}

// path is the path a chain writes out; ok is false when it begins with no name.
func (r *refs) path(n *node) (Path, bool) {
	if n.kind == kName {
		p := Path{Offset: runeOffset(r.src, n.pos), Dynamic: n.list != nil}
		if !p.Dynamic {
			p.Names = []string{n.name}
		}
		return p, !p.Dynamic && !slices.Contains(r.own, n.name)
	}
	if n.kind != kProp && n.kind != kIndex {
		return Path{}, false
	}
	p, ok := r.path(n.x)
	if !ok || p.Dynamic {
		return p, ok
	}
	switch {
	case n.kind == kProp && n.list == nil:
		p.Names = append(p.Names, n.name)
	case n.kind == kIndex && n.y.kind == kLit && n.y.val != nil:
		p.Names = append(p.Names, Format(n.y.val))
	default:
		p.Dynamic = true
	}
	return p, true
}
