package document

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// With gives a field of a document of a kind another value, a plain word, and leaves the
// rest as its author wrote it, unless it stands so that it has to be written anew.
func With(text string, kind core.EntityKind, key, value string) (string, error) {
	root, err := bodyOf(text, kind)
	if err != nil {
		return "", err
	}
	if next := rewritten(text, root, key, value); next != "" {
		if b, err := bodyOf(next, kind); err == nil && same(b, root, key, value) {
			return next, nil
		}
	}
	if e := root.Entry(key); e != nil {
		e.Value.Replace(yamldoc.NewPlain(value, e.Value.Pos))
	} else {
		root.Set(key, yamldoc.NewPlain(value, root.Pos))
	}
	return root.Parent().Encode()
}

func bodyOf(text string, kind core.EntityKind) (*yamldoc.Node, error) {
	docs, diags := yamldoc.Parse("", []byte(text))
	if diags.Blocks() || len(docs) != 1 || docs[0].Root.Get(Root(kind)) == nil || docs[0].Root.Get(Root(kind)).Kind != yamldoc.Map {
		return nil, fault.New(fault.Internal, "the %s cannot be read: %s", kind, diags)
	}
	return docs[0].Root.Get(Root(kind)), nil
}

// rewritten changes the one line of a document in which a field stands, or puts one
// before the first field; "" where that is not possible.
func rewritten(text string, body *yamldoc.Node, key, value string) string {
	lines := strings.SplitAfter(text, "\n")
	e := body.Entry(key)
	if e == nil {
		if len(body.Entries) == 0 {
			return ""
		}
		at := body.Entries[0].Key.Pos
		indent := strings.Repeat(" ", at.Column-1)
		if at.Line > len(lines) || !strings.HasPrefix(lines[at.Line-1], indent) || strings.TrimSpace(lines[at.Line-1][:at.Column-1]) != "" {
			return ""
		}
		lines[at.Line-1] = indent + key + ": " + value + "\n" + lines[at.Line-1]
		return strings.Join(lines, "")
	}
	at := e.Value.Pos
	if !e.Value.Scalar() || e.Value.Quoted || at.Line > len(lines) || at.Column > len(lines[at.Line-1]) {
		return ""
	}
	line := lines[at.Line-1]
	rest, ok := strings.CutPrefix(line[at.Column-1:], e.Value.Text)
	if !ok {
		return ""
	}
	lines[at.Line-1] = line[:at.Column-1] + value + rest
	return strings.Join(lines, "")
}

// same reports whether a body is another one but for a field, which has the value.
func same(b, was *yamldoc.Node, key, value string) bool {
	v := b.Get(key)
	if v == nil || v.Text != value {
		return false
	}
	without := func(n *yamldoc.Node) (string, error) {
		c := yamldoc.NewMap(n.Pos)
		for _, e := range n.Entries {
			if e.Key.Text != key {
				c.Put(e.Key, e.Value.Clone())
			}
		}
		return c.Encode()
	}
	x, err := without(b)
	y, err2 := without(was)
	return err == nil && err2 == nil && x == y
}
