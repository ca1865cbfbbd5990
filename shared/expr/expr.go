// Package expr evaluates `<+ … >` expressions in text: parsed by a Pratt parser,
// coerced as users of JEXL expect, bounded on every input. It knows no names of
// its own but a few functors; a Scope supplies them. Only values a scope marks
// as Template are evaluated again: what a script printed never is.
package expr

import "strings"

// Bounds (BEHAVIOUR §13.13). Passing one is an *Error of kind TooLarge that
// names it. Text without an expression is returned as it is, whatever its size.
const (
	MaxResult    = 256 << 10 // bytes of a rendered text or of any string made on the way
	MaxSource    = 64 << 10  // bytes of one expression's source
	MaxNesting   = 50        // `<+` and brackets inside each other
	MaxSteps     = 100_000   // evaluation steps of one call, templates included
	MaxTemplates = 10        // templates found through templates
	MaxMemory    = 64 << 20  // bytes of strings, lists and documents one call makes
)

// Scope supplies the names an expression may begin with.
//
// A value is nil, bool, int64, float64, string, []any, *Map, map[string]any,
// Object, Secret, Func or Template. Go's other integer types, float32,
// json.Number, []string and map[string]string are accepted and converted. Values
// are never changed by an expression.
type Scope interface {
	// Lookup resolves the first name of a path; ok is false for an unknown name.
	Lookup(name string) (value any, ok bool)
}

// Object is a map the scope reads lazily: a pipeline, a stage, another track's
// outputs.
type Object interface {
	// Get returns a property; ok is false when there is none, which reads as null.
	// err leaves the evaluation as it is, not wrapped, so that a caller recognises
	// its own "I need more data"; an *UnresolvedError counts as unresolved.
	Get(key string) (value any, ok bool, err error)
}

// Caller is an Object with methods, such as secrets.getValue("x"). A method it
// does not know is answered with ErrNoMethod; then the methods every map has are
// tried.
type Caller interface {
	Call(method string, args []any) (any, error)
}

// Expander is an Object that can give itself whole, for rendering and json.format;
// templates in it are rendered. Any other Object renders as "{}".
type Expander interface {
	Expand() (any, error)
}

// Func is a function value: currentTime(), or a property that is called.
type Func func(args []any) (any, error)

// Template is text of the author's whose own expressions are evaluated in the
// same scope when the value is read (BEHAVIOUR §13.13). Never make a Template
// of data: a script's output, a webhook's payload, a delegate's answer. Plain
// strings are never evaluated again.
type Template string

// Secret is a reference only a delegate can resolve (BEHAVIOUR §13.9). It may be
// spliced into text, passed to a function of the scope or chosen by a ternary;
// comparing it or calling its methods is an error.
type Secret struct {
	Ref string // the identifier with its scope, "account.token"
}

// String is the placeholder the delegate replaces.
func (s Secret) String() string {
	return `${ngSecretManager.obtain("` + quoteEscaper.Replace(s.Ref) + `")}`
}

// quoteEscaper guards what stands between double quotes.
var quoteEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// Option changes how a text is rendered.
type Option func(*evaluator)

// Defer leaves expressions that use one of these first names in place, to be
// evaluated elsewhere (on the delegate: httpResponseBody). What else such an
// expression uses is replaced by its value as a literal.
//
// When something was left, Render and Eval return a Template: text to be rendered
// exactly once more. Values spliced into it are guarded, so that the second
// rendering reproduces them. RenderString guards always: with Defer its result is
// to be rendered once more whether or not something was left.
func Defer(names ...string) Option {
	return func(ev *evaluator) { ev.deferred = append(ev.deferred, names...) }
}

// Has reports whether text contains an expression.
func Has(text string) bool { return strings.Contains(text, "<+") }

// Render evaluates the expressions of a text, innermost first (BEHAVIOUR §13.1,
// §13.2). A text that is one expression keeps the value's type; otherwise every
// value is spliced in as Format writes it. An Object that can be given whole is, a
// function is refused. Text without "<+" is returned as it is.
func Render(text string, s Scope, opts ...Option) (any, error) {
	if !Has(text) {
		return text, nil
	}
	return newEvaluator(s, opts).render(text)
}

// RenderString is Render with the result formatted.
func RenderString(text string, s Scope, opts ...Option) (string, error) {
	if !Has(text) {
		return text, nil
	}
	ev := newEvaluator(s, opts)
	v, err := ev.render(text)
	if err != nil {
		return "", err
	}
	if t, ok := v.(Template); ok {
		return string(t), nil
	}
	out, err := ev.text(v)
	if err == nil && len(ev.deferred) > 0 {
		out = guard(out)
	}
	return out, err
}

// Eval evaluates a bare expression, one without its own delimiters; `<+…>` may
// stand inside it.
func Eval(src string, s Scope, opts ...Option) (any, error) {
	return newEvaluator(s, opts).bare(src)
}

// Condition decides a `when`, a retry's or a criteria's condition (BEHAVIOUR §9.2):
// a bare expression in which `<+…>` may stand. True and the string "true" in any
// case are true; null, any other string, and names or values that are not there
// are false; a blank condition is no condition, hence true. A number, list or
// map is an error.
func Condition(text string, s Scope) (bool, error) {
	if strings.TrimSpace(text) == "" {
		return true, nil
	}
	ev := newEvaluator(s, nil)
	v, err := ev.bare(text)
	if isUnresolved(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	switch v := v.(type) {
	case nil:
		return false, nil
	case bool:
		return v, nil
	case string:
		return strings.EqualFold(strings.TrimSpace(v), "true"), nil
	}
	f := &frame{evaluator: ev, src: text}
	return false, f.invalid(0, len(text), "expected true or false as the result of a condition, found %s", kindName(v))
}
