package expr

import "slices"

// Lists and maps of an expression's own variables can be changed: x.add(1),
// x.a.put("k", 2), x[0] = 3. What the scope supplied never changes.

// change is a method that changes its receiver: it returns the new container and
// the method's value. The container is a copy already.
type change func(f *frame, x any, args arguments) (after, result any, err error)

// changes are the methods of java.util.List and Map that change.
var changes = map[string]change{
	"add":    add,
	"addAll": addAll,
	"set":    setElement,
	"remove": removeElement,
	"clear":  clearAll,
	"put":    put,
	"putAll": putAll,
}

// local reports whether a chain begins with a variable of the expression.
func (f *frame) local(n *node) bool {
	for f.env != nil && f.inner == 0 {
		switch n.kind {
		case kProp, kIndex, kParen:
			n = n.x
		case kName:
			return n.list == nil && f.env.find(n.name) != nil
		default:
			return false
		}
	}
	return false
}

// changed calls a changing method on a variable's container.
func (f *frame) changed(n *node, do change) (any, error) {
	args, err := f.arguments(n)
	if err != nil {
		return nil, err
	}
	var result any
	err = f.update(n.x, func(v any, owned bool) (any, error) {
		switch v.(type) {
		case []any, *Map, map[string]any:
		default:
			m, err := f.method(n, v, args)
			result = m
			return v, err
		}
		own, err := f.own(v, owned)
		if err != nil {
			return nil, f.place(n, err)
		}
		after, r, err := do(f, own, args)
		result = r
		return after, f.place(n, err)
	})
	return result, err
}

// update replaces what n names, a variable or a place inside one. replace is given
// the value there and whether it may be changed in place.
func (f *frame) update(n *node, replace func(v any, owned bool) (any, error)) error {
	switch n.kind {
	case kParen:
		return f.update(n.x, replace)
	case kName:
		c := f.env.find(n.name)
		if c == nil {
			return f.supplied(n, n.name)
		}
		v, err := replace(c.v, c.owned)
		if err == nil {
			c.v, c.owned = v, true
		}
		return err
	}
	key := n.name
	if n.kind == kIndex {
		y, err := f.eval(n.y)
		if err != nil {
			return err
		}
		if key, err = f.key(n.y, y); err != nil {
			return err
		}
	}
	return f.update(n.x, func(v any, owned bool) (any, error) {
		own, err := f.own(v, owned)
		if err != nil {
			return nil, f.place(n, err)
		}
		switch own := own.(type) {
		case *Map:
			old, _ := own.Get(key)
			got, err := replace(old, false)
			if err == nil {
				own.Set(key, got)
			}
			return own, err
		case []any:
			i, ok := integer(key)
			if !ok || i < 0 || i >= int64(len(own)) {
				return nil, f.fail(n, "expected an index below %d, the length of the list, found %s", len(own), excerpt(key))
			}
			own[i], err = replace(own[i], false)
			return own, err
		}
		return nil, f.null(n, "expected a map or a list to put %s in, found %s", excerpt(key), kindName(v))
	})
}

// own copies a list or a map unless it may be changed in place.
func (f *frame) own(v any, owned bool) (any, error) {
	switch v := v.(type) {
	case []any:
		if owned {
			return v, nil
		}
		if err := f.copied(16 * len(v)); err != nil {
			return nil, err
		}
		return slices.Clone(v), nil
	case *Map, map[string]any:
		if m, ok := v.(*Map); ok && owned {
			return m, nil
		}
		if err := f.copied(64 * countOf(v)); err != nil {
			return nil, err
		}
		m := &Map{}
		for k, item := range entriesOf(v) {
			m.Set(k, item)
		}
		return m, nil
	}
	return v, nil
}

func (f *frame) copied(bytes int) error {
	if err := f.grow(bytes); err != nil {
		return err
	}
	return f.charge(bytes)
}

func noList(name string, x any) error {
	return wrong("expected a list before .%s(…), found %s", name, kindName(x))
}

func noMap(name string, x any) error {
	return wrong("expected a map before .%s(…), found %s", name, kindName(x))
}

// add appends, or inserts at an index.
func add(f *frame, x any, args arguments) (any, any, error) {
	list, ok := x.([]any)
	if !ok {
		return x, nil, noList("add", x)
	}
	if err := args.count("add", 1, 2); err != nil {
		return x, nil, err
	}
	if err := f.grow(16); err != nil {
		return x, nil, err
	}
	if len(args) == 1 {
		return append(list, args[0]), true, nil
	}
	i, err := args.integer(0)
	if err != nil {
		return x, nil, err
	}
	if i > len(list) {
		return x, nil, wrong("expected an index up to %d, the length of the list, found %d", len(list), i)
	}
	return slices.Insert(list, i, args[1]), nil, f.charge(16 * len(list))
}

func addAll(f *frame, x any, args arguments) (any, any, error) {
	list, ok := x.([]any)
	if !ok {
		return x, nil, noList("addAll", x)
	}
	if err := args.count("addAll", 1, 1); err != nil {
		return x, nil, err
	}
	more, ok := args[0].([]any)
	if !ok {
		return x, nil, wrong("expected a list as argument 1, found %s", kindName(args[0]))
	}
	return append(list, more...), len(more) > 0, f.copied(16 * len(more))
}

func setElement(_ *frame, x any, args arguments) (any, any, error) {
	list, ok := x.([]any)
	if !ok {
		return x, nil, noList("set", x)
	}
	if err := args.count("set", 2, 2); err != nil {
		return x, nil, err
	}
	old, err := listGet(nil, list, args[:1])
	if err != nil {
		return x, nil, err
	}
	i, err := args.integer(0)
	if err == nil {
		list[i] = args[1]
	}
	return list, old, err
}

// removeElement takes a list's element by its index or its value, a map's by key.
func removeElement(f *frame, x any, args arguments) (any, any, error) {
	if err := args.count("remove", 1, 1); err != nil {
		return x, nil, err
	}
	if m, ok := x.(*Map); ok {
		old, err := mapGet(f, m, args)
		if err == nil {
			key, _ := args.text(0)
			m.remove(key)
		}
		return m, old, err
	}
	list := asList(x)
	if i, ok := args[0].(int64); ok {
		old, err := listGet(f, list, args)
		if err != nil {
			return x, nil, err
		}
		return slices.Delete(list, int(i), int(i)+1), old, f.charge(16 * len(list))
	}
	i, err := f.indexOf(list, args[0])
	if i < 0 || err != nil {
		return x, false, err
	}
	return slices.Delete(list, i, i+1), true, f.charge(16 * len(list))
}

func clearAll(_ *frame, x any, args arguments) (any, any, error) {
	if _, ok := x.(*Map); ok {
		return &Map{}, nil, args.count("clear", 0, 0)
	}
	return []any{}, nil, args.count("clear", 0, 0)
}

func put(f *frame, x any, args arguments) (any, any, error) {
	m, ok := x.(*Map)
	if !ok {
		return x, nil, noMap("put", x)
	}
	if err := args.count("put", 2, 2); err != nil {
		return x, nil, err
	}
	old, err := mapGet(f, m, args[:1])
	if err != nil {
		return x, nil, err
	}
	key, _ := args.text(0)
	m.Set(key, args[1])
	return m, old, f.grow(128)
}

func putAll(f *frame, x any, args arguments) (any, any, error) {
	m, ok := x.(*Map)
	if !ok {
		return x, nil, noMap("putAll", x)
	}
	if err := args.count("putAll", 1, 1); err != nil {
		return x, nil, err
	}
	if !isMap(args[0]) {
		return x, nil, wrong("expected a map as argument 1, found %s", kindName(args[0]))
	}
	for k, v := range entriesOf(args[0]) {
		m.Set(k, v)
	}
	return m, nil, f.copied(128 * countOf(args[0]))
}
