package compile

import (
	"math"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Source is one YAML text and the file name diagnostics show for it.
type Source struct {
	File string
	Data []byte

	root *yamldoc.Node // of the document meant, when it has been parsed
	last int           // line on which that ends
}

// Parsed returns a source whose document has been parsed, one of the text's. It is
// nobody else's to change afterwards; compiling leaves it as it is.
func Parsed(file string, data []byte, doc yamldoc.Parsed) Source {
	return Source{File: file, Data: data, root: doc.Root, last: doc.Last}
}

// documents are those of a source with their lines.
func (s Source) documents() ([]Source, core.Diagnostics) {
	if s.root != nil {
		return []Source{s}, nil
	}
	var out []Source
	var diags core.Diagnostics
	for _, p := range yamldoc.Each(s.File, s.Data) {
		diags = append(diags, p.Diagnostics...)
		if p.Root != nil {
			out = append(out, Parsed(s.File, s.Data, p))
		}
	}
	return out, diags
}

// Holds reports a place in the source's document.
func (s *Source) Holds(pos core.Position) bool {
	if s.root == nil {
		return pos.File == s.File
	}
	return pos.File == s.File && s.root.Pos.Line <= pos.Line && pos.Line <= max(s.last, s.root.Pos.Line)
}

// root returns the root of a source's document, one that may be changed; nil when it
// cannot be read.
func (c *compiler) root(src Source) (*yamldoc.Node, core.Diagnostics) {
	if src.root != nil {
		return src.root.Clone(), nil
	}
	docs, diags := src.documents()
	c.diags = append(c.diags, diags...)
	if len(docs) == 0 {
		return nil, diags
	}
	if len(docs) > 1 {
		c.errorf(docs[1].root, CodeNotPipeline, "keep one pipeline in a file", "a second document in the file")
	}
	return docs[0].root, diags
}

// Look says what there is to say about a pipeline for somebody who only looks at
// it, each thing at a place in its own document: what stands in a template is said
// where the template is used. Inputs are not missing: nobody has been asked.
func Look(src Source, library Library) core.Diagnostics {
	c := newCompiler(src, Options{Lenient: true, Library: library})
	if src.root == nil {
		src.last = math.MaxInt
	}
	c.here = &src
	c.compile(src)
	var out core.Diagnostics
	for _, d := range c.ordered() {
		if d.Code != CodeMissingInput && src.Holds(core.Position{File: d.File, Line: d.Line}) { // others are told of their own documents
			out = append(out, d)
		}
	}
	return out
}

// LookInputs says how an input set or overlay differs from the pipeline it is for
// (BEHAVIOUR §12.4): each thing that the pipeline does not ask for, or does not take,
// at its place.
func LookInputs(set Source, library Library) core.Diagnostics {
	body := set.root.Get("inputSet")
	id := body.At("pipeline", "identifier")
	if body == nil {
		body = set.root.Get("overlayInputSet")
		id = body.Get("pipelineIdentifier")
	}
	if !id.Scalar() || id.Text == "" || isExpression(id) {
		return nil // told by the schema
	}
	c := newCompiler(set, Options{Lenient: true, Library: library})
	c.here = &set
	r := Reference{Kind: KindPipeline, Identifier: id.Text, At: core.Scope{Org: textAt(body, "orgIdentifier"), Project: textAt(body, "projectIdentifier")}}
	src, ok := library(r)
	if !ok {
		c.notFound(id, "pipeline "+id.Text)
		return c.diags
	}
	root, _ := c.root(src)
	p := root.Get("pipeline")
	if p == nil || p.Kind != yamldoc.Map {
		return nil
	}
	c.opt.InputSets = []Source{set}
	c.inputs(p)
	var out core.Diagnostics
	for _, d := range c.ordered() {
		if set.Holds(core.Position{File: d.File, Line: d.Line}) {
			out = append(out, d)
		}
	}
	return out
}

// relocateUse moves a diagnostic about a document that a stage uses to the reference in
// the document looked at.
func (c *compiler) relocateUse(d *core.Diagnostic, n *yamldoc.Node) {
	at := core.Position{File: d.File, Line: d.Line, Column: d.Column}
	if c.here == nil || c.here.Holds(at) {
		return
	}
	if e := c.placedIn(n); e != nil && e.named != nil && c.here.Holds(e.named.Pos) {
		d.File, d.Line, d.Column, d.Path = e.named.Pos.File, e.named.Pos.Line, e.named.Pos.Column, e.named.Pointer()
		d.Message += " (in " + e.words + ", at " + at.String() + ")"
	}
}

// relocate moves a diagnostic about a template to the place in the document looked
// at that brings the template in.
func (c *compiler) relocate(d *core.Diagnostic, n *yamldoc.Node) bool {
	found := false
	for ; n != nil; n = n.Parent() {
		for u := c.uses[n]; u != nil; u = u.outer {
			if c.here.Holds(u.pos) {
				d.File, d.Line, d.Column, d.Path = u.pos.File, u.pos.Line, u.pos.Column, n.Pointer()+"/template/templateRef"
				found = true
			}
		}
	}
	return found
}
