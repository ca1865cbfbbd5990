package expr

import (
	"slices"
	"strings"
)

// listMethods, mapMethods, numberMethods and anyMethods follow java.util.List, Map,
// Number and Object (BEHAVIOUR §13.4). On what is no variable of the expression, the
// methods that change their receiver only return what Java's do; see changes.
var listMethods = map[string]method{
	"get":         listGet,
	"size":        func(_ *frame, x any, _ arguments) (any, error) { return int64(len(asList(x))), nil },
	"isEmpty":     func(_ *frame, x any, _ arguments) (any, error) { return len(asList(x)) == 0, nil },
	"contains":    listContains,
	"containsAll": listContainsAll,
	"indexOf":     listIndexOf,
	"lastIndexOf": listLastIndexOf,
	"subList":     subList,
	"add":         func(_ *frame, _ any, args arguments) (any, error) { return true, args.count("add", 1, 2) },
	"remove":      listRemove,
	"toArray":     func(_ *frame, x any, _ arguments) (any, error) { return x, nil },
}

var mapMethods = map[string]method{
	"get":           mapGet,
	"getOrDefault":  mapGetOrDefault,
	"containsKey":   mapContainsKey,
	"containsValue": func(f *frame, x any, args arguments) (any, error) { return listContains(f, mapValues(x), args) },
	"keySet":        func(_ *frame, x any, _ arguments) (any, error) { return mapKeys(x), nil },
	"values":        func(_ *frame, x any, _ arguments) (any, error) { return mapValues(x), nil },
	"entrySet":      func(_ *frame, x any, _ arguments) (any, error) { return mapEntries(x), nil },
	"size":          func(_ *frame, x any, _ arguments) (any, error) { return int64(countOf(x)), nil },
	"isEmpty":       func(_ *frame, x any, _ arguments) (any, error) { return countOf(x) == 0, nil },
	"put":           mapPut,
	"remove":        mapGet,
	"getKey":        func(_ *frame, x any, _ arguments) (any, error) { v, _ := entry(x, "key"); return v, nil },
	"getValue":      func(_ *frame, x any, _ arguments) (any, error) { v, _ := entry(x, "value"); return v, nil },
}

var numberMethods = map[string]method{
	"intValue":    intValue,
	"longValue":   intValue,
	"doubleValue": doubleValue,
	"floatValue":  doubleValue,
	"compareTo":   numberCompare,
}

var anyMethods = map[string]method{
	"toString": func(f *frame, x any, _ arguments) (any, error) { return f.text(x) },
	"equals":   anyEquals,
}

// comparesElements are the methods before which the templates inside a list or map
// are rendered; the others leave those they do not return alone.
var comparesElements = map[string]bool{
	"contains": true, "containsAll": true, "indexOf": true, "lastIndexOf": true, "remove": true,
	"containsValue": true, "toString": true, "equals": true,
}

func asList(x any) []any {
	list, _ := x.([]any)
	return list
}

func listGet(_ *frame, x any, args arguments) (any, error) {
	list := asList(x)
	i, err := args.integer(0)
	if err != nil {
		return nil, err
	}
	if i >= len(list) {
		return nil, wrong("expected an index below %d, the length of the list, found %d", len(list), i)
	}
	return list[i], args.count("get", 1, 1)
}

func listContains(f *frame, x any, args arguments) (any, error) {
	if err := args.count("contains", 1, 1); err != nil {
		return nil, err
	}
	i, err := f.indexOf(asList(x), args[0])
	return i >= 0, err
}

func listContainsAll(f *frame, x any, args arguments) (any, error) {
	if err := args.count("containsAll", 1, 1); err != nil {
		return nil, err
	}
	all, ok := args[0].([]any)
	if !ok {
		return nil, wrong("expected a list as argument 1, found %s", kindName(args[0]))
	}
	for _, v := range all {
		if i, err := f.indexOf(asList(x), element(v)); i < 0 || err != nil {
			return false, err
		}
	}
	return true, nil
}

func listIndexOf(f *frame, x any, args arguments) (any, error) {
	if err := args.count("indexOf", 1, 1); err != nil {
		return nil, err
	}
	i, err := f.indexOf(asList(x), args[0])
	return int64(i), err
}

func listLastIndexOf(f *frame, x any, args arguments) (any, error) {
	if err := args.count("lastIndexOf", 1, 1); err != nil {
		return nil, err
	}
	for i, item := range slices.Backward(asList(x)) {
		if same, err := f.equal(element(item), args[0], 0); same || err != nil {
			return int64(i), err
		}
	}
	return int64(-1), nil
}

func subList(_ *frame, x any, args arguments) (any, error) {
	list := asList(x)
	if err := args.count("subList", 2, 2); err != nil {
		return nil, err
	}
	from, err := args.integer(0)
	if err != nil {
		return nil, err
	}
	to, err := args.integer(1)
	if err != nil {
		return nil, err
	}
	if from > to || to > len(list) {
		return nil, wrong("expected positions within the %d elements of the list", len(list))
	}
	return list[from:to:to], nil
}

func listRemove(f *frame, x any, args arguments) (any, error) {
	if len(args) == 1 {
		if _, ok := args[0].(int64); !ok {
			return listContains(f, x, args)
		}
	}
	return listGet(f, x, args)
}

func mapGet(_ *frame, x any, args arguments) (any, error) {
	key, err := args.text(0)
	if err != nil {
		return nil, err
	}
	v, _ := entry(x, key)
	return v, args.count("get", 1, 1)
}

func mapGetOrDefault(_ *frame, x any, args arguments) (any, error) {
	if err := args.count("getOrDefault", 2, 2); err != nil {
		return nil, err
	}
	key, err := args.text(0)
	if v, ok := entry(x, key); ok {
		return v, err
	}
	return args[1], err
}

func mapContainsKey(_ *frame, x any, args arguments) (any, error) {
	key, err := args.text(0)
	_, ok := entry(x, key)
	return ok, err
}

func mapPut(_ *frame, x any, args arguments) (any, error) {
	if err := args.count("put", 2, 2); err != nil {
		return nil, err
	}
	return mapGet(nil, x, args[:1])
}

func mapKeys(x any) []any {
	list := make([]any, 0, countOf(x))
	for k := range entriesOf(x) {
		list = append(list, k)
	}
	return list
}

func mapValues(x any) []any {
	list := make([]any, 0, countOf(x))
	for _, v := range entriesOf(x) {
		list = append(list, v)
	}
	return list
}

func mapEntries(x any) []any {
	list := make([]any, 0, countOf(x))
	for k, v := range entriesOf(x) {
		m := &Map{}
		m.Set("key", k)
		m.Set("value", v)
		list = append(list, m)
	}
	return list
}

func numberCompare(_ *frame, x any, args arguments) (any, error) {
	if err := args.count("compareTo", 1, 1); err != nil {
		return nil, err
	}
	y, ok := number(args[0])
	if !ok {
		return nil, wrong("expected a number as argument 1, found %s", kindName(args[0]))
	}
	switch {
	case ordered(opLt, x, y):
		return int64(-1), nil
	case ordered(opGt, x, y):
		return int64(1), nil
	}
	return int64(0), nil
}

// anyEquals is Java's equals on strings and ==, with its coercion, on all else.
func anyEquals(f *frame, x any, args arguments) (any, error) {
	if err := args.count("equals", 1, 1); err != nil {
		return nil, err
	}
	if a, ok := x.(string); ok {
		if b, ok := args[0].(string); ok {
			return strings.Compare(a, b) == 0, nil
		}
	}
	return f.equal(x, args[0], 0)
}
