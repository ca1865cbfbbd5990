package compile

import (
	"cmp"
	"fmt"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// typePipeline is the type of stages that run another pipeline.
const typePipeline = "Pipeline"

var chainRules = rules{
	"org": {}, "project": {}, "pipeline": {}, "inputs": {}, "pipelineInputs": {}, "inputSetReferences": {}, "outputs": {}, "description": {},
}

// chain compiles the pipeline that a stage runs (BEHAVIOUR §7.10). One that does so
// itself cannot be run by a stage, so there are no cycles.
func (c *compiler) chain(n *core.Node, s *yamldoc.Node, what string) {
	spec := c.mapAt(s, "spec", what)
	if spec == nil {
		return
	}
	c.check(spec, "the spec of "+what, chainRules)
	n.Chain = &core.Chain{Outputs: c.chainOutputs(spec, what)}
	ref, at, ok := c.chainRef(spec, what)
	switch {
	case !ok:
	case c.parent != nil:
		c.errorf(at, CodeChain, "give the pipeline's stages to the one that starts it", "%s runs a pipeline, and the pipeline it is in is run by a stage itself: only one may stand inside another", what)
	case ref.Identifier == c.self.Identifier && ref.At == c.self.At:
		c.errorf(at, CodeChain, "name another pipeline", "%s runs the pipeline it is in", what)
	default:
		src, found := c.find(ref)
		if !found {
			c.notFound(at, "pipeline "+ref.Identifier)
			return
		}
		c.child(n.Chain, spec, ref, src, at)
	}
}

// chainRef is the pipeline that a stage names; ok is false (and said) when it names
// none that is known before the run.
func (c *compiler) chainRef(spec *yamldoc.Node, what string) (ref Reference, at *yamldoc.Node, ok bool) {
	ref = Reference{Kind: KindPipeline, At: core.Scope{Account: c.self.At.Account}}
	ok = true
	into := []*string{&ref.At.Org, &ref.At.Project, &ref.Identifier}
	for i, key := range []string{"org", "project", "pipeline"} {
		_, n := c.scalar(spec, key, "the spec of "+what)
		if n == nil {
			ok = false
			continue
		}
		if n = c.settled(n); isExpression(n) {
			c.late(n, key+" of "+what)
			ok = false
		}
		*into[i] = n.Text
	}
	return ref, spec.Get("pipeline"), ok
}

func (c *compiler) chainOutputs(spec *yamldoc.Node, what string) []core.ChainOutput {
	list := spec.Get("outputs")
	if list == nil || c.empty(list) {
		return nil
	}
	if list.Kind != yamldoc.List {
		c.wrong(list, "outputs of "+what, "a list")
		return nil
	}
	var out []core.ChainOutput
	seen := newIDs()
	for _, it := range list.Items {
		if it.Kind != yamldoc.Map {
			c.wrong(it, "an output of "+what, "a map")
			continue
		}
		c.check(it, "an output of "+what, rules{"name": {}, "value": {}, "description": {}})
		name, n := c.scalar(it, "name", "an output of "+what)
		value, v := c.scalar(it, "value", "an output of "+what)
		if n == nil || v == nil {
			continue
		}
		c.shellName(n, "name of an output of "+what)
		c.unique(seen, name, n, "the output", what)
		c.expressions(v)
		out = append(out, core.ChainOutput{Name: name, Value: value})
	}
	return out
}

// parentInputs is the name by which a child reads what hangs on its parent's run.
const parentInputs = "parentInputs"

// child compiles a chained pipeline with what the stage gives it.
func (c *compiler) child(chain *core.Chain, spec *yamldoc.Node, ref Reference, src Source, at *yamldoc.Node) {
	opt := Options{Scope: ref.At, Library: c.opt.Library, Lenient: c.opt.Lenient}
	if list := spec.Get("inputSetReferences"); list != nil && !c.empty(list) {
		for _, id := range c.texts(list, "inputSetReferences") {
			set, ok := c.find(Reference{Kind: KindInputSet, At: ref.At, Identifier: id, Pipeline: ref.Identifier})
			if !ok {
				c.notFound(list, "input set "+id)
				continue
			}
			opt.InputSets = append(opt.InputSets, set)
		}
	}
	in := spec.Get("inputs")
	if in == nil || c.empty(in) {
		in = spec.Get("pipelineInputs")
	}
	switch {
	case in == nil || c.empty(in):
	case in.Kind != yamldoc.Map:
		c.wrong(in, "inputs", "a map as an input set's pipeline is")
	default:
		chain.Inputs = map[string]string{}
		given := yamldoc.NewMap(in.Pos)
		given.Set("pipeline", c.handed(in, chain.Inputs))
		opt.InputSets = append(opt.InputSets, Source{File: in.Pos.File, root: given})
	}
	sub := newCompiler(src, opt)
	sub.parent, sub.shown = c, nil
	chain.Plan, chain.Source = sub.compile(src), string(src.Data)
	for _, d := range sub.ordered() {
		c.childSays(d, at, ref)
	}
	if chain.Plan == nil && !c.diags.Blocks() {
		c.errorf(at, CodeChain, "", "the pipeline %s in %s cannot be read", ref.Identifier, src.File)
	}
}

// childSays repeats what was said about a child.
func (c *compiler) childSays(d core.Diagnostic, at *yamldoc.Node, ref Reference) {
	if d.File == at.Pos.File && c.self.from <= d.Line && d.Line <= c.self.to { // about what the stage gives
		c.diags = append(c.diags, d)
		return
	}
	if d.Severity == core.SeverityWarning && d.Code != CodeNotExecuted && d.Code != CodeNotFound {
		return // of those who wrote it
	}
	where := fmt.Sprintf(" (in the pipeline %s, run at %s)", ref.Identifier, at.Pos)
	if c.here != nil {
		pos := core.Position{File: d.File, Line: d.Line, Column: d.Column}
		where = fmt.Sprintf(" (in the pipeline %s, at %s)", ref.Identifier, pos)
		d.File, d.Line, d.Column, d.Path = at.Pos.File, at.Pos.Line, at.Pos.Column, at.Pointer()
	}
	d.Message += where
	c.file(d.File)
	c.diags = append(c.diags, d)
}

// handed is a copy of what a stage gives a child, in which expressions stand for
// their values: known ones for what they are, others for what the parent will say.
func (c *compiler) handed(n *yamldoc.Node, later map[string]string) *yamldoc.Node {
	n = c.settled(n)
	switch n.Kind {
	case yamldoc.Map:
		out := yamldoc.NewMap(n.Pos)
		for _, e := range n.Entries {
			out.Put(e.Key, c.handed(e.Value, later))
		}
		return out
	case yamldoc.List:
		out := yamldoc.NewList(n.Pos)
		for _, it := range n.Items {
			out.Append(c.handed(it, later))
		}
		return out
	case yamldoc.Null, yamldoc.Bool, yamldoc.Number, yamldoc.String:
	}
	if !isExpression(n) {
		return n.Clone()
	}
	c.expressions(n)
	key := "i" + itoa(len(later))
	later[key] = n.Text
	return yamldoc.NewString("<+"+parentInputs+"."+key+">", n.Pos)
}

// self is the pipeline that is compiled and the lines it stands on.
type self struct {
	Reference
	from, to int
}

func (c *compiler) identify(src Source, p *yamldoc.Node) {
	c.self = self{Reference: Reference{Identifier: textAt(p, "identifier"), At: c.scope(p)}, from: p.Pos.Line, to: cmp.Or(src.last, 1<<30)}
	if src.root != nil {
		c.self.from = src.root.Pos.Line
	}
}
