package compile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// owner is the node whose failure strategies are read.
type owner struct {
	what     string // in words
	kind     core.NodeKind
	rollback bool // it is a rollback step, or below one
}

// failures reads a list of failure strategies (BEHAVIOUR §8), nil when there is none.
func (c *compiler) failures(m *yamldoc.Node, o owner) []core.FailureStrategy {
	n := c.settled(m.Get("failureStrategies"))
	if n == nil || c.empty(n) {
		return nil
	}
	if isExpression(n) {
		c.late(n, "failureStrategies of "+o.what)
		return nil
	}
	if n.Kind != yamldoc.List {
		c.errorf(n, CodeWrongType, "write - onFailure: for each", "failureStrategies of %s is %s: expected a list", o.what, n.Kind)
		return nil
	}
	var out []core.FailureStrategy
	for _, it := range n.Items {
		what := "a failure strategy of " + o.what
		if it.Kind != yamldoc.Map {
			c.errorf(it, CodeWrongType, "write - onFailure:", "%s is %s: expected a map", what, it.Kind)
			continue
		}
		c.check(it, what, rules{"onFailure": {}, "description": {}})
		on := c.mapAt(it, "onFailure", what)
		if on == nil {
			continue
		}
		c.check(on, what, rules{"errors": {}, "action": {}, "description": {}})
		s := core.FailureStrategy{Pos: it.Pos, Errors: c.errorTypes(on, what)}
		if a := c.mapAt(on, "action", what); a != nil {
			s.Action, _ = c.action(a, o)
			c.suits(a, s, o)
		}
		out = append(out, s)
	}
	return out
}

// errorTypes reads the types of failure a strategy is for.
func (c *compiler) errorTypes(on *yamldoc.Node, what string) []core.ErrorType {
	list := c.listAt(on, "errors", what)
	if list == nil {
		return nil
	}
	if len(list.Items) == 0 {
		c.warnf(list, CodeMeaning, "name types of failure, or AllErrors", "%s names no type of failure: it never applies", what)
	}
	known := make([]string, len(core.ErrorTypes))
	for i, t := range core.ErrorTypes {
		known[i] = string(t)
	}
	var out []core.ErrorType
	for _, it := range list.Items {
		switch {
		case !it.Scalar():
			c.errorf(it, CodeWrongType, "", "a type of failure in %s is %s: expected a string", what, it.Kind)
		case it.Text == "AnyOther": // its former name
			out = append(out, core.AllErrors)
		case slices.Contains(known, it.Text):
			out = append(out, core.ErrorType(it.Text))
		default:
			help := "known types: " + strings.Join(known, ", ")
			if near := nearest(it.Text, known); near != "" {
				help = "did you mean " + near + "?"
			}
			c.errorf(it, CodeValue, help, "%q is not a type of failure", it.Text)
		}
	}
	return out
}

// action reads an action and what follows it; ok is false when it is none.
func (c *compiler) action(a *yamldoc.Node, o owner) (core.FailureAction, bool) {
	var out core.FailureAction
	what := "an action of " + o.what
	c.check(a, what, rules{"type": {}, "spec": {}, "description": {}})
	typ, n := c.scalar(a, "type", what)
	if n == nil {
		return out, false
	}
	known := make([]string, len(core.ActionTypes))
	for i, t := range core.ActionTypes {
		known[i] = string(t)
	}
	if !slices.Contains(known, typ) {
		help := "known actions: " + strings.Join(known, ", ")
		if near := nearest(typ, known); near != "" {
			help = "did you mean " + near + "?"
		}
		c.errorf(n, CodeUnknownType, help, "%q is not an action", typ)
		return out, false
	}
	out.Type = core.ActionType(typ)
	if o.rollback && (out.Type == core.ActionStageRollback || out.Type == core.ActionPipelineRollback) {
		c.warnf(n, CodeMeaning, "write MarkAsFailure", "%s in a rollback acts as MarkAsFailure", typ)
	}
	if slices.Contains(notExecuted, out.Type) {
		c.unexecuted(n, n.Pos, "the action "+typ)
	}
	switch out.Type {
	case core.ActionRetry, core.ActionRetryStepGroup:
		c.retry(a, &out, o)
	case core.ActionManualIntervention:
		c.intervention(a, &out, o)
	case core.ActionPipelineRollback:
		if spec := a.Get("spec"); spec != nil && !c.empty(spec) {
			c.check(spec, "the spec of PipelineRollback", rules{"failAll": {}})
			out.FailAll = textAt(spec, "failAll") == "true"
		}
	default:
		if spec := a.Get("spec"); spec != nil && !c.empty(spec) && spec.Kind == yamldoc.Map {
			c.check(spec, "the spec of "+typ, nil)
		}
	}
	return out, true
}

func (c *compiler) retry(a *yamldoc.Node, out *core.FailureAction, o owner) {
	what := "the spec of " + string(out.Type) + " of " + o.what
	spec := c.mapAt(a, "spec", "the action "+string(out.Type)+" of "+o.what)
	if spec == nil {
		return
	}
	fields := rules{"retryCount": {}, "retryIntervals": {}}
	if out.Type == core.ActionRetry {
		fields["onRetryFailure"], fields["condition"] = rule{}, rule{}
	}
	c.check(spec, what, fields)
	if _, n := c.scalar(spec, "retryCount", what); n != nil {
		n = c.settled(n)
		count, err := strconv.Atoi(n.Text)
		switch {
		case isExpression(n):
			c.late(n, "retryCount of "+o.what)
		case err != nil || count < 0:
			c.wrong(n, "retryCount of "+o.what, "a whole number")
		default:
			out.Retries = count
		}
	}
	if list := c.listAt(spec, "retryIntervals", what); list != nil {
		for _, it := range list.Items {
			out.Intervals = append(out.Intervals, c.fixedDuration(it, "an item of retryIntervals of "+o.what))
		}
	}
	if out.Type == core.ActionRetryStepGroup {
		return
	}
	out.Condition = c.condition(spec, "condition", "Retry of "+o.what)
	out.Then = c.then(spec, "onRetryFailure", out.Type, o)
	if out.Then.Type == core.ActionRetry {
		c.errorf(spec.At("onRetryFailure", "action"), CodeValue, "choose another action", "what follows a Retry of %s cannot be another Retry", o.what)
	}
}

func (c *compiler) intervention(a *yamldoc.Node, out *core.FailureAction, o owner) {
	what := "the spec of ManualIntervention of " + o.what
	spec := c.mapAt(a, "spec", "the action ManualIntervention of "+o.what)
	if spec == nil {
		return
	}
	c.check(spec, what, rules{"timeout": {}, "onTimeout": {}, "allowedActions": {}})
	if _, n := c.scalar(spec, "timeout", what); n != nil {
		out.Timeout = c.fixedDuration(n, "timeout of ManualIntervention of "+o.what)
	}
	if list := spec.Get("allowedActions"); list != nil {
		for _, t := range c.texts(list, "allowedActions") {
			if !slices.Contains(core.ActionTypes, core.ActionType(t)) {
				c.errorf(list, CodeUnknownType, "", "allowedActions of %s holds %q: it is not an action", o.what, t)
			}
			out.Allowed = append(out.Allowed, core.ActionType(t))
		}
	}
	out.Then = c.then(spec, "onTimeout", out.Type, o)
	if t := out.Then; t.Type == core.ActionManualIntervention || t.Type == core.ActionRetry && t.Then != nil && t.Then.Type == core.ActionManualIntervention {
		c.errorf(spec.At("onTimeout", "action"), CodeValue, "choose another action", "what follows a ManualIntervention of %s cannot wait for a person again", o.what)
	}
}

// then reads the action that follows another; without one it is MarkAsFailure.
func (c *compiler) then(spec *yamldoc.Node, key string, after core.ActionType, o owner) *core.FailureAction {
	a := spec.At(key, "action")
	if a == nil || c.empty(a) {
		at := spec
		if n := spec.Get(key); n != nil {
			at = n
		}
		c.warnf(at, CodeMeaning, "add "+key+": {action: {type: …}}", "%s of %s has no %s.action: MarkAsFailure is what follows", after, o.what, key)
		return &core.FailureAction{Type: core.ActionMarkAsFailure}
	}
	if a.Kind != yamldoc.Map {
		c.errorf(a, CodeWrongType, "write type: below action:", "action of %s is %s: expected a map", key, a.Kind)
		return &core.FailureAction{}
	}
	out, _ := c.action(a, o)
	return &out
}

// suits warns of an action that cannot do anything where it stands.
func (c *compiler) suits(a *yamldoc.Node, s core.FailureStrategy, o owner) {
	n := a.Get("type")
	switch {
	case s.Action.Type == core.ActionProceedDefault && slices.ContainsFunc(s.Errors, func(t core.ErrorType) bool { return t != core.InputTimeoutError }):
		c.warnf(n, CodeMeaning, "name InputTimeoutError alone", "ProceedWithDefaultValues acts on InputTimeoutError only")
	case s.Action.Type == core.ActionRetryStepGroup && o.kind != core.KindGroup:
		c.warnf(n, CodeMeaning, "write it at the step group", "RetryStepGroup of %s runs the group around the failed step again, and is MarkAsFailure where there is none", o.what)
	}
}
