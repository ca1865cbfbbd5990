package compile

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Stage types: those we execute, and those Harness knows beside them.
var (
	stageTypes      = []string{"Custom", "Approval", deploymentType}
	otherStageTypes = strings.Fields(`Pipeline CI SecurityTests Security FeatureFlag IACM IDP Dynamic DRTest CompositeLoadTest`)
)

var stageRules = rules{
	"name": {}, "identifier": {}, "description": {}, "type": {}, "tags": {}, "spec": {}, "variables": {},
	"delegateSelectors": {}, "timeout": {},
	"when":              {refuse: unless(executed.conditions, "when: a condition of a stage"), noop: whenSuccess("pipelineStatus")},
	"failureStrategies": {refuse: unless(executed.failureStrategies, "failureStrategies of a stage")},
	"strategy":          {refuse: unless(executed.loops, "strategy: looping over a stage")},
	"runMode":           {refuse: "runMode Manual", noop: func(n *yamldoc.Node) bool { return textAt(n, "type") == "Auto" }},
	"template":          {}, // put in before, or not found
	"skipInstances":     {},
	"gitOpsEnabled":     {}, // some write it here instead of in the spec
}

var stageSpecRules = rules{
	"execution": {}, "description": {},
	"outputs":             {refuse: "outputs of a stage"},
	"environment":         {refuse: "an environment in a Custom stage"},
	"infrastructure":      {refuse: "an infrastructure in a Custom stage"},
	"service":             {refuse: "a service in a Custom stage"},
	"serviceConfig":       {refuse: "a service in a Custom stage"},
	"serviceDependencies": {refuse: "serviceDependencies"},
}

var executionRules = rules{
	"steps": {}, "description": {},
	"rollbackSteps": {refuse: unless(executed.rollback, "rollbackSteps")},
}

// whenSuccess reports a `when` that asks only for what is so without it.
func whenSuccess(status string) func(*yamldoc.Node) bool {
	return func(n *yamldoc.Node) bool {
		if n.Kind != yamldoc.Map {
			return false
		}
		for _, e := range n.Entries {
			switch {
			case e.Key.Text == status && e.Value.Text == "Success":
			case e.Value.Kind == yamldoc.Null || e.Value.Kind == yamldoc.String && e.Value.Text == "":
			default:
				return false
			}
		}
		return true
	}
}

func textAt(n *yamldoc.Node, key string) string {
	if v := n.Get(key); v != nil {
		return v.Text
	}
	return ""
}

func (c *compiler) stages(root *core.Node, list *yamldoc.Node) {
	if len(list.Items) == 0 && c.chosen == nil {
		c.errorf(list, CodeMissingField, "add a - stage:", "the pipeline has no stage")
	}
	seen := newIDs()
	for _, it := range c.injected(list, "stages") {
		e := c.wrapper(it, "stages", "stage", "parallel")
		switch {
		case e == nil:
		case e.Key.Text == "stage":
			c.stage(root, e.Value, root.Selectors, seen)
		case e.Key.Text == "parallel":
			c.parallelStages(root, e, seen)
		}
	}
}

func (c *compiler) parallelStages(root *core.Node, e *yamldoc.Entry, seen *ids) {
	if !c.branches(e) {
		return
	}
	par := &core.Node{Kind: core.KindParallel, FQN: root.FQN + "#" + itoa(len(root.Children)), Pos: e.Key.Pos}
	root.Children = append(root.Children, par)
	for _, it := range c.injected(e.Value, "stages") {
		if in := c.wrapper(it, "parallel", "stage"); in != nil {
			c.stage(par, in.Value, root.Selectors, seen)
		}
	}
}

// branches reports whether a parallel has a number of branches that can run.
func (c *compiler) branches(e *yamldoc.Entry) bool {
	n := e.Value
	switch {
	case n.Kind != yamldoc.List:
		c.add(core.SeverityError, n, e.Key.Pos, CodeWrongType, "parallel is "+n.Kind.String()+": expected a list", "write each branch as a list item")
	case len(n.Items) == 0:
		c.errorf(n, CodeMissingField, "add a branch or remove parallel:", "parallel has no branch")
	case len(n.Items) > MaxParallel:
		c.errorf(n, CodeTooMany, "split it", "parallel has %d branches: at most %d are allowed", len(n.Items), MaxParallel)
	default:
		return true
	}
	return false
}

// wrapper returns the one entry of a list item such as `- stage: …`, nil (and
// said) when there is none of the wanted ones.
func (c *compiler) wrapper(it *yamldoc.Node, where string, want ...string) *yamldoc.Entry {
	list := "- " + strings.Join(want, ":, - ") + ":"
	if it.Kind != yamldoc.Map {
		c.errorf(it, CodeWrongType, "write "+list, "an item of %s is %s: expected %s", where, it.Kind, list)
		return nil
	}
	var found *yamldoc.Entry
	for i := range it.Entries {
		e := &it.Entries[i]
		key := e.Key.Text
		switch {
		case key == "description" || key == "isNestedGroup" || key == "contextType": // the latter are marks of Harness's editor
		case !has(want, key):
			c.unknownField(*e, "an item of "+where, want)
		case found != nil:
			c.add(core.SeverityError, e.Value, e.Key.Pos, CodeValue, "an item of "+where+" holds both "+found.Key.Text+" and "+key, "make them two items")
		default:
			found = e
		}
	}
	if found == nil && len(it.Entries) == 0 {
		c.errorf(it, CodeMissingField, "write "+list, "an item of %s is empty", where)
	}
	return found
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (c *compiler) stage(parent *core.Node, s *yamldoc.Node, above []string, seen *ids) {
	if s.Kind != yamldoc.Map {
		c.errorf(s, CodeWrongType, "indent the stage's fields below stage:", "stage is %s: expected a map", s.Kind)
		return
	}
	id, idNode := c.identifier(s, "the stage")
	what := "stage " + id
	if id == "" {
		what = "the stage"
	}
	c.unique(seen, id, idNode, "stage", "this pipeline")
	typ, runs := c.stageType(s, what)
	if !runs && (typ == "" || c.shown == nil && typ != typePipeline) {
		return
	}
	if !runs && typ != typePipeline { // refused as a whole: for whoever looks at the plan
		c.muted = true
		defer func() { c.muted = false }()
	}
	c.check(s, what, stageRules)
	n := &core.Node{
		Kind: core.KindStage, Identifier: id, Name: c.name(s, what), Type: typ,
		FQN: "pipeline.stages." + id, Track: c.track("0"),
		Timeout: c.timeout(s, what), Variables: c.variables(s, what), Tags: c.tags(s), Pos: s.Pos,
		Selectors: c.selectors(s, above),
		When:      c.when(s, "pipelineStatus", what), Failure: c.failures(s, owner{what, core.KindStage, false}), Loop: c.loop(s, what),
	}
	c.note(n.FQN, s)
	parent.Children = append(parent.Children, n)
	switch {
	case c.linked(s):
	case typ == typePipeline:
		c.chain(n, s, what)
	default:
		c.execution(n, s, what)
	}
}

// execution compiles a stage's steps and rollback steps.
func (c *compiler) execution(n *core.Node, s *yamldoc.Node, what string) {
	spec := c.mapAt(s, "spec", what)
	if spec == nil {
		return
	}
	rs := stageSpecRules
	if n.Type == deploymentType {
		rs = deploymentRules
		c.target(n, spec)
	}
	c.check(spec, "the spec of "+what, rs)
	exec := c.mapAt(spec, "execution", "the spec of "+what)
	if exec == nil {
		return
	}
	c.check(exec, "the execution of "+what, executionRules)
	w := walk{c: c, track: n.Track, path: n.FQN + ".spec.execution.steps.", seen: newIDs(), selectors: n.Selectors, what: what}
	var first []*core.Node
	if m := c.provisioner(spec); m != nil && n.Type == deploymentType {
		first = w.provision(n, m)
	}
	if list := c.listAt(exec, "steps", what); list != nil {
		w.steps(n, list)
	}
	w.path = n.FQN + ".spec.execution.rollbackSteps."
	n.Rollback = append(w.undo(n, exec), first...)
	c.lockInfrastructure(n)
}

// stageType returns a stage's type, "" (and said) when there is no such; runs is
// false for those we do not execute. A template that was not found is told.
func (c *compiler) stageType(s *yamldoc.Node, what string) (typ string, runs bool) {
	if c.linked(s) {
		return "", true
	}
	typ, n := c.scalar(s, "type", what)
	switch {
	case n == nil:
	case has(stageTypes, typ), typ == typePipeline && executed.chains:
		return typ, true
	case has(otherStageTypes, typ):
		c.unsupported(n, n.Pos, "stage type "+typ)
		return typ, false
	default:
		help := "known types: " + strings.Join(slices.Concat(stageTypes, otherStageTypes), ", ")
		if near := nearest(typ, slices.Concat(stageTypes, otherStageTypes)); near != "" {
			help = "did you mean " + near + "?"
		}
		c.errorf(n, CodeUnknownType, help, "unknown stage type %q", typ)
	}
	return "", false
}

// linked reports a node whose template was not found.
func (c *compiler) linked(m *yamldoc.Node) bool {
	t := m.Get("template")
	return t != nil && !c.empty(t)
}

// selectors returns the delegate selectors in force at a level: its own when it
// has any, else those of the level above (BEHAVIOUR §7.11).
func (c *compiler) selectors(m *yamldoc.Node, above []string) []string {
	if own := c.texts(m.Get("delegateSelectors"), "delegateSelectors"); len(own) > 0 {
		return own
	}
	return above
}
