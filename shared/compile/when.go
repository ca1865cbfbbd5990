package compile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// What the engine executes of what is parsed. The rest of it is in plans for people
// to look at and refused for runs: when the engine has it, its switch is turned.
var executed = struct{ chains, conditions, failureStrategies, loops, rollback bool }{chains: true, conditions: true, failureStrategies: true, loops: true, rollback: true}

// notExecuted are the actions that the engine does not take yet.
var notExecuted = []core.ActionType{}

// unexecuted names a part that is valid and in the plan, and that a run would leave
// out: no run is let begin with it.
func (c *compiler) unexecuted(n *yamldoc.Node, pos core.Position, what string) {
	what = strings.TrimPrefix(what, notSupported)
	if c.opt.Lenient {
		c.add(core.SeverityWarning, n, pos, CodeNotExecuted, "a run refuses this, as it is not executed yet: "+what, "")
		return
	}
	c.unsupported(n, pos, what)
}

// late names an expression that is known only during the run, for something that has
// to be known before it.
func (c *compiler) late(n *yamldoc.Node, what string) {
	c.unexecuted(n, n.Pos, "an expression as "+what+" that is known only during the run")
}

// unless returns what is refused unless the engine executes it.
func unless(executed bool, what string) string {
	if executed {
		return ""
	}
	return what
}

var whenStatuses = []core.WhenStatus{core.WhenSuccess, core.WhenFailure, core.WhenAll}

// when reads a node's condition, nil when it has none of its own. key is how its
// status is called: pipelineStatus or stageStatus (BEHAVIOUR §9.1).
func (c *compiler) when(m *yamldoc.Node, key, what string) *core.When {
	n := c.settled(m.Get("when"))
	if n == nil || c.empty(n) {
		return nil
	}
	if isExpression(n) {
		c.late(n, "when of "+what)
		return nil
	}
	if n.Kind != yamldoc.Map {
		c.errorf(n, CodeWrongType, "write "+key+": below when:", "when of %s is %s: expected a map", what, n.Kind)
		return nil
	}
	for _, e := range n.Entries {
		if k := e.Key.Text; k != key && k != "condition" {
			c.unknownField(e, "when of "+what, []string{key, "condition"})
		}
	}
	w := &core.When{Pos: n.Pos}
	if _, s := c.scalar(n, key, "when of "+what); s != nil {
		s = c.settled(s)
		w.Status = core.WhenStatus(s.Text)
		switch {
		case isExpression(s):
			c.late(s, key+" of "+what)
		case !slices.Contains(whenStatuses, w.Status):
			c.errorf(s, CodeValue, "", "%s of %s is %q: expected Success, Failure or All", key, what, s.Text)
		}
	}
	w.Condition = c.condition(n, "condition", what)
	return w
}

// condition reads an optional condition and checks that it can be read.
func (c *compiler) condition(m *yamldoc.Node, key, what string) string {
	n := m.Get(key)
	if n == nil || c.empty(n) {
		return ""
	}
	if !n.Scalar() {
		c.errorf(n, CodeWrongType, "", "%s of %s is %s: expected an expression", key, what, n.Kind)
		return ""
	}
	_, err := expr.ConditionRefs(n.Text)
	if err == nil {
		return n.Text
	}
	pos, msg := n.Pos, err.Error()
	var ee *expr.Error
	if errors.As(err, &ee) {
		pos, msg = n.PosAt(place(n.Text, ee)), ee.Msg
	}
	if fault.Is(err, fault.Unsupported) {
		c.unexecuted(n, pos, msg)
	} else {
		c.add(core.SeverityError, n, pos, CodeExpression, fmt.Sprintf("the %s of %s cannot be read: %s", key, what, msg), "")
	}
	return n.Text
}
