package expr

import (
	"strconv"

	"github.com/slipway-cd/slipway/shared/fault"
)

// step is one step of a JSONPath. Our own walker, since `.a.b[0]`, `a.b` and keys
// with any characters but dots and brackets are everyday forms here, and since it
// spends the evaluation's budget.
type step struct {
	deep   bool     // preceded by ..
	all    bool     // *
	keys   []string // 'a','b': names, or indexes for a list
	slice  bool     // [from:to:by]
	bounds [3]*int
	size   bool // .length() or .size()
	filter *node
	source string // of the filter
}

func (s step) definite() bool {
	return !s.deep && !s.all && !s.slice && s.filter == nil && len(s.keys) <= 1
}

// selectPath follows a path in a document. A path that can name only one value
// gives it, or null; any other gives the list of all it names.
func (f *frame) selectPath(path string, doc any) (v any, definite bool, err error) {
	if len(path) > MaxSource {
		return nil, false, argError{fault.TooLarge, "a JSONPath may have 65536 bytes"}
	}
	steps, err := parsePath(path)
	if err != nil {
		return nil, false, err
	}
	definite = true
	found := []any{doc}
	for _, s := range steps {
		definite = definite && s.definite()
		if s.deep {
			if found, err = f.descendants(found); err != nil {
				return nil, false, err
			}
		}
		var next []any
		for _, x := range found {
			if next, err = f.take(next, s, element(x), doc); err != nil {
				return nil, false, err
			}
			if err := f.charge(0); err != nil {
				return nil, false, err
			}
		}
		found = next
	}
	if !definite {
		if found == nil {
			found = []any{}
		}
		return found, false, nil
	}
	if len(found) == 0 {
		return nil, true, nil
	}
	return element(found[0]), true, nil
}

// descendants lists the values and everything inside them, outer before inner.
func (f *frame) descendants(from []any) ([]any, error) {
	var out []any
	var walk func(x any, depth int) error
	walk = func(x any, depth int) error {
		if depth > maxDepth {
			return errTooDeep
		}
		if err := f.charge(0); err != nil {
			return err
		}
		out = append(out, x)
		for _, c := range childrenOf(x) {
			if err := walk(element(c), depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	for _, x := range from {
		if err := walk(x, 0); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func childrenOf(x any) []any {
	if list, ok := x.([]any); ok {
		return list
	}
	return mapValues(x)
}

// take appends what a step names in x.
func (f *frame) take(out []any, s step, x, root any) ([]any, error) {
	switch {
	case s.all:
		children := childrenOf(x)
		return append(out, children...), f.charge(len(children) * 64)
	case s.size:
		if s, ok := x.(string); ok {
			return append(out, int64(runes(s))), f.charge(len(s))
		}
		return append(out, int64(len(childrenOf(x)))), nil
	case s.slice:
		return append(out, s.cut(asList(x))...), nil
	case s.filter != nil:
		for _, c := range childrenOf(x) {
			yes, err := f.holds(s, element(c), root)
			if err != nil {
				return nil, err
			}
			if yes {
				out = append(out, c)
			}
		}
		return out, nil
	}
	for _, k := range s.keys {
		if list, ok := x.([]any); ok {
			if i, err := strconv.Atoi(k); err == nil {
				if i < 0 {
					i += len(list)
				}
				if i >= 0 && i < len(list) {
					out = append(out, list[i])
				}
			}
		} else if v, ok := entry(x, k); ok {
			out = append(out, v)
		}
	}
	return out, nil
}

func (s step) cut(list []any) []any {
	bound := func(p *int, otherwise int) int {
		if p == nil {
			return otherwise
		}
		i := *p
		if i < 0 {
			i += len(list)
		}
		return max(0, min(i, len(list)))
	}
	by := 1
	if s.bounds[2] != nil {
		by = max(1, *s.bounds[2])
	}
	var out []any
	for i, to := bound(s.bounds[0], 0), bound(s.bounds[1], len(list)); i < to; i += min(by, len(list)) {
		out = append(out, list[i])
	}
	return out
}

// holds evaluates a filter with @ as the element and $ as the document. A filter
// that only names a value asks whether it is there; one that does not fit an
// element does not hold for it.
func (f *frame) holds(s step, x, root any) (bool, error) {
	ev := &evaluator{scope: names{"@": x, "$": root}, steps: f.steps, made: f.made}
	v, err := (&frame{evaluator: ev, src: s.source}).eval(s.filter)
	f.steps, f.made = ev.steps, ev.made
	if fault.Is(err, fault.TooLarge) || fault.Is(err, fault.Unsupported) {
		return false, err
	}
	if yes, ok := v.(bool); ok && s.filter.kind != kProp && s.filter.kind != kIndex {
		return yes && err == nil, nil
	}
	return v != nil && err == nil, nil
}

// names is the scope of a filter.
type names map[string]any

// Lookup resolves @ and $.
func (n names) Lookup(name string) (any, bool) {
	v, ok := n[name]
	return v, ok
}
