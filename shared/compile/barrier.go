package compile

import (
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/steps"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// meeting is a Barrier step of the pipeline.
type meeting struct {
	n   *core.Node
	ref *yamldoc.Node
}

// waitsAt notes a step that waits at a barrier.
func (c *compiler) waitsAt(n *core.Node, spec *yamldoc.Node, rollback bool) {
	if steps.BarrierRef(n.Type, n.Spec) == "" {
		return
	}
	ref := spec.Get("barrierRef")
	if rollback {
		c.unexecuted(ref, n.Pos, "a Barrier step among rollback steps")
		return
	}
	c.meetings = append(c.meetings, meeting{n, ref})
}

// barriers checks that every Barrier step refers to a barrier of the pipeline and that
// those of one barrier can meet (BEHAVIOUR §11.1).
func (c *compiler) barriers(p *yamldoc.Node, root *core.Node) {
	declared := c.declaredBarriers(p)
	above := map[*core.Node]*core.Node{}
	root.Walk(func(n *core.Node) {
		for _, ch := range n.Children {
			above[ch] = n
		}
	})
	byRef := map[string][]meeting{}
	var order []string
	for _, m := range c.meetings {
		switch loop := looped(m.n, above); {
		case !declared[m.ref.Text]:
			c.errorf(m.ref, CodeNotFound, "add it to flowControl.barriers of the pipeline", "there is no barrier %q", m.ref.Text)
			continue
		case loop != nil:
			c.errorf(m.ref, CodeValue, "take it out of the loop", "step %s waits at a barrier inside the loop of %s", m.n.Identifier, loop.Identifier)
		}
		if byRef[m.ref.Text] == nil {
			order = append(order, m.ref.Text)
		}
		byRef[m.ref.Text] = append(byRef[m.ref.Text], m)
	}
	for _, ref := range order {
		c.meet(byRef[ref], above)
	}
}

// declaredBarriers are the identifiers of flowControl.barriers.
func (c *compiler) declaredBarriers(p *yamldoc.Node) map[string]bool {
	declared, seen := map[string]bool{}, newIDs()
	fc := p.Get("flowControl")
	if fc == nil || c.empty(fc) {
		return declared
	}
	if fc.Kind != yamldoc.Map {
		c.wrong(fc, "flowControl", "a map")
		return declared
	}
	c.check(fc, "flowControl", rules{"barriers": {}})
	list := fc.Get("barriers")
	if list == nil || c.empty(list) {
		return declared
	}
	if list.Kind != yamldoc.List {
		c.wrong(list, "barriers", "a list")
		return declared
	}
	for _, it := range list.Items {
		if it.Kind != yamldoc.Map {
			c.wrong(it, "an item of barriers", "a map")
			continue
		}
		c.check(it, "the barrier", rules{"identifier": {}, "name": {}})
		id, node := c.identifier(it, "the barrier")
		c.unique(seen, id, node, "barrier", "this pipeline")
		declared[id] = true
	}
	return declared
}

// looped is the innermost node at or above n that is run several times, nil for none.
func looped(n *core.Node, above map[*core.Node]*core.Node) *core.Node {
	for ; n != nil; n = above[n] {
		if n.Loop != nil {
			return n
		}
	}
	return nil
}

// meet says when two steps that wait for one another stand one behind the other: the
// first is never passed. Conditions may take one of them away.
func (c *compiler) meet(list []meeting, above map[*core.Node]*core.Node) {
	if len(list) == 1 {
		c.warnf(list[0].ref, CodeMeaning, "let a parallel stage or branch wait at it too", "nobody else waits at barrier %q: the step goes on at once", list[0].ref.Text)
	}
	for i, b := range list {
		for _, a := range list[:i] {
			serial, maybe := oneBehindTheOther(a.n, b.n, above)
			switch help := "put them in stages or branches that run in parallel"; {
			case !serial:
			case maybe:
				c.warnf(b.ref, CodeDeadlock, help, "step %s waits at barrier %q for step %s, which stands behind it unless a condition skips one of them", a.n.Identifier, b.ref.Text, b.n.Identifier)
			default:
				c.errorf(b.ref, CodeDeadlock, help, "step %s can never be reached: before it step %s waits for it at barrier %q", b.n.Identifier, a.n.Identifier, b.ref.Text)
			}
			if serial {
				return // one is enough
			}
		}
	}
}

// oneBehindTheOther reports whether a has to end before b may start. maybe says that a
// condition decides whether both of them run.
func oneBehindTheOther(a, b *core.Node, above map[*core.Node]*core.Node) (serial, maybe bool) {
	around := map[*core.Node]bool{}
	for n := a; n != nil; n = above[n] {
		around[n] = true
	}
	shared := b
	for !around[shared] {
		maybe = maybe || shared.When != nil
		shared = above[shared]
	}
	for n := a; n != shared; n = above[n] {
		maybe = maybe || n.When != nil
	}
	return shared.Kind != core.KindParallel, maybe
}
