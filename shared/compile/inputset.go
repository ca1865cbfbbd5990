package compile

import (
	"fmt"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// inputSet merges one input set into the pipeline, element by element (BEHAVIOUR
// §12.4 to §12.6).
func (c *compiler) inputSet(p *yamldoc.Node, src Source) {
	docs, diags := yamldoc.Parse(src.File, src.Data)
	c.diags = append(c.diags, diags...)
	if len(docs) == 0 || docs[0].Root.Kind == yamldoc.Null {
		return
	}
	root := docs[0].Root
	if o := root.Entry("overlayInputSet"); o != nil {
		c.unsupported(o.Value, o.Key.Pos, "an overlay input set: list its input sets instead")
		return
	}
	set := root
	if s := root.Get("inputSet"); s != nil {
		set = s
	}
	from := set.Get("pipeline")
	if from == nil || from.Kind != yamldoc.Map {
		c.errorf(root, CodeInput, "an input set begins with inputSet: or pipeline:", "the file holds no input set")
		return
	}
	c.merge(p, from)
}

// identityKeys tell what an element is; an input set repeats them and cannot
// change them.
var identityKeys = map[string]bool{"identifier": true, "type": true, "name": true, "key": true}

// merge walks the pipeline and an input set side by side and fills in values.
func (c *compiler) merge(into, from *yamldoc.Node) {
	if in := c.byNode[into]; in != nil {
		c.supply(in, from, "input "+in.name())
		return
	}
	switch {
	case from.Kind == yamldoc.Null:
	case into.Kind == yamldoc.Map && from.Kind == yamldoc.Map:
		for _, e := range from.Entries {
			if to := into.Get(e.Key.Text); to != nil {
				c.mergeField(to, e)
			} else {
				c.add(core.SeverityError, e.Value, e.Key.Pos, CodeUnknownInput,
					fmt.Sprintf("the pipeline has no %s here", e.Key.Text), c.notThere(into, e.Key.Text))
			}
		}
	case into.Kind == yamldoc.List && from.Kind == yamldoc.List:
		c.mergeList(into, from)
	case into.Kind != from.Kind && !(into.Scalar() && from.Scalar()):
		c.errorf(from, CodeInput, "", "the input set has %s where the pipeline has %s", from.Kind, into.Kind)
	case into.Text != from.Text:
		c.errorf(from, CodeFixedInput, "write <+input> in the pipeline to leave it open",
			"%q is given for a field whose value is fixed to %q on line %d of the pipeline", from.Text, into.Text, into.Pos.Line)
	}
}

func (c *compiler) notThere(into *yamldoc.Node, key string) string {
	var names []string
	for _, e := range into.Entries {
		names = append(names, e.Key.Text)
	}
	if near := nearest(key, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "remove it, or write <+input> in the pipeline"
}

func (c *compiler) mergeField(to *yamldoc.Node, e yamldoc.Entry) {
	if identityKeys[e.Key.Text] && to.Scalar() && e.Value.Scalar() && c.byNode[to] == nil && to.Text != e.Value.Text {
		c.errorf(e.Value, CodeInput, "check which pipeline the input set is for",
			"%s is %q: the pipeline has %q", e.Key.Text, e.Value.Text, to.Text)
		return
	}
	c.merge(to, e.Value)
}

// mergeList finds for each element of an input set the pipeline's it is for: by
// identity; a parallel by what is in it; others by their place.
func (c *compiler) mergeList(into, from *yamldoc.Node) {
	byMark := map[string]*yamldoc.Node{}
	for _, to := range into.Items {
		for _, m := range marks(to) {
			if byMark[m] == nil {
				byMark[m] = to
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
			c.merge(to, it)
			continue
		}
		id := elementName(it, i)
		if id == "" {
			id = "of this kind"
		}
		c.errorf(it, CodeUnknownInput, "remove it, or add it to the pipeline", "the pipeline has no element %s here", id)
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
