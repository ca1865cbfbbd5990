package expr

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// leave returns the source of a deferred expression with its delimiters, everything
// that does not need a deferred name replaced by its value.
func (f *frame) leave(n *node) (string, error) {
	var b strings.Builder
	b.WriteString("<+")
	f.names = ownNames(n)
	if err := f.partial(n, &b); err != nil {
		return "", err
	}
	b.WriteString(">")
	if b.Len() > MaxSource {
		return "", f.failAt(fault.TooLarge, n.pos, n.end, "an expression may have %d bytes, what is left of this one has %d", MaxSource, b.Len())
	}
	// Text interpolated into a name may make it none, and literals may nest deeper
	// than paths.
	if again, err := parseAt(b.String(), 0); err != nil || again.end != b.Len() {
		return "", f.fail(n, "expected values that leave an expression to evaluate on the delegate, found %s", excerpt(b.String()))
	}
	return b.String(), nil
}

// partial writes the source of n, its children replaced where they can be.
func (f *frame) partial(n *node, b *strings.Builder) error {
	if err := f.charge(n.end - n.pos); err != nil {
		return f.place(n, err)
	}
	if n.kind == kLit || n.kind == kText {
		b.WriteString(f.src[n.pos:n.end])
		return nil
	}
	if !f.defers(n) && !f.bound(n, false) {
		done, err := f.replace(n, b)
		if done || err != nil {
			return err
		}
	}
	at := n.pos
	var failed error
	n.each(func(c *node) {
		if failed != nil {
			return
		}
		b.WriteString(f.src[at:c.pos])
		at = c.end
		failed = f.child(n, c, b)
	})
	b.WriteString(f.src[at:n.end])
	return failed
}

// bound reports whether a node has to stay because it is a statement or names a
// variable of the expression.
func (f *frame) bound(n *node, inner bool) bool {
	if n.kind >= kSeq {
		return true
	}
	if n.kind == kName && n.list == nil || n.kind == kCall && n.x == nil {
		if slices.Contains(f.names, n.name) && (!inner || !f.knows(n.name)) {
			return true
		}
	}
	found := false
	n.each(func(c *node) { found = found || f.bound(c, inner || n.kind == kNested) })
	return found
}

func (f *frame) knows(name string) bool {
	if f.scope == nil {
		return false
	}
	_, ok := f.scope.Lookup(name)
	return ok
}

// replace writes the value of n as a literal; done is false when n has to stay, its
// children perhaps not.
func (f *frame) replace(n *node, b *strings.Builder) (done bool, err error) {
	v, err := f.eval(n)
	if text, left := deferredText(err); left {
		switch n.kind {
		case kName, kProp, kIndex:
			b.WriteString(operand(text))
			return true, nil
		}
		return false, nil
	}
	if isUnresolved(err) {
		b.WriteString(f.src[n.pos:n.end]) // perhaps in a branch that is not taken
		return true, nil
	}
	if err != nil {
		return false, err
	}
	text, ok := literal(v, 0)
	if !ok {
		return false, nil
	}
	b.WriteString(text)
	return true, nil
}

// child writes a child of a node that stays.
func (f *frame) child(n, c *node, b *strings.Builder) error {
	switch {
	case n.kind == kCall && c == n.x && isFunctor(c):
		b.WriteString(c.name)
		return nil
	case (n.kind == kIf || n.kind == kWhile) && c == n.x: // its brackets belong to the statement
		b.WriteString("(")
		err := f.partial(c.x, b)
		b.WriteString(")")
		return err
	case n.kind == kStr:
		return f.inQuotes(n, c, b)
	case c.kind == kNested && (n.kind == kName || n.kind == kProp) && c != n.x:
		return f.inName(c, b)
	}
	return f.partial(c, b)
}

// inQuotes writes a nested expression that stands in a quoted string.
func (f *frame) inQuotes(n, c *node, b *strings.Builder) error {
	if c.kind == kText || f.defers(c) || f.bound(c, false) {
		return f.partial(c, b)
	}
	v, err := f.eval(c)
	if text, left := deferredText(err); left {
		b.WriteString(text)
		return nil
	}
	if err != nil {
		return err
	}
	text, err := f.text(v)
	if err != nil {
		return f.place(c, err)
	}
	b.WriteString(escaped(text, f.src[n.pos]))
	return nil
}

// inName writes a nested expression that is part of a name.
func (f *frame) inName(c *node, b *strings.Builder) error {
	if f.defers(c) || f.bound(c, false) {
		return f.partial(c, b)
	}
	v, err := f.eval(c)
	if text, left := deferredText(err); left {
		b.WriteString(text)
		return nil
	}
	if err != nil {
		return err
	}
	text, err := f.text(v)
	if err != nil {
		return f.place(c, err)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < 0x80 && r != '.' && !isNamePart(byte(r)) }) {
		return f.fail(c, "expected letters, digits, _ or . in a name that is evaluated on the delegate, found %q", excerpt(text))
	}
	b.WriteString(text)
	return nil
}

// operand writes what a template left as a value: one expression as it is, text
// around expressions as a quoted string that interpolates them.
func operand(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for rest := 0; ; {
		i := strings.Index(text[rest:], "<+")
		if i < 0 {
			b.WriteString(escaped(text[rest:], '"'))
			break
		}
		n, err := parseAt(text, rest+i)
		if err != nil { // cannot be: it was parsed before it was left
			b.WriteString(escaped(text[rest:], '"'))
			break
		}
		if n.pos == 0 && n.end == len(text) {
			return text
		}
		b.WriteString(escaped(text[rest:n.pos], '"'))
		b.WriteString(text[n.pos:n.end])
		rest = n.end
	}
	b.WriteByte('"')
	return b.String()
}

// escaped writes text for the inside of a quoted string. `<` is written as a code,
// so that data never opens an expression.
func escaped(text string, quote byte) string {
	q := string(rune(quote))
	return strings.NewReplacer(`\`, `\\`, q, `\`+q, "\n", `\n`, "\r", `\r`, "<", `\u003c`).Replace(text)
}

// literal writes a value as source; ok is false for what has no literal.
func literal(v any, depth int) (text string, ok bool) {
	if depth > MaxNesting/2 {
		return "", false
	}
	switch v := v.(type) {
	case nil:
		return "null", true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		if v == math.MinInt64 { // its digits alone are out of range
			return "(-9223372036854775807 - 1)", true
		}
		text = strconv.FormatInt(v, 10)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", false
		}
		text = strconv.FormatFloat(v, 'e', -1, 64)
	case string:
		return `"` + escaped(v, '"') + `"`, true
	case Secret:
		return `secrets.getValue("` + escaped(v.Ref, '"') + `")`, true
	case []any:
		parts := make([]string, 0, len(v))
		for _, item := range v {
			part, ok := literal(item, depth+1)
			if !ok {
				return "", false
			}
			parts = append(parts, part)
		}
		return "[" + strings.Join(parts, ", ") + "]", true
	case *Map, map[string]any:
		var parts []string
		for k, item := range entriesOf(v) {
			part, ok := literal(item, depth+1)
			if !ok {
				return "", false
			}
			parts = append(parts, `"`+escaped(k, '"')+`": `+part)
		}
		return "{" + strings.Join(parts, ", ") + "}", true
	default:
		if n, ok := normal(v); ok && !slices.Contains([]string{"a map", "a function"}, kindName(n)) {
			return literal(n, depth+1)
		}
		return "", false
	}
	if text[0] == '-' {
		text = "(" + text + ")"
	}
	return text, true
}
