package expr

import (
	"fmt"
	"strings"

	"github.com/antchfx/xpath"

	"github.com/slipway-cd/slipway/shared/fault"
)

// maxXPath bounds an XPath; what it looks at is taken from the budget.
const maxXPath = 1024

// xmlSelect is xml.select(path, document): the text of the first node the XPath
// names, "" when there is none; numbers and booleans as text (BEHAVIOUR §13.6).
func (f *frame) xmlSelect(args arguments) (any, error) {
	if err := args.count("select", 2, 2); err != nil {
		return nil, err
	}
	path, err := args.text(0)
	if err != nil {
		return nil, err
	}
	text, err := args.text(1)
	if err != nil {
		return nil, err
	}
	compiled, err := compilePath(path)
	if err != nil {
		return nil, err
	}
	doc, err := f.parseXML(text)
	if err != nil {
		return nil, err
	}
	at := &cursor{at: doc, budget: &budget{ev: f.evaluator}}
	found, err := evaluatePath(compiled, path, at)
	if at.err != nil { // the library was stopped: what it found is of no use
		return nil, at.err
	}
	return found, err
}

// compilePath parses an XPath 1.0. Two functions of 2.0 that the library has would
// fill its cache of regexes.
func compilePath(path string) (*xpath.Expr, error) {
	if len(path) > maxXPath {
		return nil, argError{fault.TooLarge, fmt.Sprintf("an XPath may have %d bytes", maxXPath)}
	}
	for _, name := range []string{"matches", "replace"} {
		if callsFunction(path, name) {
			return nil, argError{fault.Unsupported, "not supported yet: the XPath function " + name + "(); select the text and use =~ or .replaceAll(…)"}
		}
	}
	compiled, err := xpath.Compile(path)
	if err != nil {
		return nil, notXPath(path, err)
	}
	return compiled, nil
}

func notXPath(path string, why any) error {
	return wrong("expected an XPath such as /a/b[1]/text(), found %q: %v", excerpt(path), why)
}

// callsFunction reports whether a path calls a function, outside of quotes.
func callsFunction(path, name string) bool {
	var quote byte
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.HasPrefix(path[i:], name) && strings.HasPrefix(strings.TrimLeft(path[i+len(name):], " \t\r\n"), "("):
			return true
		}
	}
	return false
}

// evaluatePath turns the library's panics, its way to refuse an argument, into errors.
func evaluatePath(compiled *xpath.Expr, path string, at *cursor) (text string, err error) {
	defer func() {
		if why := recover(); why != nil {
			text, err = "", notXPath(path, why)
		}
	}()
	switch v := compiled.Evaluate(at).(type) {
	case *xpath.NodeIterator:
		if v.MoveNext() {
			return v.Current().Value(), nil
		}
		return "", nil
	case float64:
		return formatFloat(v), nil
	default:
		return fmt.Sprint(v), nil
	}
}
