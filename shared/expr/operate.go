package expr

import (
	"math"
	"strings"
)

func (f *frame) unary(n *node) (any, error) {
	v, err := f.eval(n.x)
	if n.op == opEmpty {
		if isUnresolved(err) {
			return true, nil
		}
		if err != nil {
			return nil, err
		}
		return f.empty(n.x, v)
	}
	if err != nil {
		return nil, err
	}
	switch n.op {
	case opNot:
		yes, err := f.truth(n.x, v)
		return !yes, err
	case opSize:
		size, err := f.size(n.x, v)
		return size, err
	}
	return f.signed(n, v)
}

func (f *frame) signed(n *node, v any) (any, error) {
	num, err := f.number(n.x, v)
	if err != nil || n.op == opPlus {
		return num, err
	}
	switch num := num.(type) {
	case int64:
		if num == math.MinInt64 {
			return nil, f.overflow(n)
		}
		return -num, nil
	default:
		return -float(num), nil
	}
}

// empty is true of null, "", 0, and lists and maps without elements.
func (f *frame) empty(n *node, v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return true, nil
	case bool:
		return false, nil
	case int64, float64:
		return float(v) == 0, nil
	}
	size, err := f.size(n, v)
	return size == 0, err
}

func (f *frame) size(n *node, v any) (int64, error) {
	if x, ok := v.(Expander); ok {
		whole, err := x.Expand()
		if err != nil {
			return 0, err
		}
		v = whole
	}
	switch v := v.(type) {
	case nil:
		return 0, nil
	case string:
		return int64(runes(v)), f.place(n, f.charge(len(v)))
	case []any:
		return int64(len(v)), nil
	case *Map:
		return int64(v.Len()), nil
	case map[string]any:
		return int64(len(v)), nil
	case Secret:
		return 0, f.secret(n)
	}
	return 0, f.fail(n, "expected a string, list or map to take the size of, found %s", kindName(v))
}

func (f *frame) binary(n *node) (any, error) {
	x, err := f.eval(n.x)
	if err != nil {
		return nil, err
	}
	if n.op == opAnd || n.op == opOr {
		yes, err := f.truth(n.x, x)
		if err != nil || yes == (n.op == opOr) {
			return yes, err
		}
		y, err := f.eval(n.y)
		if err != nil {
			return nil, err
		}
		return f.truth(n.y, y)
	}
	y, err := f.eval(n.y)
	if err != nil {
		return nil, err
	}
	return f.operate(n, x, y)
}

// operate applies an operator to two values; n is the binary or the assignment.
func (f *frame) operate(n *node, x, y any) (any, error) {
	if _, ok := x.(Secret); ok {
		return nil, f.secret(n.x)
	}
	if _, ok := y.(Secret); ok {
		return nil, f.secret(n.y)
	}
	switch precedence[n.op] {
	case precRange:
		return f.span(n, x, y)
	case precEqual:
		same, err := f.equal(x, y, 0)
		return same == (n.op == opEq), f.place(n, err)
	case precRelate:
		return f.relate(n, x, y)
	}
	if n.op == opAdd {
		return f.add(n, x, y)
	}
	return f.arithmetic(n, x, y)
}

// span is a..b: the list of integers from a to b, downwards when b is less.
func (f *frame) span(n *node, x, y any) (any, error) {
	from, ok := integer(x)
	if !ok {
		return nil, f.fail(n.x, "expected an integer before .., found %s", kindName(x))
	}
	to, ok := integer(y)
	if !ok {
		return nil, f.fail(n.y, "expected an integer after .., found %s", kindName(y))
	}
	step := pick[int64](from <= to, 1, -1)
	size := uint64(to-from)*uint64(step) + 1 // right for any two integers: two's complement
	if size > MaxSteps || size == 0 {
		return nil, f.place(n, errSteps)
	}
	if err := f.charge(int(size) << 10); err != nil { // one step an element
		return nil, f.place(n, err)
	}
	list := make([]any, 0, size)
	for i := from; ; i += step {
		if list = append(list, i); i == to {
			return list, nil
		}
	}
}

func (f *frame) relate(n *node, x, y any) (any, error) {
	switch n.op {
	case opMatch, opNoMatch:
		in, err := f.matches(n, x, y)
		return in == (n.op == opMatch), err
	case opStarts, opNoStart, opEnds, opNoEnd:
		if x == nil || y == nil {
			return n.op == opNoStart || n.op == opNoEnd, nil
		}
		if err := f.readable(n.x, x); err != nil {
			return nil, err
		}
		whole, err := f.text(x)
		if err != nil {
			return nil, f.place(n.x, err)
		}
		part, err := f.text(y)
		if err != nil {
			return nil, f.place(n.y, err)
		}
		if n.op == opStarts || n.op == opNoStart {
			return strings.HasPrefix(whole, part) == (n.op == opStarts), nil
		}
		return strings.HasSuffix(whole, part) == (n.op == opEnds), nil
	}
	a, err := f.number(n.x, x)
	if err != nil {
		return nil, err
	}
	b, err := f.number(n.y, y)
	if err != nil {
		return nil, err
	}
	return ordered(n.op, a, b), nil
}

func ordered(o op, x, y any) bool {
	less, same := float(x) < float(y), float(x) == float(y)
	if a, ok := x.(int64); ok {
		if b, ok := y.(int64); ok {
			less, same = a < b, a == b
		}
	}
	if o != opEq && (math.IsNaN(float(x)) || math.IsNaN(float(y))) {
		return false
	}
	switch o {
	case opLt:
		return less
	case opLe:
		return less || same
	case opGt:
		return !less && !same
	case opGe:
		return !less
	}
	return same
}

// matches is =~: membership in a list, a key of a map, or a regex over the whole
// string.
func (f *frame) matches(n *node, x, y any) (bool, error) {
	switch y := y.(type) {
	case []any:
		i, err := f.indexOf(y, x)
		return i >= 0, f.place(n, err)
	case *Map, map[string]any:
		key, err := f.key(n.x, x)
		if err != nil {
			return false, err
		}
		v, err := f.has(y, key)
		return v, f.place(n, err)
	case string:
		if x == nil {
			return false, nil
		}
		if err := f.readable(n.x, x); err != nil {
			return false, err
		}
		s, err := f.text(x)
		if err != nil {
			return false, f.place(n.x, err)
		}
		ok, err := f.fullMatch(y, s)
		return ok, f.place(n.y, err)
	case nil:
		return false, nil
	}
	return false, f.fail(n.y, "expected a list, a map or a regex after =~, found %s", kindName(y))
}
