package expr

import (
	"slices"
	"strings"
)

// render evaluates a text that contains "<+". The result is a Template when
// something was left to be evaluated elsewhere.
func (ev *evaluator) render(text string) (any, error) {
	f := &frame{evaluator: ev, src: text}
	i := strings.Index(text, "<+")
	n, err := f.parse(i)
	if err != nil {
		return nil, err
	}
	if i == 0 && n.end == len(text) {
		return f.result(n.x)
	}
	return f.splice(n)
}

func (f *frame) parse(pos int) (*node, error) {
	n, err := parseAt(f.src, pos)
	return n, f.within(err)
}

// within names the template in which a syntax error stands.
func (f *frame) within(err error) error {
	if wrong, ok := err.(*Error); ok && len(f.trail) > 0 { //nolint:errorlint // the parser's own, never wrapped
		wrong.Within = f.trail[len(f.trail)-1]
	}
	return err
}

// bare evaluates a text that is one expression without delimiters.
func (ev *evaluator) bare(src string) (any, error) {
	f := &frame{evaluator: ev, src: src}
	n, err := parseBare(src, false)
	if err != nil {
		return nil, err
	}
	return f.result(n)
}

// result evaluates one expression, or returns it as a Template when it is deferred.
func (f *frame) result(n *node) (any, error) {
	f.env, f.inner = nil, 0
	if !f.defers(n) {
		v, err := f.evalAll(n)
		if _, left := deferredText(err); !left {
			return v, err
		}
		switch n.kind { // a plain reference to a template: what it left is the result
		case kName, kProp, kIndex:
			text, _ := deferredText(err)
			return Template(text), nil
		}
	}
	left, err := f.leave(n)
	return Template(left), err
}

// evalAll evaluates a whole expression to what can be written or handed on.
func (f *frame) evalAll(n *node) (any, error) {
	v, err := returned(f.eval(n))
	if err != nil {
		return nil, err
	}
	if _, ok := v.(Func); ok {
		return nil, f.fail(n, "expected a value, found a function: call it, as in name()")
	}
	return f.flat(n, v)
}

// flat gives an Object whole, the templates inside it rendered.
func (f *frame) flat(n *node, v any) (any, error) {
	if _, ok := v.(Expander); !ok {
		return v, nil
	}
	whole, err := f.rendered(n, v, 0)
	if _, left := deferredText(err); left {
		return nil, f.fail(n, "expected data, found values that only the delegate knows: name the one that is meant")
	}
	return whole, err
}

// piece is a part of a spliced text.
type piece struct {
	text  string
	value bool // data: guarded when the text is rendered again
}

// splice renders a text of several parts, n being its first expression.
func (f *frame) splice(n *node) (any, error) {
	var pieces []piece
	left, size, from := false, 0, 0
	for {
		pieces = append(pieces, piece{text: f.src[from:n.pos]})
		v, err := f.result(n.x)
		if err != nil {
			return nil, err
		}
		text, err := f.text(v)
		if err != nil {
			return nil, f.place(n, err)
		}
		_, again := v.(Template)
		left = left || again
		pieces = append(pieces, piece{text, !again})
		if size += n.pos - from + len(text); size > MaxResult {
			return nil, f.place(n, errTooLong)
		}
		from = n.end
		next := strings.Index(f.src[from:], "<+")
		if next < 0 {
			break
		}
		if n, err = f.parse(from + next); err != nil {
			return nil, err
		}
	}
	if size+len(f.src)-from > MaxResult {
		return nil, f.place(n, errTooLong)
	}
	pieces = append(pieces, piece{text: f.src[from:]})
	var b strings.Builder
	b.Grow(size + len(f.src) - from)
	for _, p := range pieces {
		if left {
			p.text = guardJoint(b.String(), p.guarded())
		}
		b.WriteString(p.text)
	}
	if left {
		return Template(b.String()), nil
	}
	return b.String(), nil
}

func (p piece) guarded() string {
	if p.value {
		return guard(p.text)
	}
	return p.text
}

// guard writes data so that rendering it once more reproduces it: a `<+` in it
// becomes an expression for "<", then "+".
func guard(data string) string { return strings.ReplaceAll(data, "<+", `<+"\u003c">+`) }

// guardJoint keeps two parts from forming a `<+` where they meet.
func guardJoint(before, text string) string {
	if strings.HasSuffix(before, "<") && strings.HasPrefix(text, "+") {
		return `<+"+">` + text[1:]
	}
	return text
}

// defers reports whether an expression uses a deferred first name. What stands in
// a `<+…>` inside it counts: it cannot be evaluated here either.
func (f *frame) defers(n *node) bool {
	if len(f.deferred) == 0 {
		return false
	}
	if n.kind == kName && n.list == nil || n.kind == kCall && n.x == nil {
		if slices.Contains(f.deferred, n.name) {
			return true
		}
	}
	found := false
	n.each(func(c *node) { found = found || f.defers(c) })
	return found
}
