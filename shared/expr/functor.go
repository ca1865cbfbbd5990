package expr

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// isFunctor recognises the objects the language itself has (BEHAVIOUR §13.6); they
// hide names of the scope.
func isFunctor(n *node) bool {
	if n.kind != kName || n.list != nil {
		return false
	}
	_, ok := functors[n.name]
	return ok
}

// functors are the objects of the language with their functions.
var functors = map[string][]string{
	"json":       {"select", "object", "list", "format"},
	"secretJson": {"select", "object", "list"},
	"xml":        {"select"},
	"regex":      {"extract", "match", "replace"},
	"expression": {"isResolved", "isUnresolved"},
}

// functor calls json.select and its like. secretJson works on text that is known;
// on a secret it cannot, before the delegate.
func (f *frame) functor(n *node) (any, error) {
	if n.x.name == "expression" {
		return f.resolved(n)
	}
	args, err := f.arguments(n)
	if err != nil {
		return nil, err
	}
	if n.x.name != "json" || n.name != "format" {
		for i, a := range args {
			if _, ok := a.(Secret); ok {
				return nil, f.secret(n.list[i])
			}
		}
	}
	switch n.x.name + "." + n.name {
	case "json.select", "secretJson.select":
		return f.jsonSelect(args)
	case "json.list", "secretJson.list":
		return f.jsonList(args)
	case "json.object", "secretJson.object":
		if err := args.count("object", 1, 1); err != nil {
			return nil, err
		}
		return f.document(args[0])
	case "json.format":
		if err := args.count("format", 1, 1); err != nil {
			return nil, err
		}
		return f.jsonFormat(n, args[0])
	case "xml.select":
		return f.xmlSelect(args)
	case "regex.extract", "regex.match", "regex.replace":
		return f.regex(n.name, args)
	}
	return nil, f.fail(n, "expected a function of %s (%s), found %s", n.x.name, strings.Join(functors[n.x.name], ", "), n.name)
}

// resolved is expression.isResolved and isUnresolved.
func (f *frame) resolved(n *node) (any, error) {
	if n.name != "isResolved" && n.name != "isUnresolved" {
		return nil, f.fail(n, "expected a function of expression (isResolved, isUnresolved), found %s", n.name)
	}
	if len(n.list) != 1 {
		return nil, f.fail(n, "expected 1 argument for %s, found %d", n.name, len(n.list))
	}
	v, err := f.eval(n.list[0])
	if err != nil && !isUnresolved(err) {
		return nil, err
	}
	return (err == nil && v != nil) == (n.name == "isResolved"), nil
}

// regex is the functor regex: extract and match look for the pattern anywhere.
func (f *frame) regex(name string, args arguments) (any, error) {
	if name == "replace" {
		if err := args.count("replace", 3, 3); err != nil {
			return nil, err
		}
		s, err := args.text(2)
		if err != nil {
			return nil, err
		}
		return f.replaceMatches(s, args[:2], -1)
	}
	if err := args.count(name, 2, 2); err != nil {
		return nil, err
	}
	re, err := args.text(0)
	if err != nil {
		return nil, err
	}
	s, err := args.text(1)
	if err != nil {
		return nil, err
	}
	compiled, err := f.pattern(re, len(s))
	if err != nil {
		return nil, err
	}
	if name == "match" {
		return compiled.MatchString(s), nil
	}
	return compiled.FindString(s), nil
}

// jsonSelect gives scalars as strings, as upstream does.
func (f *frame) jsonSelect(args arguments) (any, error) {
	v, _, err := f.jsonPath("select", args)
	switch v := v.(type) {
	case int64, float64, bool:
		return Format(v), err
	}
	return v, err
}

// jsonList always gives a list.
func (f *frame) jsonList(args arguments) (any, error) {
	v, _, err := f.jsonPath("list", args)
	switch v := v.(type) {
	case nil:
		return []any{}, err
	case []any:
		return v, err
	}
	return []any{v}, err
}

func (f *frame) jsonPath(name string, args arguments) (v any, definite bool, err error) {
	if err := args.count(name, 2, 2); err != nil {
		return nil, false, err
	}
	path, err := args.text(0)
	if err != nil {
		return nil, false, err
	}
	doc, err := f.document(args[1])
	if err != nil {
		return nil, false, err
	}
	return f.selectPath(path, doc)
}

func (f *frame) jsonFormat(n *node, v any) (any, error) {
	whole, err := f.rendered(n, v, 0)
	if err != nil {
		return nil, err
	}
	text, err := encodeJSON(whole)
	if err != nil {
		return nil, argError{fault.Invalid, err.Error()}
	}
	if len(text) > MaxResult {
		return nil, errTooLong
	}
	return string(text), f.charge(len(text))
}
