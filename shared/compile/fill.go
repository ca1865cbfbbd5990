package compile

import (
	"fmt"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// mine are the fields that a node owns whatever its template says.
var mine = map[string]bool{"identifier": true, "name": true, "description": true, "tags": true, "orgIdentifier": true, "projectIdentifier": true}

// own are the fields a node may add where its template is silent (BEHAVIOUR §20.3).
var own = map[string]bool{
	"when": true, "failureStrategies": true, "strategy": true, "delegateSelectors": true, "timeout": true, "enforce": true,
	"runMode": true, "skipInstances": true,
	"allowStageExecutions": true, "fixedInputsOnRerun": true, "notificationRules": true, "properties": true, "flowControl": true,
}

// install puts a copy of a template in the place of the node that links to it and
// gives it the node's inputs.
func (c *compiler) install(n, link *yamldoc.Node, t *template, typ, path string) *yamldoc.Node {
	with := c.assemble(n, t)
	n.Replace(with)
	c.uses[with] = &use{template: t, pos: link.Pos, outer: c.uses[n]}
	if ref := link.Get("templateRef"); ref != nil {
		c.uses[with].pos = ref.Pos
	}
	c.parameters(with, link, t)
	f := &filler{c: c, t: t}
	f.merger = merger{c: c, inputs: map[*yamldoc.Node]*input{}, what: "the template", supply: f.supply, differs: f.differs}
	c.collect(with, path, func(in *input) {
		f.all = append(f.all, in)
		f.inputs[in.node] = in
	})
	for _, e := range n.Entries {
		key := e.Key.Text
		to := with.Get(key)
		switch {
		case mine[key] || key == "template" || to == e.Value:
		case to != nil:
			f.field(to, e)
		default:
			c.add(core.SeverityError, e.Value, e.Key.Pos, CodeTemplate,
				fmt.Sprintf("%s belongs to the template %s: it cannot stand beside the link", key, t.name), "remove it")
		}
	}
	switch in := c.settled(link.Get("templateInputs")); {
	case in == nil || c.empty(in) || c.byNode[in] != nil && !c.byNode[in].given:
	case isExpression(in):
		c.late(in, "templateInputs")
	case in.Kind != yamldoc.Map:
		c.wrong(in, "templateInputs", "a map")
	default:
		for _, e := range in.Entries {
			if mine[e.Key.Text] {
				continue
			}
			if to := with.Get(e.Key.Text); to != nil {
				f.field(to, e)
			} else {
				f.differs(e.Value, e.Key.Pos, CodeUnknownInput, "the template has no "+e.Key.Text, "")
			}
		}
	}
	f.rest()
	if len(f.difference) > 0 {
		f.tell(link, strings.ToLower(typ)+" "+textAt(n, "identifier"))
	}
	return with
}

// assemble makes the node that stands in the place of a link: the node's own
// identity, the template's body, and what the node adds where that is silent.
func (c *compiler) assemble(n *yamldoc.Node, t *template) *yamldoc.Node {
	shape := &yamldoc.Node{Kind: yamldoc.Map, Pos: n.Pos}
	var kept []yamldoc.Entry
	for _, e := range n.Entries {
		if mine[e.Key.Text] || own[e.Key.Text] && t.spec.Get(e.Key.Text) == nil {
			kept = append(kept, e)
		}
	}
	for _, e := range kept {
		shape.Entries = append(shape.Entries, yamldoc.Entry{Key: e.Key, Value: yamldoc.NewString("", e.Value.Pos)})
	}
	for _, e := range t.spec.Entries {
		switch key := e.Key.Text; {
		case key == "identifier" || key == "name" || t.typ == "StepGroup" && key == "stageType":
		case mine[key] && n.Get(key) != nil:
		default:
			shape.Entries = append(shape.Entries, e)
		}
	}
	with := shape.Clone()
	for _, e := range kept {
		with.Get(e.Key.Text).Replace(e.Value) // moved, not copied: inputs in it are known by their nodes
	}
	return with
}

// filler gives a template its inputs and notes what does not fit.
type filler struct {
	merger
	c          *compiler
	t          *template
	all        []*input
	difference []string
}

// supply moves a value into an input's place. A runtime input of the user's stays
// one; the template's default then wins over its own (BEHAVIOUR §12.2).
func (f *filler) supply(in *input, value *yamldoc.Node, what string) {
	if outer := f.c.byNode[value]; outer != nil && !outer.given {
		f.leave(in, outer)
		in.given = true
	} else if !f.c.takes(in, value, what) {
		return
	}
	in.node.Replace(value)
	in.node = value
}

// leave makes the user's runtime input stand for the template's.
func (f *filler) leave(in, outer *input) {
	if in.hasDefault && !in.execution {
		if outer.hasDefault && outer.def != in.def {
			f.c.warnf(outer.node, CodeInputMarker, "leave it out", "the default %q has no effect: the template %s has the default %q", outer.def, f.t.name, in.def)
		}
		outer.hasDefault, outer.def = true, in.def
	}
	for _, list := range [][]string{outer.one, outer.many} {
		for _, v := range list {
			if why := in.accept(v); why != "" {
				f.c.errorf(outer.node, CodeInputMarker, "allow only what the template allows", "the allowed value %s", why)
			}
		}
	}
	if len(outer.one)+len(outer.many) == 0 && outer.regex == "" {
		outer.one, outer.many, outer.regex = in.one, in.many, in.regex
	}
	if outer.hasDefault {
		if why := outer.accept(outer.def); why != "" {
			f.c.errorf(outer.node, CodeInputMarker, "make the default one of the allowed values", "the default %s", why)
		}
	}
}

func (f *filler) differs(_ *yamldoc.Node, pos core.Position, _, msg, _ string) {
	f.difference = append(f.difference, fmt.Sprintf("%s (%s:%d)", msg, pos.File, pos.Line))
}

// rest leaves open what nobody gave: it takes its default, or is lacking.
func (f *filler) rest() {
	for _, in := range f.all {
		if in.given {
			continue
		}
		f.c.open = append(f.c.open, in)
		f.c.byNode[in.node] = in
		if !in.blank && !in.hasDefault {
			in.still = true
			f.difference = append(f.difference, fmt.Sprintf("%s is not given (%s:%d)", in.name(), in.pos.File, in.pos.Line))
		}
	}
}

// maxDifferences is how many are told of one link.
const maxDifferences = 12

// tell shows how the inputs of a link differ from what its template asks for.
func (f *filler) tell(link *yamldoc.Node, what string) {
	at := link
	if in := link.Get("templateInputs"); in != nil {
		at = in
	}
	list := f.difference
	if n := len(list) - maxDifferences; n > 0 {
		list = append(list[:maxDifferences:maxDifferences], fmt.Sprintf("and %d more", n))
	}
	sev := core.SeverityError
	if f.c.opt.Lenient {
		sev = core.SeverityWarning
	}
	f.c.add(sev, at, at.Pos, CodeOutOfSync, fmt.Sprintf("the inputs of %s do not fit the template %s: %s", what, f.t.name, strings.Join(list, "; ")),
		"reconcile them: give what is lacking, remove what the template does not ask for")
}
