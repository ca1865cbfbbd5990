package expr

import (
	"errors"

	"github.com/slipway-cd/slipway/shared/fault"
)

// How a loop or a function is left.
var errBreak, errContinue = errors.New("break outside of a loop"), errors.New("continue outside of a loop")

type errReturn struct{ v any }

func (errReturn) Error() string { return "return outside of an expression" }

// statement evaluates what is no plain expression (BEHAVIOUR §13.3). Its value is
// that of the last statement that ran.
func (f *frame) statement(n *node) (any, error) {
	if f.env == nil {
		f.env = &env{}
	}
	switch n.kind {
	case kSeq:
		return f.sequence(n)
	case kVar:
		var v any
		if n.x != nil {
			var err error
			if v, err = f.eval(n.x); err != nil {
				return nil, err
			}
		}
		f.env.declare(n.name, v)
		return v, nil
	case kAssign:
		return f.assign(n)
	case kIf:
		return f.ifElse(n)
	case kFor:
		return f.forEach(n)
	case kWhile:
		return f.while(n)
	case kFunc:
		return f.closure(n), nil
	case kReturn:
		if n.x == nil {
			return nil, errReturn{}
		}
		v, err := f.eval(n.x)
		if err != nil {
			return nil, err
		}
		return nil, errReturn{v}
	case kBreak:
		return nil, errBreak
	case kContinue:
		return nil, errContinue
	}
	return nil, f.failAt(fault.Internal, n.pos, n.end, "no evaluation for this node")
}

func (f *frame) sequence(n *node) (any, error) {
	var last any
	for _, s := range n.list {
		v, err := f.eval(s)
		if err != nil {
			return nil, err
		}
		last = v
	}
	return last, nil
}

func (f *frame) ifElse(n *node) (any, error) {
	v, err := f.eval(n.x)
	if err != nil {
		return nil, err
	}
	yes, err := f.truth(n.x, v)
	switch {
	case err != nil:
		return nil, err
	case yes:
		return f.eval(n.y)
	case n.z != nil:
		return f.eval(n.z)
	}
	return nil, nil
}

// round runs a loop's body once; more is false after a break.
func (f *frame) round(n *node, last *any) (more bool, err error) {
	v, err := f.eval(n.y)
	switch {
	case err == nil:
		*last = v
	case errors.Is(err, errBreak):
		return false, nil
	case !errors.Is(err, errContinue):
		return false, err
	}
	return true, nil
}

func (f *frame) forEach(n *node) (any, error) {
	v, err := f.eval(n.x)
	if err != nil {
		return nil, err
	}
	items, err := f.items(n.x, v)
	if err != nil {
		return nil, err
	}
	var last any
	for _, item := range items {
		if item, err = f.settle(n.x, item); err != nil {
			return nil, err
		}
		f.env.assign(n.name, item)
		if more, err := f.round(n, &last); !more || err != nil {
			return last, err
		}
	}
	return last, nil
}

// items is what a loop goes over: a list's elements, a map's values, of null none.
func (f *frame) items(n *node, v any) ([]any, error) {
	v, err := expand(v)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	case *Map, map[string]any:
		return mapValues(v), f.place(n, f.grow(32*countOf(v)))
	case Secret:
		return nil, f.secret(n)
	}
	return nil, f.fail(n, "expected a list or a map to go over, found %s", kindName(v))
}

func (f *frame) while(n *node) (any, error) {
	var last any
	for {
		v, err := f.eval(n.x)
		if err != nil {
			return nil, err
		}
		yes, err := f.truth(n.x, v)
		if !yes || err != nil {
			return last, err
		}
		if more, err := f.round(n, &last); !more || err != nil {
			return last, err
		}
	}
}

// closure is a function of the expression. It sees the variables of its place.
func (f *frame) closure(n *node) Func {
	params, _ := n.val.([]string)
	place := f.env
	return func(args []any) (any, error) {
		if f.calls++; f.calls > MaxNesting {
			return nil, f.failAt(fault.TooLarge, n.pos, n.end, "functions may call each other %d deep", MaxNesting)
		}
		defer func() { f.calls-- }()
		if len(args) > len(params) {
			return nil, f.fail(n, "expected at most %d argument(s) for this function, found %d", len(params), len(args))
		}
		inside := &frame{evaluator: f.evaluator, src: f.src, env: &env{parent: place}}
		for i, name := range params {
			var v any
			if i < len(args) {
				v = args[i]
			}
			inside.env.declare(name, v)
		}
		v, err := inside.eval(n.y)
		return returned(v, err)
	}
}

// returned ends a return.
func returned(v any, err error) (any, error) {
	if r, ok := err.(errReturn); ok { //nolint:errorlint // never wrapped
		return r.v, nil
	}
	return v, err
}

// supplied refuses to change what the scope has: most often a == is meant.
func (f *frame) supplied(n *node, name string) error {
	return f.fail(n, "expected a variable of the expression before =, found %s: what the platform supplies cannot be changed; compare by ==, or declare it by var %s", name, name)
}

func (f *frame) assign(n *node) (any, error) {
	if n.x.kind == kName && f.env.find(n.x.name) == nil && f.knows(n.x.name) {
		return nil, f.supplied(n.x, n.x.name)
	}
	y, err := f.eval(n.y)
	if err != nil {
		return nil, err
	}
	if n.op != opNone {
		x, err := f.eval(n.x)
		if err != nil {
			return nil, err
		}
		if y, err = f.operate(n, x, y); err != nil {
			return nil, err
		}
	}
	if n.x.kind == kName {
		f.env.assign(n.x.name, y)
		return y, nil
	}
	return y, f.update(n.x, func(any, bool) (any, error) { return y, nil })
}
