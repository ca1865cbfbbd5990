package compile

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/steps"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

var stepRules = rules{
	"type": {}, "identifier": {}, "name": {}, "description": {}, "spec": {}, "timeout": {}, "tags": {},
	"when":              {refuse: unless(executed.conditions, "when: a condition of a step"), noop: whenSuccess("stageStatus")},
	"failureStrategies": {refuse: unless(executed.failureStrategies, "failureStrategies of a step")},
	"strategy":          {refuse: unless(executed.loops, "strategy: looping over a step")},
	"enforce":           {refuse: "enforce: policy sets of a step", noop: noPolicySets},
	"identities":        {refuse: "identities of a step"},
	"template":          {}, // put in before, or not found
}

var groupRules = rules{
	"identifier": {}, "name": {}, "description": {}, "steps": {}, "variables": {}, "delegateSelectors": {}, "tags": {},
	"when":              {refuse: unless(executed.conditions, "when: a condition of a step group"), noop: whenSuccess("stageStatus")},
	"failureStrategies": {refuse: unless(executed.failureStrategies, "failureStrategies of a step group")},
	"strategy":          {refuse: unless(executed.loops, "strategy: looping over a step group")},
	"stepGroupInfra":    {refuse: "stepGroupInfra: a containerized step group"},
	"privileged":        {refuse: "privileged: a containerized step group"},
	"platform":          {refuse: "platform of a step group"},
	"sharedPaths":       {refuse: "sharedPaths of a step group"},
	"rollbackSteps":     {refuse: unless(executed.rollback, "rollbackSteps of a step group")},
	"template":          {},
}

func noPolicySets(n *yamldoc.Node) bool {
	p := n.Get("policySets")
	return n.Kind == yamldoc.Map && (p == nil || p.Kind == yamldoc.Null || p.Kind == yamldoc.List && len(p.Items) == 0)
}

// walk compiles the steps of one stage or group.
type walk struct {
	c         *compiler
	track     string // the track the steps are walked on
	path      string // what an identifier is appended to for its FQN
	seen      *ids   // identifiers must be unique among siblings, parallels included
	selectors []string
	what      string
	rollback  bool // they are rollback steps, or below one
}

// undo compiles the rollback steps of a stage or group; their identifiers are a
// space of their own (BEHAVIOUR §8.8).
func (w walk) undo(of *core.Node, m *yamldoc.Node) []*core.Node {
	list := m.Get("rollbackSteps")
	if list == nil || w.c.empty(list) {
		return nil
	}
	if list.Kind != yamldoc.List {
		w.c.wrong(list, "rollbackSteps of "+w.what, "a list")
		return nil
	}
	in := &core.Node{FQN: of.FQN + "#rollback"}
	w.seen, w.rollback = newIDs(), true
	w.steps(in, list)
	return in.Children
}

// steps compiles a list of wrappers below parent.
func (w walk) steps(parent *core.Node, list *yamldoc.Node) {
	if len(list.Items) == 0 {
		w.c.errorf(list, CodeMissingField, "add a - step:", "%s has no step", w.what)
	}
	for _, it := range w.c.injected(list, "steps") {
		e := w.c.wrapper(it, "steps", "step", "stepGroup", "parallel")
		switch {
		case e == nil:
		case e.Key.Text == "parallel":
			if !w.c.branches(e) {
				continue
			}
			par := &core.Node{Kind: core.KindParallel, FQN: parent.FQN + "#" + itoa(len(parent.Children)), Pos: e.Key.Pos}
			parent.Children = append(parent.Children, par)
			w.branches(par, e.Value)
			if len(par.Children) > MaxParallel {
				w.c.errorf(e.Value, CodeTooMany, "split it", "parallel has %d branches: at most %d are allowed", len(par.Children), MaxParallel)
			}
		default:
			w.looped(parent, e)
		}
	}
}

// looped compiles a step or group outside of a parallel. The iterations of a looped one
// are walked on tracks of their own.
func (w walk) looped(parent *core.Node, e *yamldoc.Entry) {
	track := w.track
	if s := e.Value.Get("strategy"); s != nil && !w.c.empty(s) {
		track = w.c.track(w.track)
	}
	if n := w.node(parent, e, track); n != nil && track != w.track {
		n.Track = track
	}
}

// branches compiles the branches of a parallel. A parallel directly in a parallel
// means the same as its branches would there.
func (w walk) branches(par *core.Node, list *yamldoc.Node) {
	for _, it := range w.c.injected(list, "steps") {
		e := w.c.wrapper(it, "parallel", "step", "stepGroup", "parallel")
		switch {
		case e == nil:
		case e.Key.Text == "parallel":
			if w.c.branches(e) {
				w.branches(par, e.Value)
			}
		default:
			track := w.c.track(w.track)
			if n := w.node(par, e, track); n != nil {
				n.Track = track
			}
		}
	}
}

// node compiles a step or group whose own steps walk on track.
func (w walk) node(parent *core.Node, e *yamldoc.Entry, track string) *core.Node {
	m := e.Value
	if m.Kind != yamldoc.Map {
		w.c.add(core.SeverityError, m, e.Key.Pos, CodeWrongType, e.Key.Text+" is "+m.Kind.String()+": expected a map", "indent its fields below "+e.Key.Text+":")
		return nil
	}
	if e.Key.Text == "stepGroup" {
		return w.group(parent, m, track)
	}
	return w.step(parent, m)
}

// named reads what steps and groups have in common.
func (w walk) named(m *yamldoc.Node, kind string) (n *core.Node, what string) {
	id, idNode := w.c.identifier(m, "the "+kind)
	what = kind + " " + id
	if id == "" {
		what = "the " + kind
	}
	w.c.unique(w.seen, id, idNode, "the identifier", w.what)
	return &core.Node{Identifier: id, Name: w.c.name(m, what), FQN: w.path + id, Pos: m.Pos}, what
}

func (w walk) group(parent *core.Node, m *yamldoc.Node, track string) *core.Node {
	n, what := w.named(m, "step group")
	n.Kind = core.KindGroup
	w.c.check(m, what, groupRules)
	n.Selectors = w.c.selectors(m, w.selectors)
	n.Variables = w.c.variables(m, what)
	n.Tags = w.c.tags(m)
	w.decisions(n, m, what)
	w.c.note(n.FQN, m)
	parent.Children = append(parent.Children, n)
	if w.c.linked(m) {
		return n
	}
	in := walk{c: w.c, track: track, path: n.FQN + ".steps.", seen: newIDs(), selectors: n.Selectors, what: what, rollback: w.rollback}
	if list := w.c.listAt(m, "steps", what); list != nil {
		in.steps(n, list)
	}
	in.path = n.FQN + ".rollbackSteps."
	n.Rollback = in.undo(n, m)
	return n
}

// decisions reads what decides whether, how often and again a node runs.
func (w walk) decisions(n *core.Node, m *yamldoc.Node, what string) {
	n.When = w.c.when(m, "stageStatus", what)
	n.Failure = w.c.failures(m, owner{what, n.Kind, w.rollback})
	n.Loop = w.c.loop(m, what)
}

func (w walk) step(parent *core.Node, m *yamldoc.Node) *core.Node {
	n, what := w.named(m, "step")
	n.Kind = core.KindStep
	w.c.check(m, what, stepRules)
	w.decisions(n, m, what)
	w.c.note(n.FQN, m)
	if w.c.linked(m) {
		parent.Children = append(parent.Children, n)
		return n
	}
	step, ok := w.c.stepType(m, what)
	if !ok {
		if w.c.shown != nil {
			n.Type, n.Timeout = textAt(m, "type"), w.c.timeout(m, what)
			n.Spec, _ = m.Get("spec").Any().(map[string]any)
			parent.Children = append(parent.Children, n)
			return n
		}
		return nil
	}
	n.Type = step.Type
	n.Timeout, n.TimeoutText = w.c.stepTimeout(m, what)
	n.Tags = w.c.tags(m)
	spec := w.c.mapAt(m, "spec", what)
	if spec == nil {
		return nil
	}
	n.Selectors = w.c.selectors(spec, w.selectors)
	n.Spec = w.c.object(spec, step.Fields, "the spec of "+what)
	delete(n.Spec, "delegateSelectors")
	if step.Type == "HarnessApproval" {
		w.c.approval(spec, what)
	}
	w.c.waitsAt(n, spec, w.rollback)
	w.c.expressions(spec)
	parent.Children = append(parent.Children, n)
	return n
}

// stepType returns the catalogue's entry for a step; ok is false (and said) for
// types we do not execute.
func (c *compiler) stepType(m *yamldoc.Node, what string) (steps.Step, bool) {
	typ, n := c.scalar(m, "type", what)
	if n == nil {
		return steps.Step{}, false
	}
	if s, ok := steps.Lookup(typ); ok && !s.Internal {
		return s, true
	}
	var mine []string
	for _, s := range steps.All() {
		mine = append(mine, s.Type)
	}
	if steps.Known(typ) {
		c.unsupported(n, n.Pos, "step type "+typ)
		return steps.Step{}, false
	}
	help := "steps that run: " + strings.Join(mine, ", ")
	if near := nearest(typ, append(mine, steps.Others()...)); near != "" {
		help = "did you mean " + near + "?"
	}
	c.errorf(n, CodeUnknownType, help, "unknown step type %q", typ)
	return steps.Step{}, false
}
