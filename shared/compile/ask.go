package compile

import (
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// ask is what is asked for while running.
func (in *input) ask() core.Ask {
	a := core.Ask{Path: in.path, One: in.one, Many: in.many, Regex: in.regex, Pos: in.pos}
	if in.hasDefault {
		a.Default = &in.def
	}
	return a
}

// whileRunning reports whether the input is asked for when its node starts. The
// pipeline's own variables are needed from the first moment on: they are given with
// the run, as any runtime input.
func (in *input) whileRunning() bool {
	return in.execution && !strings.HasPrefix(in.path, "variables.")
}

// postpone puts the expression in an input's place that its value is read by.
func (c *compiler) postpone(in *input) {
	with := yamldoc.NewString(core.AskExpression(in.path), in.pos)
	c.cause(with, ByNobody)
	c.put(in, with)
	c.postponed = append(c.postponed, in)
}

// asks puts what is asked for while running on the nodes that read it; where nothing
// waits for it, it is refused.
func (c *compiler) asks(plan *core.Plan) {
	if len(c.postponed) == 0 || plan == nil || plan.Root == nil {
		return
	}
	left := map[string]*input{}
	for _, in := range c.postponed {
		left[in.path] = in
	}
	all := map[string]*input{}
	for path, in := range left {
		all[path] = in
	}
	plan.Root.Walk(func(n *core.Node) {
		for _, path := range askedBy(n) {
			if in := all[path]; in != nil && n.Kind != core.KindPipeline && left[path] != nil {
				n.Asks = append(n.Asks, in.ask())
				delete(left, path)
			}
		}
	})
	for _, in := range c.postponed {
		if left[in.path] != nil {
			c.unexecuted(in.node, in.pos, "executionInput() here: a step's spec, the variables of a stage or step group and the inputs of a pipeline that a stage runs may ask while running")
		}
	}
}

// askedBy are the values that a node's own fields ask for, in their order.
func askedBy(n *core.Node) (paths []string) {
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case string:
			paths = append(paths, core.AskedIn(v)...)
		case []any:
			for _, e := range v {
				look(e)
			}
		case map[string]any:
			for _, k := range keys(v) {
				look(v[k])
			}
		}
	}
	for _, v := range n.Variables {
		look(v.Value)
	}
	look(n.Spec)
	if n.Chain != nil {
		for _, k := range slices.Sorted(maps.Keys(n.Chain.Inputs)) {
			look(n.Chain.Inputs[k])
		}
	}
	return paths
}
