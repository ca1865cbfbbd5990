package expr

import "math"

// number coerces an operand or says what was expected.
func (f *frame) number(n *node, v any) (any, error) {
	if num, ok := number(v); ok {
		return num, nil
	}
	switch v := v.(type) {
	case nil:
		return nil, f.null(n, "expected a number, found null")
	case Secret:
		return nil, f.secret(n)
	case string:
		return nil, f.fail(n, "expected a number, found the string %q (strings are compared by == and != only)", excerpt(v))
	}
	return nil, f.fail(n, "expected a number, found %s", kindName(v))
}

func (f *frame) overflow(n *node) error {
	return f.fail(n, "expected a result within the range of 64-bit integers")
}

// add is numeric when both sides are numbers or numeric strings, otherwise it
// concatenates (BEHAVIOUR §13.3). A null is the text "null" in a concatenation.
func (f *frame) add(n *node, x, y any) (any, error) {
	a, okA := number(x)
	b, okB := number(y)
	if okA && okB {
		return f.arithmetic(n, a, b)
	}
	_, textX := x.(string)
	_, textY := y.(string)
	if !textX && !textY {
		if x == nil {
			return nil, f.null(n.x, "expected a number or a string, found null")
		}
		if y == nil {
			return nil, f.null(n.y, "expected a number or a string, found null")
		}
	}
	if err := f.readable(n.x, x); err != nil {
		return nil, err
	}
	if err := f.readable(n.y, y); err != nil {
		return nil, err
	}
	x, err := f.flat(n.x, x)
	if err != nil {
		return nil, err
	}
	if y, err = f.flat(n.y, y); err != nil {
		return nil, err
	}
	left, err := f.text(x)
	if err != nil {
		return nil, f.place(n.x, err)
	}
	right, err := f.text(y)
	if err != nil {
		return nil, f.place(n.y, err)
	}
	if len(left)+len(right) > MaxResult {
		return nil, f.place(n, errTooLong)
	}
	return left + right, f.place(n, f.grow(len(left)+len(right)))
}

// arithmetic keeps integers integers: 7 / 2 is 3, as in JEXL.
func (f *frame) arithmetic(n *node, x, y any) (any, error) {
	x, err := f.number(n.x, x)
	if err != nil {
		return nil, err
	}
	if y, err = f.number(n.y, y); err != nil {
		return nil, err
	}
	if n.op == opDiv || n.op == opMod {
		if float(y) == 0 {
			return nil, f.fail(n.y, "expected a divisor that is not 0")
		}
	}
	a, intA := x.(int64)
	b, intB := y.(int64)
	if intA && intB {
		v, ok := integers(n.op, a, b)
		if !ok {
			return nil, f.overflow(n)
		}
		return v, nil
	}
	l, r := float(x), float(y)
	switch n.op {
	case opAdd:
		return l + r, nil
	case opSub:
		return l - r, nil
	case opMul:
		return l * r, nil
	case opDiv:
		return l / r, nil
	}
	return math.Mod(l, r), nil
}

// integers computes with overflow checked; the divisor is not 0.
func integers(o op, a, b int64) (int64, bool) {
	switch o {
	case opAdd:
		c := a + b
		return c, (c > a) == (b > 0)
	case opSub:
		c := a - b
		return c, (c < a) == (b > 0)
	case opMul:
		if a == 0 || b == 0 {
			return 0, true
		}
		c := a * b
		return c, c/b == a && (a != -1 || b != math.MinInt64) && (b != -1 || a != math.MinInt64)
	case opDiv:
		return a / b, a != math.MinInt64 || b != -1
	}
	if b == -1 {
		return 0, true
	}
	return a % b, true
}
