package compile

import (
	"fmt"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// inputSet merges one input set, or those an overlay lists, into the pipeline
// (BEHAVIOUR §12.4 to §12.6).
func (c *compiler) inputSet(p *yamldoc.Node, src Source) {
	root := c.setDocument(src)
	if root == nil {
		return
	}
	if o := root.Entry("overlayInputSet"); o != nil {
		c.overlay(p, o.Value)
		return
	}
	c.mergeSet(p, root)
}

// setDocument parses an input set, nil when there is nothing in it.
func (c *compiler) setDocument(src Source) *yamldoc.Node {
	if src.root != nil {
		return src.root
	}
	docs, diags := yamldoc.Parse(src.File, src.Data)
	c.diags = append(c.diags, diags...)
	if len(docs) == 0 || docs[0].Root.Kind == yamldoc.Null {
		return nil
	}
	return docs[0].Root
}

func (c *compiler) mergeSet(p, root *yamldoc.Node) {
	set := root
	if s := root.Get("inputSet"); s != nil {
		set = s
	}
	c.sets[root.Pos.File] = textAt(set, "identifier")
	from := set.Get("pipeline")
	if from == nil || from.Kind != yamldoc.Map {
		c.errorf(root, CodeInput, "an input set begins with inputSet: or pipeline:", "the file holds no input set")
		return
	}
	m := merger{c: c, inputs: c.byNode, what: "the pipeline", supply: c.supply,
		differs: func(n *yamldoc.Node, pos core.Position, code, msg, help string) {
			c.add(core.SeverityError, n, pos, code, msg, help)
		}}
	m.merge(p, from)
}

// overlay merges the input sets an overlay lists, in its order.
func (c *compiler) overlay(p, o *yamldoc.Node) {
	pipeline := textAt(p, "identifier")
	if id := o.Get("pipelineIdentifier"); id.Scalar() && id.Text != pipeline {
		c.errorf(id, CodeInput, "check which pipeline the overlay is for", "pipelineIdentifier is %q: the pipeline is %q", id.Text, pipeline)
		return
	}
	list := o.Get("inputSetReferences")
	if list == nil || list.Kind != yamldoc.List || len(list.Items) == 0 {
		c.errorf(o, CodeMissingField, "list input sets under inputSetReferences:", "the overlay names no input set")
		return
	}
	for _, it := range list.Items {
		if !it.Scalar() {
			c.errorf(it, CodeWrongType, "", "an item of inputSetReferences is %s: expected the identifier of an input set", it.Kind)
			continue
		}
		src, ok := c.find(Reference{Kind: KindInputSet, At: c.scope(p), Identifier: it.Text, Pipeline: pipeline})
		if !ok {
			c.notFound(it, "input set "+it.Text)
			continue
		}
		c.file(src.File)
		root := c.setDocument(src)
		switch {
		case root == nil:
		case root.Get("overlayInputSet") != nil:
			c.errorf(it, CodeInput, "list the input sets themselves", "%s is an overlay: an overlay holds input sets only", it.Text)
		default:
			c.mergeSet(p, root)
		}
	}
}

// find asks the library.
func (c *compiler) find(r Reference) (Source, bool) {
	if c.opt.Library == nil {
		return Source{}, false
	}
	return c.opt.Library(r)
}

// notFound says that something referred to is not there.
func (c *compiler) notFound(n *yamldoc.Node, what string) {
	sev := core.SeverityError
	if c.opt.Lenient {
		sev = core.SeverityWarning
	}
	c.add(sev, n, n.Pos, CodeNotFound, what+" is not found", "check the reference, or give the files it is in")
}

// identityKeys tell what an element is; an input set repeats them and cannot
// change them.
var identityKeys = map[string]bool{"identifier": true, "type": true, "name": true, "key": true}

// merger fills the inputs of a document, the pipeline or a template, with what
// another gives for them.
type merger struct {
	c      *compiler
	inputs map[*yamldoc.Node]*input
	what   string // the document, in words
	supply func(in *input, value *yamldoc.Node, what string)
	// differs is told what is given for something that is no input.
	differs func(n *yamldoc.Node, pos core.Position, code, msg, help string)
}

// merge walks a document and what is given side by side and fills in values.
func (m *merger) merge(into, from *yamldoc.Node) {
	if in := m.inputs[into]; in != nil {
		m.supply(in, from, "input "+in.name())
		return
	}
	switch {
	case from.Kind == yamldoc.Null:
	case into.Kind == yamldoc.Map && from.Kind == yamldoc.Map:
		for _, e := range from.Entries {
			if to := into.Get(e.Key.Text); to != nil {
				m.field(to, e)
			} else {
				m.differs(e.Value, e.Key.Pos, CodeUnknownInput,
					fmt.Sprintf("%s has no %s here", m.what, e.Key.Text), m.notThere(into, e.Key.Text))
			}
		}
	case into.Kind == yamldoc.List && from.Kind == yamldoc.List:
		m.list(into, from)
	case into.Kind != from.Kind && !(into.Scalar() && from.Scalar()):
		m.differs(from, from.Pos, CodeInput, fmt.Sprintf("%s is given where %s has %s", from.Kind, m.what, into.Kind), "")
	case into.Text != from.Text:
		m.differs(from, from.Pos, CodeFixedInput,
			fmt.Sprintf("%q is given for a field whose value is fixed to %q on line %d of %s", from.Text, into.Text, into.Pos.Line, m.what),
			"write <+input> in "+m.what+" to leave it open")
	}
}

func (m *merger) notThere(into *yamldoc.Node, key string) string {
	var names []string
	for _, e := range into.Entries {
		names = append(names, e.Key.Text)
	}
	if near := nearest(key, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "remove it, or write <+input> in " + m.what
}

func (m *merger) field(to *yamldoc.Node, e yamldoc.Entry) {
	if identityKeys[e.Key.Text] && to.Scalar() && e.Value.Scalar() && m.inputs[to] == nil && to.Text != e.Value.Text {
		m.differs(e.Value, e.Value.Pos, CodeInput, fmt.Sprintf("%s is %q: %s has %q", e.Key.Text, e.Value.Text, m.what, to.Text),
			"check what the inputs are for")
		return
	}
	m.merge(to, e.Value)
}

// list finds for each element that is given the one it is for: by identity; a
// parallel by what is in it; others by their place.
func (m *merger) list(into, from *yamldoc.Node) {
	byMark := map[string]*yamldoc.Node{}
	for _, to := range into.Items {
		for _, mark := range marks(to) {
			if byMark[mark] == nil {
				byMark[mark] = to
			}
		}
	}
	for i, it := range from.Items {
		var to *yamldoc.Node
		if ms := marks(it); len(ms) > 0 {
			to = byMark[ms[0]]
		} else if i < len(into.Items) {
			to = into.Items[i]
		}
		if to != nil {
			m.merge(to, it)
			continue
		}
		id := elementName(it, i)
		if id == "" {
			id = "of this kind"
		}
		m.differs(it, it.Pos, CodeUnknownInput, fmt.Sprintf("%s has no element %s here", m.what, id), "remove it, or add it to "+m.what)
	}
}

// marks are the identities of an element: one, or a parallel's elements'.
func marks(it *yamldoc.Node) []string {
	w := wrapped(it)
	switch {
	case w != nil && w.Kind == yamldoc.List:
		var out []string
		for _, x := range w.Items {
			for _, m := range marks(x) {
				out = append(out, "in a parallel: "+m)
			}
		}
		return out
	case w != nil:
		it = w
	}
	if id := identity(it); id != "" {
		return []string{id}
	}
	return nil
}

// given is the part of the pipeline that inputs were given for, with what tells its
// elements apart (BEHAVIOUR §12.4); nil when none was.
func (c *compiler) given(n *yamldoc.Node) map[string]any {
	m, _ := c.part(n).(map[string]any)
	return m
}

func (c *compiler) part(n *yamldoc.Node) any {
	if in := c.byNode[n]; in != nil {
		if !in.given {
			return nil
		}
		return n.Any()
	}
	var list []any
	for _, it := range n.Items {
		if v := c.part(it); v != nil {
			list = append(list, v)
		}
	}
	if list != nil {
		return list
	}
	var m map[string]any
	for _, e := range n.Entries {
		if v := c.part(e.Value); v != nil {
			if m == nil {
				m = map[string]any{}
			}
			m[e.Key.Text] = v
		}
	}
	if m == nil {
		return nil
	}
	for key := range identityKeys {
		if v := n.Get(key); v.Scalar() {
			m[key] = v.Text
		}
	}
	return m
}
