package asl

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// MaxDefinitionBytes bounds a definition, as Step Functions does.
const MaxDefinitionBytes = 1 << 20

// Parse reads a definition. file names it in messages; values are what ${Name}
// stands for. The error wraps Problems and is fault.Invalid.
func Parse(file string, definition []byte, values map[string]string) (*Machine, error) {
	if len(definition) > MaxDefinitionBytes {
		return nil, Problems{{file, 1, 1, fmt.Sprintf("the definition is over %d bytes: split the machine", MaxDefinitionBytes)}}.asError()
	}
	src, problems := substitute(file, definition, values)
	l := &loader{src: src, problems: problems}
	m := &Machine{text: src.text, digest: digest(src.text), states: map[string]*state{}}
	r := &reader{text: src.text, fail: l.fail}
	if root, err := r.document(); err == nil {
		l.machine(m, root)
	}
	sort.SliceStable(l.problems, func(i, j int) bool {
		a, b := l.problems[i], l.problems[j]
		return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
	})
	if err := l.problems.asError(); err != nil {
		return nil, err
	}
	return m, nil
}

// loader turns nodes into a machine and gathers every problem on the way.
type loader struct {
	src      *source
	problems Problems
}

func (l *loader) fail(at int, format string, args ...any) {
	l.problems = append(l.problems, l.src.problem(at, fmt.Sprintf(format, args...)))
}

// hints say what to do about fields of the language that are not supported.
var hints = map[string]string{
	"QueryLanguage":  "remove it: JSONPath is what is used",
	"Arguments":      "that is JSONata: use Parameters",
	"Output":         "that is JSONata: use ResultSelector, ResultPath and OutputPath",
	"Condition":      "that is JSONata: use Variable and a comparison",
	"Assign":         "variables are not supported: carry the value in the state's data",
	"Credentials":    "tasks run in the machine's own account: remove it",
	"Result":         "Pass states are not supported: let a function return it",
	"Seconds":        "Wait states are not supported: use a task that waits for a token, with TimeoutSecondsPath",
	"Branches":       "Parallel states are not supported: let the engine start executions",
	"Iterator":       "Map states are not supported: let the engine start executions",
	"ItemProcessor":  "Map states are not supported: let the engine start executions",
	"ResultSelector": "only a Task has one",
	"Parameters":     "only a Task has them",
}

// fields refuses what is not an object or has members other than those allowed.
func (l *loader) fields(n *node, what string, allowed ...string) bool {
	if n.kind != object {
		l.fail(n.at, "%s must be an object, not %s", what, n.kind)
		return false
	}
	for _, m := range n.members {
		if slices.Contains(allowed, m.name) {
			continue
		}
		hint, ok := hints[m.name]
		if !ok {
			hint = "remove it; allowed here: " + strings.Join(allowed, ", ")
		}
		l.fail(m.at, "%s cannot have %q: %s", what, m.name, hint)
	}
	return true
}

// text returns a member's string, "" when absent.
func (l *loader) text(n *node, name string) string {
	m := n.member(name)
	if m == nil {
		return ""
	}
	if m.value.kind != text || m.value.text == "" {
		l.fail(m.value.at, "%s must be a string that is not empty", name)
	}
	return m.value.text
}

// required is text for a member that must be there.
func (l *loader) required(n *node, what, name string) string {
	if n.member(name) == nil {
		l.fail(n.at, "%s has no %s: add it", what, name)
	}
	return l.text(n, name)
}

// maxSeconds is the largest time-out of Step Functions.
const maxSeconds = 99_999_999

// whole returns a member's whole number, or absent when there is none.
func (l *loader) whole(n *node, name string, least, most, absent int) int {
	m := n.member(name)
	if m == nil {
		return absent
	}
	v, err := strconv.Atoi(m.value.text)
	if m.value.kind != number || err != nil || v < least || v > most {
		l.fail(m.value.at, "%s must be a whole number from %d to %d", name, least, most)
		return absent
	}
	return v
}

func (l *loader) seconds(n *node, name string) time.Duration {
	return time.Duration(l.whole(n, name, 1, maxSeconds, 0)) * time.Second
}

// path reads a reference path, nil after a problem.
func (l *loader) path(n *node, context bool) *path {
	if n.kind != text {
		l.fail(n.at, "a path must be a string such as \"$.a.b\", not %s", n.kind)
		return nil
	}
	p, err := parsePath(n.text)
	switch {
	case err != nil:
		l.fail(n.at, "%v", err)
	case p.context && !context:
		l.fail(n.at, "%q reads the context object, which cannot stand here: begin with a single $", n.text)
	case p.context && !p.known():
		l.fail(n.at, "%q is not in the context object; it has %s", n.text, contextHint())
	default:
		return p
	}
	return nil
}

// optionalPath reads a member that is a path or null: absent is $, null is nil.
func (l *loader) optionalPath(n *node, name string, context bool) *path {
	m := n.member(name)
	switch {
	case m == nil:
		return whole
	case m.value.kind == null:
		return nil
	default:
		return l.path(m.value, context)
	}
}
