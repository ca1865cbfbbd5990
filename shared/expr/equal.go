package expr

import "strings"

// equal is == (BEHAVIOUR §13.3, §13.7): a number equals a string of that number, a
// boolean the string that stands for it, and SUCCEEDED equals SUCCESS in any case.
// Lists and maps are equal by their elements.
func (f *frame) equal(x, y any, depth int) (bool, error) {
	if depth > maxDepth {
		return false, errTooDeep
	}
	if err := f.charge(0); err != nil {
		return false, err
	}
	if x == nil || y == nil {
		return x == nil && y == nil, nil
	}
	switch a := x.(type) {
	case bool:
		return f.equalBool(a, y), nil
	case string:
		switch b := y.(type) {
		case string:
			return a == b || succeeded(a) && succeeded(b), f.charge(min(len(a), len(b)))
		case bool:
			return f.equalBool(b, a), nil
		}
		return equalNumber(y, a), nil
	case int64, float64:
		return equalNumber(a, y), nil
	}
	return f.equalData(x, y, depth)
}

func (f *frame) equalBool(b bool, v any) bool {
	switch v := v.(type) {
	case bool:
		return b == v
	case string:
		return b == truth(v)
	}
	return false
}

// equalNumber compares a number with a number or a string of one.
func equalNumber(n, v any) bool {
	switch n.(type) {
	case int64, float64:
	default:
		return false
	}
	other, ok := number(v)
	return ok && ordered(opEq, n, other)
}

// succeeded recognises the names engine, loops and REST use for the same status.
func succeeded(s string) bool {
	return len(s) <= 9 && (strings.EqualFold(s, "SUCCEEDED") || strings.EqualFold(s, "SUCCESS"))
}

// equalData compares lists, maps and objects.
func (f *frame) equalData(x, y any, depth int) (bool, error) {
	x, y, err := expandBoth(x, y)
	if err != nil {
		return false, err
	}
	if a, ok := x.([]any); ok {
		b, ok := y.([]any)
		if !ok || len(a) != len(b) {
			return false, nil
		}
		for i := range a {
			if same, err := f.equal(element(a[i]), element(b[i]), depth+1); !same || err != nil {
				return false, err
			}
		}
		return true, nil
	}
	if !isMap(x) || !isMap(y) || countOf(x) != countOf(y) {
		return false, nil
	}
	for k, v := range entriesOf(x) {
		other, ok := entry(y, k)
		if !ok {
			return false, nil
		}
		if same, err := f.equal(element(v), element(other), depth+1); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// element brings an element of a scope's container to a kind the evaluator knows;
// what is none stays and equals nothing.
func element(v any) any {
	if n, ok := normal(v); ok {
		return n
	}
	return v
}

func expandBoth(x, y any) (any, any, error) {
	x, err := expand(x)
	if err != nil {
		return nil, nil, err
	}
	y, err = expand(y)
	return x, y, err
}

// expand gives an Expander whole; other values are returned as they are.
func expand(v any) (any, error) {
	x, ok := v.(Expander)
	if !ok {
		return v, nil
	}
	whole, err := x.Expand()
	return element(whole), err
}

func isMap(v any) bool {
	switch v.(type) {
	case *Map, map[string]any:
		return true
	}
	return false
}

func countOf(m any) int {
	switch m := m.(type) {
	case *Map:
		return m.Len()
	case map[string]any:
		return len(m)
	}
	return 0
}

func entry(m any, key string) (any, bool) {
	switch m := m.(type) {
	case *Map:
		return m.Get(key)
	case map[string]any:
		v, ok := m[key]
		return v, ok
	}
	return nil, false
}

// has reports whether a map has a key or an Object a property.
func (f *frame) has(m any, key string) (bool, error) {
	if o, ok := m.(Object); ok {
		_, ok, err := o.Get(key)
		return ok, err
	}
	_, ok := entry(m, key)
	return ok, nil
}

// indexOf is the first element equal to v, -1 when there is none.
func (f *frame) indexOf(list []any, v any) (int, error) {
	for i, item := range list {
		same, err := f.equal(element(item), v, 0)
		if same || err != nil {
			return i, err
		}
	}
	return -1, nil
}
