package asl

import (
	"fmt"
	"slices"
	"strings"
)

// rule is one way out of a Choice state.
type rule struct {
	test test
	next string
}

// test is a condition: it holds, or fails with States.Runtime when its path
// leads nowhere.
type test func(input any, c *Context) (bool, *Failure)

func (l *loader) choice(s *state, n *node) {
	l.fields(n, "a Choice state", "Type", "Comment", "InputPath", "OutputPath", "Choices", "Default")
	l.inout(s, n)
	s.otherwise = l.text(n, "Default")
	items := l.list(n, "Choices")
	if len(items) == 0 {
		l.fail(n.at, "a Choice state needs Choices with at least one rule")
	}
	for _, item := range items {
		if item.kind != object {
			l.fail(item.at, "a choice rule must be an object, not %s", item.kind)
			continue
		}
		s.rules = append(s.rules, rule{l.test(item, true), l.required(item, "a choice rule", "Next")})
	}
}

// test compiles a rule; only one at the top has Next.
func (l *loader) test(n *node, top bool) test {
	never := func(any, *Context) (bool, *Failure) { return false, nil }
	if n.kind != object {
		l.fail(n.at, "a choice rule must be an object, not %s", n.kind)
		return never
	}
	own := []string{"Variable", "And", "Or", "Not"}
	if top {
		own = append(own, "Next", "Comment")
	}
	var operator *member
	for i, m := range n.members {
		if slices.Contains(own, m.name) && m.name != "And" && m.name != "Or" && m.name != "Not" {
			continue
		}
		if m.name == "Next" {
			l.fail(m.at, "only a rule of Choices itself has Next: move it up")
			continue
		}
		if operator != nil {
			l.fail(m.at, "a choice rule tests one thing, not %s and %s: combine rules with And", operator.name, m.name)
			continue
		}
		operator = &n.members[i]
	}
	if operator == nil {
		l.fail(n.at, "a choice rule needs And, Or, Not, or Variable and a comparison")
		return never
	}
	switch operator.name {
	case "And", "Or", "Not":
		if v := n.member("Variable"); v != nil {
			l.fail(v.at, "%s stands without Variable: remove it", operator.name)
		}
		return l.combined(operator)
	default:
		return l.compared(n, operator)
	}
}

func (l *loader) combined(m *member) test {
	if m.name == "Not" {
		inner := l.test(m.value, false)
		return func(input any, c *Context) (bool, *Failure) {
			ok, bad := inner(input, c)
			return !ok, bad
		}
	}
	if m.value.kind != array || len(m.value.items) == 0 {
		l.fail(m.value.at, "%s needs a list of at least one rule", m.name)
	}
	var inner []test
	for _, item := range m.value.items {
		inner = append(inner, l.test(item, false))
	}
	decisive := m.name == "Or" // the result that ends the evaluation
	return func(input any, c *Context) (bool, *Failure) {
		for _, t := range inner {
			if ok, bad := t(input, c); bad != nil || ok == decisive {
				return ok, bad
			}
		}
		return !decisive, nil
	}
}

// compared compiles Variable and one comparison with a literal or a path.
func (l *loader) compared(n *node, m *member) test {
	variable := whole
	if v := n.member("Variable"); v == nil {
		l.fail(n.at, "%s needs a Variable: name the path to test", m.name)
	} else if p := l.path(v.value, true); p != nil {
		variable = p
	}
	name, byPath := strings.CutSuffix(m.name, "Path")
	compare, wants := comparison(name)
	switch {
	case compare == nil || byPath && (strings.HasPrefix(name, "Is") || name == "StringMatches"):
		l.fail(m.at, "the comparison %q is not supported: use %s", m.name, supportedComparisons)
		return nil
	case byPath:
		other := l.path(m.value, true)
		return variable.against(compare, func(input any, c *Context) (any, *Failure) { return other.chosen(input, c) })
	case m.value.kind != wants:
		l.fail(m.value.at, "%s compares with %s, not %s", m.name, wants, m.value.kind)
		return nil
	case name == "IsPresent":
		return func(input any, c *Context) (bool, *Failure) {
			_, ok := variable.resolve(input, c)
			return ok == m.value.truth, nil
		}
	default:
		literal := m.value.plain()
		return variable.against(compare, func(any, *Context) (any, *Failure) { return literal, nil })
	}
}

func (p *path) against(compare func(a, b any) bool, other func(any, *Context) (any, *Failure)) test {
	return func(input any, c *Context) (bool, *Failure) {
		a, bad := p.chosen(input, c)
		if bad != nil {
			return false, bad
		}
		b, bad := other(input, c)
		if bad != nil {
			return false, bad
		}
		return compare(a, b), nil
	}
}

// chosen resolves a path of a choice rule; Step Functions fails the execution
// when it leads nowhere.
func (p *path) chosen(input any, c *Context) (any, *Failure) {
	v, ok := p.resolve(input, c)
	if !ok {
		return nil, &Failure{ErrRuntime, fmt.Sprintf("Invalid path '%s': the condition's path leads nowhere in the state's input", p.text)}
	}
	return v, nil
}
