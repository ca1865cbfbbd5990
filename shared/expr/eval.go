package expr

import (
	"errors"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// evaluator is one call of Render, Eval or Condition with all the templates it
// comes upon: they share its budget.
type evaluator struct {
	scope    Scope
	deferred []string // first names left in place
	steps    int
	made     int      // bytes of what was made: strings, lists, documents
	calls    int      // functions of expressions inside each other
	trail    []string // paths of the templates being rendered, outermost first
}

func newEvaluator(s Scope, opts []Option) *evaluator {
	ev := &evaluator{scope: s}
	for _, o := range opts {
		o(ev)
	}
	return ev
}

// frame evaluates the nodes of one text.
type frame struct {
	*evaluator
	src   string
	env   *env     // the variables of the expression, nil when it has none
	inner int      // `<+` around the node inside the expression
	names []string // names of its variables, while it is left to the delegate
}

func (f *frame) failAt(kind fault.Kind, pos, end int, format string, args ...any) error {
	err := failure(kind, f.src, pos, pos, end, format, args...)
	if n := len(f.trail); n > 0 {
		err.Within = f.trail[n-1]
	}
	return err
}

func (f *frame) invalid(pos, end int, format string, args ...any) error {
	return f.failAt(fault.Invalid, pos, end, format, args...)
}

func (f *frame) fail(n *node, format string, args ...any) error {
	return f.invalid(n.pos, n.end, format, args...)
}

// null is the error for a null where a value is needed: it counts as unresolved.
func (f *frame) null(n *node, format string, args ...any) error {
	err := failure(fault.Invalid, f.src, n.pos, n.pos, n.end, format, args...)
	return unresolved(err.Expr, f.src, n.pos, err.Msg)
}

// place gives an error of the layers below its position; other errors are returned
// as they are.
func (f *frame) place(n *node, err error) error {
	if err == nil {
		return nil
	}
	if bound, ok := errors.AsType[boundError](err); ok {
		return f.failAt(fault.TooLarge, n.pos, n.end, "%s", string(bound))
	}
	if wrong, ok := errors.AsType[argError](err); ok {
		return f.failAt(wrong.kind, n.pos, n.end, "%s", wrong.msg)
	}
	return err
}

// placed gives an error of the scope its place: what its names mean is its own
// affair, so only mistakes of the author's are touched; a scope's "I need more data"
// is returned as it is.
func (f *frame) placed(n *node, err error) error {
	switch err := err.(type) { //nolint:errorlint // the scope's own, before anyone wrapped it
	case *UnresolvedError:
		if err.Line > 0 {
			return err
		}
		return unresolved(err.Path, f.src, n.pos, err.Msg)
	case *fault.Error:
		if slices.Contains([]fault.Kind{fault.Invalid, fault.Unsupported, fault.TooLarge, fault.NotFound}, err.Kind) {
			return f.failAt(err.Kind, n.pos, n.end, "%s", err.Error())
		}
	}
	return err
}

// argError is a misuse found by a method or functor, which knows no positions.
type argError struct {
	kind fault.Kind
	msg  string
}

func (e argError) Error() string { return e.msg }

// Unwrap gives the error its fault kind.
func (e argError) Unwrap() error { return fault.New(e.kind, "%s", e.msg) }

const (
	errSteps  = boundError("an evaluation may take 100000 steps")
	errMemory = boundError("an evaluation may make 64 MB of data")
)

// charge takes steps from the budget: one, and one more per KB worked on.
func (ev *evaluator) charge(bytes int) error {
	if ev.steps += 1 + bytes>>10; ev.steps > MaxSteps {
		return errSteps
	}
	return nil
}

// grow counts bytes that an operation made, since all may be kept until the end.
func (ev *evaluator) grow(bytes int) error {
	if ev.made += bytes; ev.made > MaxMemory {
		return errMemory
	}
	return nil
}

// eval evaluates a node to a value that is no Template.
func (f *frame) eval(n *node) (any, error) {
	if err := f.charge(0); err != nil {
		return nil, f.place(n, err)
	}
	switch n.kind {
	case kLit, kText:
		return n.val, nil
	case kParen:
		return f.eval(n.x)
	case kNested:
		f.inner++
		v, err := f.eval(n.x)
		f.inner--
		return v, err
	case kStr:
		return f.interpolate(n)
	case kName, kProp, kIndex:
		v, err := f.path(n)
		if err != nil {
			return nil, err
		}
		return f.whole(n, v)
	case kCall:
		return f.call(n)
	case kUnary:
		return f.unary(n)
	case kBinary:
		return f.binary(n)
	case kCond, kElse:
		return f.choose(n)
	case kList:
		return f.list(n)
	case kMap:
		return f.mapping(n)
	case kSet:
		return f.set(n)
	}
	return f.statement(n)
}

func (f *frame) list(n *node) ([]any, error) {
	list := make([]any, 0, len(n.list))
	for _, item := range n.list {
		v, err := f.eval(item)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// set is a list without what is in it already.
func (f *frame) set(n *node) (any, error) {
	all, err := f.list(n)
	if err != nil {
		return nil, err
	}
	set := make([]any, 0, len(all))
	for i, v := range all {
		if _, ok := v.(Secret); ok {
			return nil, f.secret(n.list[i])
		}
		at, err := f.indexOf(set, v)
		if err != nil {
			return nil, f.place(n, err)
		}
		if at < 0 {
			set = append(set, v)
		}
	}
	return set, nil
}

func (f *frame) mapping(n *node) (any, error) {
	m := &Map{}
	for pair := range slices.Chunk(n.list, 2) {
		k, err := f.eval(pair[0])
		if err != nil {
			return nil, err
		}
		key, err := f.key(pair[0], k)
		if err != nil {
			return nil, err
		}
		v, err := f.eval(pair[1])
		if err != nil {
			return nil, err
		}
		m.Set(key, v)
	}
	return m, nil
}

// interpolate joins the parts of a quoted string or a computed name.
func (f *frame) interpolate(n *node) (string, error) {
	var b strings.Builder
	for _, part := range n.list {
		v, err := f.eval(part)
		if err == nil {
			v, err = f.flat(part, v)
		}
		if err != nil {
			return "", err
		}
		s, err := f.text(v)
		if err != nil {
			return "", f.place(part, err)
		}
		if b.WriteString(s); b.Len() > MaxResult {
			return "", f.place(n, errTooLong)
		}
	}
	if err := f.grow(b.Len()); err != nil {
		return "", f.place(n, err)
	}
	return b.String(), f.place(n, f.charge(b.Len()))
}

// text formats a value within the bounds.
func (ev *evaluator) text(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		var w formatter
		if err := w.write(v, 0); err != nil {
			return "", err
		}
		s = w.b.String()
	}
	if len(s) > MaxResult {
		return "", errTooLong
	}
	return s, ev.charge(len(s))
}

// choose evaluates a ternary, ?: or ??. Only the branch taken is evaluated; the
// left side of ?: and ?? may be unresolved.
func (f *frame) choose(n *node) (any, error) {
	v, err := f.eval(n.x)
	if n.kind == kCond {
		if err != nil {
			return nil, err
		}
		yes, err := f.truth(n.x, v)
		if err != nil {
			return nil, err
		}
		return f.eval(pick(yes, n.y, n.z))
	}
	if isUnresolved(err) {
		v, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	if n.op == opElvis && truth(v) || n.op == opCoalesce && v != nil {
		return v, nil
	}
	return f.eval(n.y)
}

func (f *frame) truth(n *node, v any) (bool, error) {
	if _, ok := v.(Secret); ok {
		return false, f.secret(n)
	}
	return truth(v), nil
}

func (f *frame) secret(n *node) error {
	return f.fail(n, "expected a plain value, found a secret: secrets are resolved on the delegate only, so they can be spliced into text but not compared or combined")
}

// errDeferred carries the text that is left when a template uses deferred names.
type errDeferred struct{ text string }

func (e *errDeferred) Error() string { return "deferred: " + e.text }

func deferredText(err error) (string, bool) {
	if d, ok := errors.AsType[*errDeferred](err); ok {
		return d.text, true
	}
	return "", false
}
