package expr

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// path evaluates a name, property or index to what the scope holds there. Templates
// on the way are rendered, templates inside a map or list not yet.
func (f *frame) path(n *node) (any, error) {
	if n.kind == kName {
		return f.root(n)
	}
	x, err := f.receiver(n.x)
	if err != nil {
		return nil, err
	}
	if n.kind == kIndex {
		y, err := f.eval(n.y)
		if err != nil {
			return nil, err
		}
		key, err := f.key(n.y, y)
		if err != nil {
			return nil, err
		}
		return f.get(n, x, key)
	}
	if n.list == nil {
		return f.get(n, x, n.name)
	}
	name, err := f.interpolate(n)
	if err != nil {
		return nil, err
	}
	return f.descend(n, x, strings.Split(name, "."))
}

// receiver evaluates the left side of a dot or a bracket without copying a map
// that is only passed through.
func (f *frame) receiver(n *node) (any, error) {
	switch n.kind {
	case kName, kProp, kIndex:
		if err := f.charge(0); err != nil {
			return nil, f.place(n, err)
		}
		return f.path(n)
	case kNested:
		f.inner++
		v, err := f.receiver(n.x)
		f.inner--
		return v, err
	case kParen:
		return f.receiver(n.x)
	}
	return f.eval(n)
}

func (f *frame) root(n *node) (any, error) {
	if n.list == nil {
		return f.lookup(n, n.name)
	}
	name, err := f.interpolate(n)
	if err != nil {
		return nil, err
	}
	keys := strings.Split(name, ".")
	v, err := f.lookup(n, keys[0])
	if err != nil {
		return nil, err
	}
	return f.descend(n, v, keys[1:])
}

// descend follows the keys a computed name was interpolated to: as text, so a dot
// in it separates names (BEHAVIOUR §13.2).
func (f *frame) descend(n *node, v any, keys []string) (any, error) {
	for _, key := range keys {
		if err := f.charge(0); err != nil {
			return nil, f.place(n, err)
		}
		var err error
		if v, err = f.get(n, v, key); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// lookup finds a first name. The variables of an expression come first, but inside
// a `<+…>` of it, which upstream evaluates before, the scope does.
func (f *frame) lookup(n *node, name string) (any, error) {
	if f.env != nil && f.inner == 0 {
		if v, ok := f.env.read(name); ok {
			return v, nil
		}
	}
	if f.scope != nil {
		if v, ok := f.scope.Lookup(name); ok {
			return f.settle(n, v)
		}
	}
	if f.env != nil {
		if v, ok := f.env.read(name); ok {
			return v, nil
		}
	}
	if what := unsupportedContexts[name]; what != "" {
		return nil, f.failAt(fault.Unsupported, n.pos, n.end, "not supported yet: the context %s (%s)", name, what)
	}
	return nil, unresolved(f.written(n, name), f.src, n.pos, f.advice(n, name))
}

// advice says how to mend an unknown first name where its form tells; "" leaves the
// general words.
func (f *frame) advice(n *node, name string) string {
	switch at := n.pos; {
	case name == "input":
		return "expected a value for this runtime input, found none: give one with the run or in an input set, or write <+input>.default(…)"
	case at >= 2 && f.src[at-1] == '-' && isNamePart(f.src[at-2]):
		return `expected a known name, found none of that name; a key with - is written in quotes: variables["a-b"]`
	}
	return ""
}

// written is the path as far as it is written out after an unknown first name.
func (f *frame) written(n *node, name string) string {
	if n.list != nil {
		return name
	}
	end := n.end
	for end < len(f.src) && (isNamePart(f.src[end]) || f.src[end] == '.') {
		end++
	}
	return strings.TrimSuffix(f.src[n.pos:end], ".")
}

// key is the text of a map key or an index.
func (f *frame) key(n *node, v any) (string, error) {
	switch v.(type) {
	case string, int64, float64, bool:
		s, err := f.text(v)
		return s, f.place(n, err)
	case nil:
		return "", f.null(n, "expected a key or an index, found null")
	case Secret:
		return "", f.secret(n)
	}
	return "", f.fail(n, "expected a key or an index, found %s", kindName(v))
}

// get reads a property. What a map, an Object or null does not have is null.
func (f *frame) get(n *node, x any, key string) (any, error) {
	var v any
	switch x := x.(type) {
	case nil:
		return nil, nil
	case Object:
		got, ok, err := x.Get(key)
		if err != nil || !ok {
			return nil, f.placed(n, err)
		}
		v = got
	case *Map:
		v, _ = x.Get(key)
	case map[string]any:
		v = x[key]
	case []any:
		i, ok := integer(key)
		if !ok || i < 0 || i >= int64(len(x)) {
			return nil, nil
		}
		v = x[i]
	case Secret:
		return nil, f.secret(n)
	default:
		if methodTable(x)[key] != nil {
			return nil, f.null(n, "expected a map or a list before .%s, found %s; did you mean %s()?", key, kindName(x), key)
		}
		return nil, f.null(n, "expected a map or a list before .%s, found %s", excerpt(key), kindName(x))
	}
	return f.settle(n, v)
}

// settle brings a value of the scope to a kind the evaluator knows, rendering it
// when it is a Template.
func (f *frame) settle(n *node, v any) (any, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case Template:
		return f.template(n, v)
	}
	out, ok := normal(v)
	if !ok {
		return nil, f.failAt(fault.Internal, n.pos, n.end, "the scope supplied a value of type %T", v)
	}
	return out, nil
}

// template renders a value that is text of the author's, in the same scope.
func (f *frame) template(n *node, t Template) (any, error) {
	if !Has(string(t)) {
		return string(t), nil
	}
	name := excerpt(f.src[n.pos:n.end])
	if len(f.trail) >= MaxTemplates {
		return nil, f.fail(n, "expected values that end after %d references, found %s",
			MaxTemplates, strings.Join(cycle(append(slices.Clone(f.trail), name)), " → "))
	}
	f.trail = append(f.trail, name)
	defer func() { f.trail = f.trail[:len(f.trail)-1] }()
	if err := f.charge(len(t)); err != nil {
		return nil, f.place(n, err)
	}
	v, err := f.render(string(t))
	if left, ok := v.(Template); ok && err == nil {
		return nil, &errDeferred{string(left)}
	}
	return v, err
}

// cycle cuts a trail to the loop it ends in, when there is one.
func cycle(trail []string) []string {
	last := len(trail) - 1
	for i := last - 1; i >= 0; i-- {
		if trail[i] == trail[last] {
			return trail[i:]
		}
	}
	return trail
}

// whole renders the templates inside a map or list, leaving the scope's own
// untouched. It expands no Object but those that stand beside templates.
func (f *frame) whole(n *node, v any) (any, error) {
	switch v.(type) {
	case *Map, map[string]any, []any:
	default:
		return v, nil
	}
	seen := 0
	has := hasTemplate(v, &seen, 0)
	if err := f.charge(32 * seen); err != nil || !has {
		return v, f.place(n, err)
	}
	return f.rendered(n, v, 0)
}

func (f *frame) rendered(n *node, v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, f.place(n, errTooDeep)
	}
	switch v := v.(type) {
	case Template:
		return f.template(n, v)
	case []any:
		if err := f.grow(32 * len(v)); err != nil {
			return nil, f.place(n, err)
		}
		out := make([]any, len(v))
		for i, item := range v {
			got, err := f.rendered(n, item, depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = got
		}
		return out, nil
	case *Map, map[string]any:
		if err := f.grow(128 * countOf(v)); err != nil {
			return nil, f.place(n, err)
		}
		out := &Map{}
		for k, item := range entriesOf(v) {
			got, err := f.rendered(n, item, depth+1)
			if err != nil {
				return nil, err
			}
			out.Set(k, got)
		}
		return out, nil
	case Expander:
		if err := f.charge(0); err != nil {
			return nil, f.place(n, err)
		}
		whole, err := expand(v)
		if err != nil {
			return nil, f.placed(n, err)
		}
		if _, still := whole.(Expander); still {
			return nil, f.failAt(fault.Internal, n.pos, n.end, "the scope expanded a value to one that is not whole")
		}
		return f.rendered(n, whole, depth+1)
	}
	return v, nil
}

// entriesOf yields the entries of a *Map or a map[string]any.
func entriesOf(v any) func(func(string, any) bool) {
	switch v := v.(type) {
	case *Map:
		return v.All()
	case map[string]any:
		return sorted(v)
	}
	return func(func(string, any) bool) {}
}

// hasTemplate reports whether a Template is inside v, counting what it looked at.
// Data too deep counts as having one: rendering it reports the depth.
func hasTemplate(v any, seen *int, depth int) bool {
	if *seen++; depth > maxDepth {
		return true
	}
	switch v := v.(type) {
	case Template:
		return true
	case []any:
		for _, item := range v {
			if hasTemplate(item, seen, depth+1) {
				return true
			}
		}
	case *Map:
		for _, item := range v.All() {
			if hasTemplate(item, seen, depth+1) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if hasTemplate(item, seen, depth+1) {
				return true
			}
		}
	}
	return false
}
