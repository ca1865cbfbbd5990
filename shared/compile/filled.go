package compile

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Filled is a pipeline with what was given for its runtime inputs, as YAML.
type Filled struct {
	// Inputs is the pipeline reduced to its runtime inputs and what tells where they stand
	// (BEHAVIOUR §12.4): each with the value that was given, or as it is asked for. Where
	// all inputs of a template are left open at once, it is what the template asks for. It
	// is "" when there are none.
	Inputs string
	// Pipeline is the whole of it, with the values.
	Pipeline string
}

// Fill lays input sets over a pipeline in their order (BEHAVIOUR §12.6). Of the options
// it takes InputSets, Scope and Library, and Stages: those whose inputs are shown, all
// without. Diagnostics are about what does not fit.
func Fill(src Source, opt Options) (Filled, core.Diagnostics) {
	stages := opt.Stages
	opt.Stages, opt.Lenient = nil, true
	c := newCompiler(src, opt)
	p := c.document(src)
	if p == nil {
		return Filled{}, c.ordered()
	}
	c.inputs(p)
	f := filling{c: c, stages: stages}
	var out Filled
	if kept := f.kept(p.Parent(), c.scope(p), 0); kept != nil {
		out.Inputs = c.encoded(kept)
	}
	out.Pipeline = c.encoded(p.Parent())
	return out, c.ordered()
}

// Applied is a pipeline with its templates put in, as YAML; what is open in them stays so.
func Applied(src Source, opt Options) (string, core.Diagnostics) {
	opt.Lenient = true
	c := newCompiler(src, opt)
	p := c.document(src)
	if p == nil {
		return "", c.ordered()
	}
	c.inputs(p)
	return c.encoded(c.expand(p).Parent()), c.ordered()
}

func (c *compiler) encoded(n *yamldoc.Node) string {
	text, err := n.Encode()
	if err != nil {
		c.errorf(n, CodeValue, "", "the text cannot be written: %s", err)
	}
	return text
}

// filling picks the inputs out of a pipeline.
type filling struct {
	c      *compiler
	stages []string
}

// kept copies of a node what leads to inputs, nil when nothing does. at is where the text
// lives, depth how many templates it stands in.
func (f filling) kept(n *yamldoc.Node, at core.Scope, depth int) *yamldoc.Node {
	if in := f.c.byNode[n]; in != nil && in.given {
		return n.Clone()
	}
	switch {
	case n.Kind == yamldoc.Map:
		return f.keptMap(n, at, depth)
	case n.Kind == yamldoc.List:
		return f.keptList(n, at, depth)
	case n.Kind == yamldoc.String && strings.HasPrefix(n.Text, inputMark):
		if form, ok := f.form(n, at, depth); ok {
			return form
		}
		return n.Clone()
	default:
		return nil
	}
}

func (f filling) keptMap(n *yamldoc.Node, at core.Scope, depth int) *yamldoc.Node {
	out, some := yamldoc.NewMap(n.Pos), false
	for _, e := range n.Entries {
		if kept := f.kept(e.Value, at, depth); kept != nil {
			out.Put(e.Key, kept)
			some = true
		} else if e.Value.Scalar() && tells(n, e.Key.Text) {
			out.Put(e.Key, e.Value.Clone())
		}
	}
	if !some {
		return nil
	}
	return out
}

// tells reports whether a key tells what a map is: a name does where there is no
// identifier.
func tells(n *yamldoc.Node, key string) bool {
	return key == "identifier" || key == "type" || key == "key" || key == "name" && n.Get("identifier") == nil
}

func (f filling) keptList(n *yamldoc.Node, at core.Scope, depth int) *yamldoc.Node {
	out := yamldoc.NewList(n.Pos)
	for _, it := range n.Items {
		if s := it.At("stage", "identifier"); depth == 0 && len(f.stages) > 0 && s.Scalar() && !slices.Contains(f.stages, s.Text) {
			continue
		}
		if kept := f.kept(it, at, depth); kept != nil {
			out.Append(kept)
		}
	}
	if len(out.Items) == 0 {
		return nil
	}
	return out
}

// form is what the template of a link asks for whose inputs are one open input; nil when
// it asks for nothing. ok is false for other inputs.
func (f filling) form(n *yamldoc.Node, at core.Scope, depth int) (form *yamldoc.Node, ok bool) {
	link := n.Parent()
	if n.Name() != "templateInputs" || link.Name() != "template" || depth >= MaxNesting {
		return nil, false
	}
	typ := templated[link.Parent().Name()]
	if typ == "" {
		return nil, false
	}
	t := expansion{c: f.c, at: at}.resolve(link, typ)
	if t == nil {
		return nil, false
	}
	return f.kept(t.spec, t.ref.At, depth+1), true
}

// Asked is what a template asks for, below its spec; "" for nothing.
func Asked(src Source, opt Options) string {
	opt.Lenient = true
	c := newCompiler(src, opt)
	root, _ := c.root(src)
	spec := root.At("template", "spec")
	if spec == nil {
		return ""
	}
	kept := filling{c: c}.kept(spec, opt.Scope, 0)
	if kept == nil {
		return ""
	}
	return c.encoded(kept)
}
