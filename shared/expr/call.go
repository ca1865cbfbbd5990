package expr

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/slipway-cd/slipway/shared/fault"
)

// method is a method of a kind of value; it knows no positions and returns an
// argError for misuse.
type method func(f *frame, x any, args arguments) (any, error)

// call evaluates a function, a functor or a method (BEHAVIOUR §13.4, §13.6).
func (f *frame) call(n *node) (any, error) {
	v, err := f.called(n)
	if err != nil {
		return nil, f.placed(n, f.place(n, err))
	}
	switch v := v.(type) {
	case string:
		if len(v) > MaxResult {
			return nil, f.place(n, errTooLong)
		}
		if err := f.grow(len(v)); err != nil {
			return nil, f.place(n, err)
		}
		return v, f.place(n, f.charge(len(v)))
	case []any:
		if err := f.grow(32 * len(v)); err != nil { // an interface and what it points to
			return nil, f.place(n, err)
		}
	}
	if v, err = f.settle(n, v); err != nil {
		return nil, err
	}
	return f.whole(n, v)
}

func (f *frame) called(n *node) (any, error) {
	if n.x == nil {
		return f.function(n)
	}
	if isFunctor(n.x) {
		return f.functor(n)
	}
	if change := changes[n.name]; change != nil && f.local(n.x) {
		return f.changed(n, change)
	}
	x, err := f.receiver(n.x)
	if err != nil {
		return nil, err
	}
	args, err := f.arguments(n)
	if err != nil {
		return nil, err
	}
	if o, ok := x.(Object); ok {
		return f.objectMethod(n, o, args)
	}
	if fn, ok := entry(x, n.name); ok {
		if fn, ok := element(fn).(Func); ok {
			return fn(args)
		}
	}
	return f.method(n, x, args)
}

func (f *frame) arguments(n *node) (arguments, error) {
	args := make(arguments, 0, len(n.list))
	for _, a := range n.list {
		v, err := f.eval(a)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	return args, nil
}

func (f *frame) function(n *node) (any, error) {
	v, err := f.lookup(n, n.name)
	if err != nil {
		return nil, err
	}
	fn, ok := v.(Func)
	if !ok {
		return nil, f.fail(n, "expected %s to be a function, found %s", n.name, kindName(v))
	}
	args, err := f.arguments(n)
	if err != nil {
		return nil, err
	}
	return fn(args)
}

// objectMethod asks the object itself first, then its function properties, then
// treats it as a map.
func (f *frame) objectMethod(n *node, o Object, args arguments) (any, error) {
	if c, ok := o.(Caller); ok {
		v, err := c.Call(n.name, args)
		if !errors.Is(err, ErrNoMethod) {
			return v, err
		}
	}
	switch {
	case n.name == "get" && len(args) == 1:
		key, err := f.key(n.list[0], args[0])
		if err != nil {
			return nil, err
		}
		return f.get(n, o, key)
	case n.name == "containsKey" && len(args) == 1:
		key, err := f.key(n.list[0], args[0])
		if err != nil {
			return nil, err
		}
		return f.has(o, key)
	}
	v, ok, err := o.Get(n.name)
	if err != nil {
		return nil, err
	}
	if fn, isFunc := element(v).(Func); ok && isFunc {
		return fn(args)
	}
	whole, err := expand(o)
	if err != nil {
		return nil, err
	}
	if _, still := whole.(Object); still {
		return nil, f.noMethod(n, o)
	}
	return f.method(n, whole, args)
}

// method calls a method of a plain value.
func (f *frame) method(n *node, x any, args arguments) (any, error) {
	switch x := x.(type) {
	case nil:
		return nil, f.null(n, "expected a value before .%s(…), found null", n.name)
	case Secret:
		return nil, f.secret(n.x)
	case string:
		if err := f.charge(len(x)); err != nil {
			return nil, err
		}
	}
	m := methodTable(x)[n.name]
	if m == nil {
		m = anyMethods[n.name]
	}
	if m == nil {
		return nil, f.noMethod(n, x)
	}
	if err := f.opaque(n, x, args); err != nil {
		return nil, err
	}
	if comparesElements[n.name] {
		var err error
		if x, err = f.whole(n.x, x); err != nil {
			return nil, err
		}
	}
	return m(f, x, args)
}

// opaque keeps methods from making text of secrets (BEHAVIOUR §13.9): one may not be
// an argument, nor stand in what a method writes out.
func (f *frame) opaque(n *node, x any, args arguments) error {
	_, onText := x.(string)
	for i, a := range args {
		if _, ok := a.(Secret); !ok && !onText {
			continue
		}
		if err := f.readable(n.list[i], a); err != nil {
			return err
		}
	}
	if n.name == "toString" || n.name == "hashCode" {
		return f.readable(n.x, x)
	}
	return nil
}

// readable refuses a secret, and a list or a map that holds one.
func (f *frame) readable(n *node, v any) error {
	has, err := f.hasSecret(v, 0)
	if has {
		return f.secret(n)
	}
	return f.place(n, err)
}

// hasSecret reports whether a secret stands in a value.
func (f *frame) hasSecret(v any, depth int) (bool, error) {
	if depth > maxDepth {
		return false, errTooDeep
	}
	switch v := v.(type) {
	case Secret:
		return true, nil
	case []any:
		if err := f.charge(16 * len(v)); err != nil {
			return false, err
		}
		for _, item := range v {
			if has, err := f.hasSecret(item, depth+1); has || err != nil {
				return has, err
			}
		}
	case *Map, map[string]any:
		if err := f.charge(16 * countOf(v)); err != nil {
			return false, err
		}
		for _, item := range entriesOf(v) {
			if has, err := f.hasSecret(item, depth+1); has || err != nil {
				return has, err
			}
		}
	}
	return false, nil
}

func (f *frame) noMethod(n *node, x any) error {
	if n.name == "getClass" {
		return f.fail(n, "expected a method on data: getClass is not available")
	}
	if near := nearest(n.name, methodsOf(x)); near != "" {
		return f.fail(n, "expected a method of %s, found %s; did you mean %s?", kindName(x), n.name, near)
	}
	return f.fail(n, "expected a method of %s, found %s", kindName(x), n.name)
}

// methodsOf lists the methods a value has.
func methodsOf(x any) []string {
	names := slices.Collect(maps.Keys(anyMethods))
	return slices.AppendSeq(names, maps.Keys(methodTable(x)))
}

func methodTable(x any) map[string]method {
	switch x.(type) {
	case string:
		return stringMethods
	case []any:
		return listMethods
	case *Map, map[string]any:
		return mapMethods
	case int64, float64:
		return numberMethods
	}
	return nil
}

// arguments gives typed access to a call's arguments.
type arguments []any

func wrong(format string, args ...any) error {
	return argError{fault.Invalid, fmt.Sprintf(format, args...)}
}

// count checks how many arguments there are.
func (a arguments) count(name string, least, most int) error {
	if len(a) < least || len(a) > most {
		if least == most {
			return wrong("expected %d argument(s) for %s, found %d", least, name, len(a))
		}
		return wrong("expected %d to %d arguments for %s, found %d", least, most, name, len(a))
	}
	return nil
}

// text is argument i as a string; scalars are formatted, since an inner expression
// may give a number where a string is meant.
func (a arguments) text(i int) (string, error) {
	if i >= len(a) {
		return "", wrong("expected at least %d argument(s), found %d", i+1, len(a))
	}
	switch v := a[i].(type) {
	case string:
		return v, nil
	case int64, float64, bool:
		return Format(v), nil
	default:
		return "", wrong("expected a string as argument %d, found %s", i+1, kindName(v))
	}
}

// integer is argument i as an integer that is at least 0.
func (a arguments) integer(i int) (int, error) {
	if i >= len(a) {
		return 0, wrong("expected at least %d argument(s), found %d", i+1, len(a))
	}
	n, ok := integer(a[i])
	if !ok {
		return 0, wrong("expected an integer as argument %d, found %s", i+1, kindName(a[i]))
	}
	if n < 0 || n > MaxResult {
		return 0, wrong("expected 0 to %d as argument %d, found %d", MaxResult, i+1, n)
	}
	return int(n), nil
}
