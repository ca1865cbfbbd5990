package compile

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// LookReferences says which of the documents that a document names are not among those
// given, and holds what a trigger gives to its pipeline. Of kinds that are not given at
// all nothing is said, but of a trigger's: they are elsewhere.
func LookReferences(src Source, library Library) core.Diagnostics {
	if src.root == nil || src.root.Kind != yamldoc.Map || len(src.root.Entries) == 0 {
		return nil
	}
	c := newCompiler(src, Options{Lenient: true, Library: library})
	body := src.root
	if e := src.root.Entries[0]; len(src.root.Entries) == 1 && e.Value.Kind == yamldoc.Map {
		body = e.Value
	}
	c.home = c.scope(body)
	if textAt(body, "orgIdentifier") != "" && textAt(body, "projectIdentifier") == "" {
		c.home.Project = "" // it lives in its organization
	}
	if src.root.Get("trigger") != nil {
		c.trigger(body)
	}
	for key, kind := range map[string]Kind{"environmentRef": KindEnvironment, "serviceRef": KindService} {
		c.exists(kind, body.Get(key))
	}
	for _, it := range itemsOf(body.Get("envIdentifiers")) {
		c.exists(KindEnvironment, it)
	}
	c.connectors(&core.Plan{}, src.root)
	var out core.Diagnostics
	for _, d := range c.ordered() {
		if d.File == src.File && src.Holds(core.Position{File: d.File, Line: d.Line}) {
			out = append(out, d)
		}
	}
	return out
}

// exists warns of a reference to a document that is not there while others of its kind
// are.
func (c *compiler) exists(kind Kind, n *yamldoc.Node) {
	if !n.Scalar() || n.Text == "" || isExpression(n) {
		return
	}
	at, id := scopeOf(n.Text, c.home)
	if _, ok := c.find(Reference{Kind: kind, At: at, Identifier: id}); ok {
		return
	}
	if _, some := c.find(Reference{Kind: kind, At: c.home, Nth: 1}); some {
		c.notFound(n, noun[kind]+" "+n.Text)
	}
}

// trigger holds the input sets and inputs that a trigger gives to its pipeline
// (BEHAVIOUR §16.2).
func (c *compiler) trigger(body *yamldoc.Node) {
	id := body.Get("pipelineIdentifier")
	if !id.Scalar() || id.Text == "" || isExpression(id) {
		return // told by the schema
	}
	src, ok := c.find(Reference{Kind: KindPipeline, At: c.home, Identifier: id.Text})
	if !ok {
		c.notFound(id, "pipeline "+id.Text)
		return
	}
	for _, it := range itemsOf(body.Get("inputSetRefs")) {
		if !it.Scalar() || it.Text == "" || isExpression(it) {
			continue
		}
		if _, ok := c.find(Reference{Kind: KindInputSet, At: c.home, Identifier: it.Text, Pipeline: id.Text}); !ok {
			c.notFound(it, "input set "+it.Text+" of pipeline "+id.Text)
		}
	}
	root, _ := c.root(src)
	p, text := root.Get("pipeline"), body.Get("inputYaml")
	if p == nil || p.Kind != yamldoc.Map || text == nil || text.Kind != yamldoc.String || strings.HasPrefix(text.Text, inputMark) {
		return
	}
	before := len(c.diags)
	c.opt.InputSets = []Source{{File: inputText, Data: []byte(text.Text)}}
	c.inputs(p)
	for i := before; i < len(c.diags); i++ {
		if d := &c.diags[i]; d.File == inputText {
			pos := text.PosAt(offset(text.Text, d.Line, d.Column))
			d.File, d.Line, d.Column, d.Path = pos.File, pos.Line, pos.Column, text.Pointer()
		}
	}
}

// inputText stands for the file of the YAML that is text of a trigger.
const inputText = "inputYaml"

// offset is the place of a line and column in a text, in runes.
func offset(text string, line, column int) int {
	at := 0
	for l := range strings.Lines(text) {
		if line--; line == 0 {
			return at + min(column-1, len([]rune(strings.TrimRight(l, "\n"))))
		}
		at += len([]rune(l))
	}
	return at
}
