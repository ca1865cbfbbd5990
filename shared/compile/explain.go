package compile

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// By is what put a value in a plan.
type By string

// What puts values in plans.
const (
	ByPipeline By = "pipeline"
	ByTemplate By = "template"
	ByInputSet By = "input set"
	ByInput    By = "input"   // a single value beside the input sets
	ByDefault  By = "default" // of a runtime input
	ByNobody   By = "nobody"  // a runtime input that was left out

	// Documents that a Deployment stage uses.
	ByService        By = "service"
	ByEnvironment    By = "environment"
	ByInfrastructure By = "infrastructure"
	ByOverride       By = "override"
)

// Origin is where a value comes from. Of names the template or input set.
type Origin struct {
	By By     `json:"by"`
	Of string `json:"of,omitempty"`
	core.Position
}

// Field is a value of a node as it was written, with its place in the node:
// "spec.source.spec.script". List elements are named by what they are called; a
// list of plain values is one value.
type Field struct {
	Path   string `json:"path"`
	Value  any    `json:"value"`
	Origin Origin `json:"origin"`
}

// Use is a template that a node was made of. Nested ones come innermost last.
type Use struct {
	Template string        `json:"template"` // "account.build 1.0"
	File     string        `json:"file"`
	Pos      core.Position `json:"pos"` // of the link
}

// Explained is a plan for people to look at, with where its values come from, by
// the full path of a node.
type Explained struct {
	Plan   *core.Plan
	Fields map[string][]Field
	Uses   map[string][]Use

	causes map[*yamldoc.Node]By
}

// Explain compiles like Compile, for looking at and not for running: parts that are
// not executed yet are in the plan, its steps of types that are not with their spec
// as written. It returns nil when the pipeline cannot be read at all; with errors
// among the diagnostics the plan is incomplete.
func Explain(src Source, opt Options) (*Explained, core.Diagnostics) {
	c := newCompiler(src, opt)
	c.shown = &Explained{Fields: map[string][]Field{}, Uses: map[string][]Use{}, causes: map[*yamldoc.Node]By{}}
	plan := c.compile(src)
	if plan == nil {
		return nil, c.ordered()
	}
	c.shown.Plan = plan
	return c.shown, c.ordered()
}

// cause notes what put a node there, for those whose place does not tell.
func (c *compiler) cause(n *yamldoc.Node, by By) {
	if c.shown != nil {
		c.shown.causes[n] = by
	}
}

// structure are fields that are nodes of their own.
var structure = map[string]bool{"stages": true, "steps": true, "rollbackSteps": true, "execution": true, "template": true}

// note notes the fields of a node of the plan.
func (c *compiler) note(fqn string, m *yamldoc.Node) {
	if c.shown == nil {
		return
	}
	for u := c.uses[m]; u != nil; u = u.outer {
		c.shown.Uses[fqn] = append([]Use{{u.name, u.spec.Pos.File, u.pos}}, c.shown.Uses[fqn]...)
	}
	for _, e := range m.Entries {
		if !structure[e.Key.Text] {
			c.noteField(fqn, e.Key.Text, e.Value)
		}
	}
}

func (c *compiler) noteField(fqn, path string, n *yamldoc.Node) {
	switch {
	case n.Kind == yamldoc.List && len(n.Items) > 0 && slices.ContainsFunc(n.Items, func(it *yamldoc.Node) bool { return !it.Scalar() }):
		for i, it := range n.Items {
			name := identity(it)
			if name == "" {
				name = itoa(i)
			}
			c.noteField(fqn, path+"."+name, it)
		}
	case n.Kind == yamldoc.Map && len(n.Entries) > 0:
		for _, e := range n.Entries {
			if !structure[e.Key.Text] {
				c.noteField(fqn, path+"."+e.Key.Text, e.Value)
			}
		}
	default:
		at := n
		if len(n.Items) > 0 && c.shown.causes[n] == "" {
			at = n.Items[0] // a list is as its first value is: it is given as a whole
		}
		c.shown.Fields[fqn] = append(c.shown.Fields[fqn], Field{path, literal(n), c.origin(at)})
	}
}

func (c *compiler) origin(n *yamldoc.Node) Origin {
	o := Origin{By: ByPipeline, Position: n.Pos}
	if set, ok := c.sets[n.Pos.File]; ok {
		o.By, o.Of = ByInputSet, set
	}
	if u, _ := c.useAt(n, n.Pos); u != nil {
		o.By, o.Of = ByTemplate, u.name
	}
	if c.shown == nil {
		return o
	}
	if by := c.shown.causes[n]; by != "" {
		o.By = by
	} else if n.Pos.File == "" && c.opt.Inputs != nil {
		o.By = ByInput
	}
	return o
}

// literal is a value as JSON. A number or boolean whose usual form is not the
// author's stays text, and with it its neighbours in a list: 1.10 is a version more
// often than 1.1.
func literal(n *yamldoc.Node) any {
	switch n.Kind {
	case yamldoc.Number, yamldoc.Bool:
		if usual(n) {
			return n.Any()
		}
		return n.Text
	case yamldoc.List:
		out := make([]any, len(n.Items))
		asText := slices.ContainsFunc(n.Items, func(it *yamldoc.Node) bool { return !usual(it) })
		for i, it := range n.Items {
			if out[i] = literal(it); asText && it.Scalar() {
				out[i] = it.Text
			}
		}
		return out
	case yamldoc.Map:
		out := make(map[string]any, len(n.Entries))
		for _, e := range n.Entries {
			out[e.Key.Text] = literal(e.Value)
		}
		return out
	case yamldoc.Null, yamldoc.String:
	}
	return n.Any()
}

// usual reports a value that is no number or boolean, or is written as those are.
func usual(n *yamldoc.Node) bool {
	return n.Kind != yamldoc.Number && n.Kind != yamldoc.Bool || expr.Format(n.Any()) == n.Text
}
