package compile

import (
	"cmp"
	"strconv"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/steps"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// MaxParallel is how many branches a parallel may have (BEHAVIOUR §28).
const MaxParallel = 256

func itoa(n int) string { return strconv.Itoa(n) }

var pipelineRules = rules{
	"name": {}, "identifier": {}, "description": {}, "tags": {}, "orgIdentifier": {}, "projectIdentifier": {},
	"stages": {}, "variables": {}, "delegateSelectors": {}, "timeout": {},
	"allowStageExecutions": {}, "fixedInputsOnRerun": {},
	"flowControl":       {},
	"notificationRules": {refuse: "notificationRules", noop: allDisabled},
	"properties":        {}, // of stages of type CI alone
	"template":          {}, // put in before, or not found
}

// allDisabled reports notification rules that are all switched off.
func allDisabled(n *yamldoc.Node) bool {
	if n.Kind != yamldoc.List {
		return false
	}
	for _, it := range n.Items {
		if e := it.Get("enabled"); e == nil || e.Text != "false" {
			return false
		}
	}
	return true
}

func (c *compiler) pipeline(p *yamldoc.Node) *core.Plan {
	c.check(p, "the pipeline", pipelineRules)
	c.tracks = map[string]int{}
	id, _ := c.identifier(p, "the pipeline")
	root := &core.Node{
		Kind: core.KindPipeline, Identifier: id, Name: c.name(p, "the pipeline"), FQN: "pipeline", Track: "0",
		Timeout: c.timeout(p, "the pipeline"), Selectors: c.selectors(p, nil),
		Variables: c.variables(p, "the pipeline"), Tags: c.tags(p), Pos: p.Pos,
	}
	plan := &core.Plan{
		Semantics: core.Semantics, Identifier: id, Name: root.Name, Tags: root.Tags, Root: root,
		Scope: core.Scope{
			Account: cmp.Or(c.opt.Scope.Account, core.DefaultAccount),
			Org:     cmp.Or(c.place(p, "orgIdentifier"), c.opt.Scope.Org, core.DefaultOrg),
			Project: cmp.Or(c.place(p, "projectIdentifier"), c.opt.Scope.Project, core.DefaultProject),
		},
	}
	c.budget(p, plan.Tags)
	c.note(root.FQN, p)
	if c.linked(p) && p.Get("stages") == nil {
		return plan
	}
	if list := c.listAt(p, "stages", "the pipeline"); list != nil {
		c.stages(root, list)
	}
	c.barriers(p, root)
	c.lockOrder(p, root)
	return plan
}

// plain is the text of an optional scalar field, "" when absent.
func (c *compiler) plain(m *yamldoc.Node, key string) string {
	n := m.Get(key)
	if n == nil || n.Kind == yamldoc.Null {
		return ""
	}
	if !n.Scalar() {
		c.errorf(n, CodeWrongType, "", "%s is %s: expected a string", key, n.Kind)
	}
	return n.Text
}

// place reads the identifier of an organization or project, "" when absent. It
// becomes part of keys and addresses.
func (c *compiler) place(m *yamldoc.Node, key string) string {
	id := c.plain(m, key)
	if id != "" && !placeForm(id) {
		c.errorf(m.Get(key), CodeIdentifier, "leave out / and #, and use at most 128 characters", "%q cannot be an %s", id, key)
		return ""
	}
	return id
}

// timeout reads a node's timeout in ms, 0 when it has none of its own.
func (c *compiler) timeout(m *yamldoc.Node, what string) int64 {
	n := m.Get("timeout")
	if n == nil || c.empty(n) {
		return 0
	}
	return c.fixedDuration(n, "timeout of "+what)
}

// stepTimeout reads a step's timeout: its text when that is known only when the step
// starts.
func (c *compiler) stepTimeout(m *yamldoc.Node, what string) (ms int64, text string) {
	n := c.settled(m.Get("timeout"))
	switch {
	case n == nil || c.empty(n):
		return 0, ""
	case isExpression(n):
		c.expressions(n)
		return 0, n.Text
	}
	return c.fixedDuration(n, "timeout of "+what), ""
}

// track gives the next number below a track.
func (c *compiler) track(parent string) string {
	c.tracks[parent]++
	return parent + "." + itoa(c.tracks[parent])
}

// fixedDuration reads a duration in ms that has to be known before the run.
func (c *compiler) fixedDuration(n *yamldoc.Node, what string) int64 {
	switch n = c.settled(n); {
	case isExpression(n):
		c.late(n, what)
		return 0
	case c.empty(n): // as it may be by a variable that nobody set
		return 0
	}
	d, _ := c.duration(n, what)
	return d.Milliseconds()
}

// duration reads a duration; ok is false when it is none.
func (c *compiler) duration(n *yamldoc.Node, what string) (d time.Duration, ok bool) {
	if !n.Scalar() {
		c.errorf(n, CodeWrongType, "write a time such as 10m", "%s is %s: expected a duration", what, n.Kind)
		return 0, false
	}
	d, err := steps.ParseDuration(n.Text)
	if err != nil {
		c.errorf(n, CodeDuration, "", "%s: %v", what, err)
	}
	return d, err == nil
}
