package compile

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/strategy"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

var loopRules = rules{"matrix": {}, "repeat": {}, "parallelism": {}, "onFailure": {}, "when": {}, "description": {}, "maxConcurrency": {}}

// loop reads a node's looping strategy (BEHAVIOUR §10), nil when there is none or it
// is not well formed. One that is known already is held to its limits.
func (c *compiler) loop(m *yamldoc.Node, what string) *core.Loop {
	n := c.settled(m.Get("strategy"))
	if n == nil || c.empty(n) {
		return nil
	}
	if isExpression(n) {
		c.late(n, "strategy of "+what)
		return nil
	}
	if n.Kind != yamldoc.Map {
		c.errorf(n, CodeWrongType, "write matrix:, repeat: or parallelism: below strategy:", "strategy of %s is %s: expected a map", what, n.Kind)
		return nil
	}
	c.check(n, "the strategy of "+what, loopRules)
	l := &core.Loop{Pos: n.Pos}
	var body *yamldoc.Node
	for _, e := range n.Entries {
		switch kind := core.LoopKind(e.Key.Text); kind {
		case core.LoopMatrix, core.LoopRepeat, core.LoopParallelism:
			if body != nil {
				c.add(core.SeverityError, e.Value, e.Key.Pos, CodeValue, "the strategy of "+what+" holds both "+string(l.Kind)+" and "+string(kind), "keep one of them")
				return nil
			}
			l.Kind, body = kind, e.Value
		case core.LoopDeployment: // nobody writes it
		}
	}
	if body == nil {
		c.errorf(n, CodeMissingField, "add matrix:, repeat: or parallelism:", "the strategy of %s says nothing to loop over", what)
		return nil
	}
	c.onFailure(n, l, what)
	l.When = c.condition(n, "when", "the strategy of "+what)
	r := loopReader{c, l, what}
	if in := c.missing[body]; in != nil {
		c.missingInput(body, in)
		return nil
	}
	var ok bool
	switch l.Kind {
	case core.LoopMatrix:
		ok = r.matrix(body)
	case core.LoopRepeat:
		ok = r.repeat(body)
	case core.LoopParallelism:
		l.Times, ok = r.number(body, "parallelism")
	case core.LoopDeployment:
	}
	if m := n.Get("maxConcurrency"); m != nil && !c.empty(m) && l.MaxConcurrency == nil && l.Kind != core.LoopParallelism {
		var fine bool // written beside the loop instead of in it
		l.MaxConcurrency, fine = r.number(m, "maxConcurrency")
		ok = ok && fine
	}
	c.expressionsOf(n, "when")
	if !ok || !c.bounded(body, l) {
		return nil
	}
	return l
}

// expressionsOf checks the expressions below a map but those of one field.
func (c *compiler) expressionsOf(m *yamldoc.Node, except string) {
	for _, e := range m.Entries {
		if e.Key.Text != except {
			c.expressions(e.Value)
		}
	}
}

// onFailure reads what becomes of iterations that wait when one fails.
func (c *compiler) onFailure(n *yamldoc.Node, l *core.Loop, what string) {
	switch f := c.settled(n.Get("onFailure")); {
	case f == nil || c.empty(f) || f.Text == "RunAll":
	case f.Text == "SkipQueued":
		l.SkipQueued = true
	case isExpression(f):
		c.late(f, "onFailure of the strategy of "+what)
	default:
		c.errorf(f, CodeValue, "", "onFailure of the strategy of %s is %q: expected RunAll or SkipQueued", what, f.Text)
	}
}

// bounded expands a loop that needs no results and reports whether that is allowed.
func (c *compiler) bounded(n *yamldoc.Node, l *core.Loop) bool {
	if len(strategy.Needs(l)) > 0 {
		return true
	}
	_, err := strategy.Expand(l, strategy.Values{})
	if err == nil {
		return true
	}
	code := CodeValue
	if fault.Is(err, fault.TooLarge) {
		code = CodeTooMany
	}
	c.errorf(n, code, "", "%v", err)
	return false
}

// loopReader reads the body of a loop.
type loopReader struct {
	c    *compiler
	l    *core.Loop
	what string
}

func (r loopReader) matrix(n *yamldoc.Node) bool {
	c := r.c
	if isExpression(n) {
		r.l.Matrix = n.Text
		return true
	}
	if n.Kind != yamldoc.Map {
		_, ok := c.wrong(n, "matrix of "+r.what, "axes and their values")
		return ok
	}
	all := true
	for _, e := range n.Entries {
		ok := true
		switch e.Key.Text {
		case "exclude":
		case "maxConcurrency":
			r.l.MaxConcurrency, ok = r.number(e.Value, "maxConcurrency")
		case "nodeName":
			r.l.NodeName = c.plain(n, "nodeName")
		default:
			a := core.Axis{Name: e.Key.Text}
			a.List, ok = r.list(e.Value, "the axis "+e.Key.Text)
			r.l.Axes = append(r.l.Axes, a)
		}
		all = all && ok
	}
	if len(r.l.Axes) == 0 {
		c.errorf(n, CodeMissingField, "add an axis: a name and a list of values", "the matrix of %s has no axis", r.what)
		return false
	}
	return r.exclude(n.Get("exclude")) && all
}

func (r loopReader) exclude(n *yamldoc.Node) bool {
	c := r.c
	if n == nil || c.empty(n) {
		return true
	}
	if isExpression(n) {
		r.l.ExcludeExpr = n.Text
		return true
	}
	if n.Kind != yamldoc.List {
		_, ok := c.wrong(n, "exclude of "+r.what, "a list")
		return ok
	}
	for _, it := range n.Items {
		m, isMap := literal(it).(map[string]any)
		if !isMap {
			_, ok := c.wrong(it, "an item of exclude of "+r.what, "axes and their values")
			return ok
		}
		for _, e := range it.Entries {
			if !slices.ContainsFunc(r.l.Axes, func(a core.Axis) bool { return a.Name == e.Key.Text }) {
				c.add(core.SeverityWarning, e.Value, e.Key.Pos, CodeMeaning, "exclude names "+e.Key.Text+", which is no axis: it excludes nothing", "")
			}
		}
		r.l.Exclude = append(r.l.Exclude, m)
	}
	return true
}

var repeatRules = rules{"times": {}, "items": {}, "maxConcurrency": {}, "start": {}, "end": {}, "partitionSize": {}, "unit": {}, "nodeName": {}, "description": {}}

func (r loopReader) repeat(n *yamldoc.Node) bool {
	c := r.c
	if n.Kind != yamldoc.Map {
		_, ok := c.wrong(n, "repeat of "+r.what, "a map with times: or items:")
		return ok
	}
	c.check(n, "repeat of "+r.what, repeatRules)
	times, items := n.Get("times"), n.Get("items")
	var ok bool
	switch {
	case times != nil && items != nil:
		c.errorf(n, CodeValue, "keep one of them", "repeat of %s holds both times and items", r.what)
		return false
	case times != nil:
		r.l.Times, ok = r.number(times, "times")
	case items != nil:
		var list core.LoopList
		list, ok = r.list(items, "items of repeat")
		r.l.Items = &list
	default:
		c.errorf(n, CodeMissingField, "add times: or items:", "repeat of %s has neither times nor items", r.what)
		return false
	}
	for key, into := range map[string]**core.LoopNumber{
		"start": &r.l.Start, "end": &r.l.End, "partitionSize": &r.l.PartitionSize, "maxConcurrency": &r.l.MaxConcurrency,
	} {
		if v := n.Get(key); v != nil && !c.empty(v) {
			var fine bool
			*into, fine = r.number(v, key)
			ok = ok && fine
		}
	}
	r.l.NodeName = c.plain(n, "nodeName")
	switch u := n.Get("unit"); {
	case u == nil || c.empty(u) || u.Text == "Count":
	case u.Text == "Percentage":
		r.l.Percent = true
	default:
		c.errorf(u, CodeValue, "", "unit of %s is %q: expected Count or Percentage", r.what, u.Text)
		ok = false
	}
	return ok
}

// number reads a whole number of 0 or more, or an expression for one.
func (r loopReader) number(n *yamldoc.Node, what string) (*core.LoopNumber, bool) {
	if in := r.c.missing[n]; in != nil {
		r.c.missingInput(n, in)
		return nil, false
	}
	if isExpression(n) {
		return &core.LoopNumber{Expr: n.Text}, true
	}
	f, err := strconv.ParseFloat(n.Text, 64)
	if !n.Scalar() || err != nil || f != math.Trunc(f) || f < 0 || f > math.MaxInt32 {
		r.c.wrong(n, what+" of "+r.what, "a whole number")
		return nil, false
	}
	return &core.LoopNumber{Value: int(f)}, true
}

// list reads a list of values, or an expression for one.
func (r loopReader) list(n *yamldoc.Node, what string) (core.LoopList, bool) {
	if in := r.c.missing[n]; in != nil {
		r.c.missingInput(n, in)
		return core.LoopList{}, false
	}
	if isExpression(n) || n.Kind == yamldoc.String && strings.HasPrefix(strings.TrimSpace(n.Text), "[") {
		return core.LoopList{Expr: n.Text}, true
	}
	if n.Kind != yamldoc.List {
		r.c.wrong(n, what+" of "+r.what, "a list")
		return core.LoopList{}, false
	}
	values, _ := literal(n).([]any)
	return core.LoopList{Values: values}, true
}
