package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/steps"
	"github.com/slipway-cd/slipway/shared/target"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// claim is a step that waits for a lock that is known before the run.
type claim struct {
	n, stage *core.Node
	lock     string // in words, the same for the same lock
	scope    core.LockScope
}

// maxClaims is among how many claims an order is looked for.
const maxClaims = 200

// lockOrder finds steps that would wait for one another: for ever, or when two runs or
// stages meet (BEHAVIOUR §11).
func (c *compiler) lockOrder(p *yamldoc.Node, root *core.Node) {
	var claims []claim
	above := map[*core.Node]*core.Node{}
	collect(root, nil, above, &claims)
	if len(claims) > maxClaims || len(claims) < 2 {
		return
	}
	o := &order{c, p, above, claims}
	o.behindBarriers()
	o.circles()
}

// collect finds the claims at and below n in plan order.
func collect(n, stage *core.Node, above map[*core.Node]*core.Node, claims *[]claim) {
	if n.Kind == core.KindStage {
		stage = n
	}
	if name := lockOf(n, stage); name != "" {
		scope, _ := n.Spec["scope"].(string)
		*claims = append(*claims, claim{n, stage, name, core.LockScope(scope)})
	}
	for _, ch := range n.Children {
		above[ch] = n
		collect(ch, stage, above, claims)
	}
}

// lockOf says what a step waits for, "" when that is known only in the run.
func lockOf(n, stage *core.Node) string {
	switch n.Type {
	case "Queue":
		if key, ok := n.Spec["key"].(string); ok && !strings.Contains(key, "<+") {
			return "the key " + key
		}
	case steps.InfrastructureLock:
		return placed(stage.Target)
	}
	return ""
}

// placed is the infrastructure of a stage that deploys one service to one place, as long
// as all that makes it the same as another's is literal.
func placed(t *core.Target) string {
	if strings.Contains(t.Service+t.Environment+t.Infrastructure, "<+") || len(t.Infrastructures) != 1 {
		return ""
	}
	in := t.Infrastructures[0]
	words := []string{"the infrastructure", t.Infrastructure, "of", t.Environment, "with service", t.Service}
	for _, f := range target.KeyFields(&in) {
		if text, ok := in.Spec[f].(string); ok && strings.Contains(text, "<+") {
			return ""
		}
	}
	return strings.Join(words, " ")
}

// order is the claims of a pipeline, to be compared.
type order struct {
	c      *compiler
	p      *yamldoc.Node
	above  map[*core.Node]*core.Node
	claims []claim
}

// precedes reports whether a has ended before b starts. maybe says that conditions
// decide whether both run.
func (o *order) precedes(a, b *core.Node) (is, maybe bool) {
	serial, maybe := oneBehindTheOther(a, b, o.above)
	return serial && slices.IndexFunc(o.claims, func(c claim) bool { return c.n == a }) < slices.IndexFunc(o.claims, func(c claim) bool { return c.n == b }), maybe
}

// behindBarriers finds steps of one barrier that are behind one lock in two stages: who
// has it waits at the barrier for the one who waits for it.
func (o *order) behindBarriers() {
	for i, b := range o.c.meetings {
		for _, a := range o.c.meetings[:i] {
			if a.ref.Text != b.ref.Text {
				continue
			}
			if first, second, maybe, found := o.bothBehind(a.n, b.n); found {
				sev, msg := core.SeverityError, fmt.Sprintf("steps %s and %s can never meet at barrier %q: each stands behind %s, which only one of their stages has at a time",
					a.n.Identifier, b.n.Identifier, b.ref.Text, first.lock)
				if maybe {
					sev, msg = core.SeverityWarning, msg+", unless a condition skips one of them"
				}
				o.c.add(sev, o.p, second.n.Pos, CodeDeadlock, msg, "meet before waiting in line")
				return
			}
		}
	}
}

// bothBehind finds a lock that is held by the stage of each of two steps when it comes
// to them.
func (o *order) bothBehind(a, b *core.Node) (first, second claim, maybe, found bool) {
	for _, x := range o.claims {
		for _, y := range o.claims {
			if x.lock != y.lock || x.stage == y.stage || x.scope != core.ScopeStage || y.scope != core.ScopeStage {
				continue
			}
			xs, m1 := o.holds(x, a)
			ys, m2 := o.holds(y, b)
			if xs && ys {
				return x, y, m1 || m2, true
			}
		}
	}
	return claim{}, claim{}, false, false
}

// holds reports whether a claim's stage is that of a step and the claim comes before it.
func (o *order) holds(x claim, step *core.Node) (is, maybe bool) {
	for _, n := range []*core.Node{step, x.n} {
		for ; n != nil && n != x.stage; n = o.above[n] {
			maybe = maybe || n.When != nil && (n.When.Condition != "" || n.Type != steps.InfrastructureLock)
		}
		if n == nil {
			return false, false
		}
	}
	serial, _ := oneBehindTheOther(x.n, step, o.above)
	return serial && before(x.n, step, x.stage), maybe || x.stage.When != nil
}

// before reports whether a stands before b below n.
func before(a, b, n *core.Node) bool {
	first := (*core.Node)(nil)
	n.Walk(func(x *core.Node) {
		if first == nil && (x == a || x == b) {
			first = x
		}
	})
	return first == a
}

// circles finds locks that are asked for in different orders.
func (o *order) circles() {
	type edge struct{ from, to claim }
	next := map[string][]edge{}
	for _, a := range o.claims {
		for _, b := range o.claims {
			if a.lock == b.lock || !o.whileHeld(a, b) {
				continue
			}
			if !slices.ContainsFunc(next[a.lock], func(e edge) bool { return e.to.lock == b.lock }) {
				next[a.lock] = append(next[a.lock], edge{a, b})
			}
		}
	}
	for _, a := range o.claims {
		for _, e := range next[a.lock] {
			for _, back := range next[e.to.lock] {
				if back.to.lock == a.lock {
					o.c.add(core.SeverityWarning, o.p, back.to.n.Pos, CodeDeadlock, fmt.Sprintf("step %s may wait for %s while %s is held, and step %s for %s while %s is held: two that meet wait for each other until a timeout passes",
						e.to.n.Identifier, e.to.lock, a.lock, back.to.n.Identifier, back.to.lock, e.to.lock), "ask for them in the same order everywhere")
					return
				}
			}
		}
	}
}

// whileHeld reports whether b may be waited for while a is held by the same run.
func (o *order) whileHeld(a, b claim) bool {
	if a.scope == core.ScopeStage && a.stage != b.stage {
		return false
	}
	earlier, _ := o.precedes(b.n, a.n)
	return a.n != b.n && !earlier
}
