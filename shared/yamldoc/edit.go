package yamldoc

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/core"
)

// Replace puts with in the place of n in its tree. n must not be a root. with
// keeps its own positions and takes over n's pointer.
func (n *Node) Replace(with *Node) {
	with.parent, with.key, with.index = n.parent, n.key, n.index
	if n.parent.Kind == List {
		if i := slices.Index(n.parent.Items, n); i >= 0 { // not its index when others were taken out
			n.parent.Items[i] = with
		}
		return
	}
	n.parent.Entry(n.key).Value = with
}

// Clone copies a node and all below it. The copy is a root until it replaces
// another node.
func (n *Node) Clone() *Node {
	c := *n
	c.parent, c.key, c.index = nil, "", 0
	c.Items, c.Entries, c.byKey = nil, nil, nil
	for _, it := range n.Items {
		c.add(it.Clone())
	}
	for _, e := range n.Entries {
		c.put(e.Key, e.Value.Clone())
	}
	return &c
}

func (n *Node) add(item *Node) {
	item.parent, item.index = n, len(n.Items)
	n.Items = append(n.Items, item)
}

func (n *Node) put(key, value *Node) {
	value.parent, value.key = n, key.Text
	n.Entries, n.byKey = append(n.Entries, Entry{key, value}), nil
}

// NewString returns a string node that stands at pos.
func NewString(text string, pos core.Position) *Node {
	return &Node{Kind: String, Text: text, Quoted: true, Pos: pos}
}

// NewPlain returns the scalar a plain (unquoted) word stands for, at pos: "5" is
// a number, "true" a boolean, "<+x>" a string.
func NewPlain(text string, pos core.Position) *Node {
	n := &Node{Kind: String, Text: text, Pos: pos}
	if v, err := strconv.ParseFloat(text, 64); err == nil && strings.IndexFunc(text, notDecimal) < 0 {
		n.Kind, n.value = Number, v
	} else if text == "true" || text == "false" {
		n.Kind, n.value = Bool, text == "true"
	}
	return n
}

func notDecimal(r rune) bool { return !strings.ContainsRune("0123456789+-.", r) }

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// Pointer is the node's JSON Pointer (RFC 6901) in its document, "" for the root.
func (n *Node) Pointer() string {
	if n == nil || n.parent == nil {
		return ""
	}
	step := n.key
	if n.parent.Kind == List {
		step = strconv.Itoa(n.index)
	}
	return n.parent.Pointer() + "/" + pointerEscaper.Replace(step)
}

// Parent is the map or list the node stands in, nil for a root.
func (n *Node) Parent() *Node { return n.parent }

// Name is the key that the node is the value of, "" for the root and in lists.
func (n *Node) Name() string { return n.key }

// PosAt is the position of the rune at offset (from 0) of a scalar's Text, as
// near as the text's form allows: exact for one-line scalars without escapes and
// for `|` blocks, the scalar's own position otherwise.
func (n *Node) PosAt(offset int) core.Position {
	pos := n.Pos
	if n.src == nil || offset < 0 || offset > utf8.RuneCountInString(n.Text) {
		return pos
	}
	line := n.src.line(pos.Line)
	if pos.Column > utf8.RuneCountInString(line) {
		return pos
	}
	rest := string([]rune(line)[pos.Column-1:])
	before := string([]rune(n.Text)[:offset])
	if strings.HasPrefix(rest, "|") {
		row := strings.Count(before, "\n")
		col := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
		pos.Line += 1 + row
		pos.Column = n.src.blockIndent(n.Pos.Line) + col + 1
		return pos
	}
	quote := 0
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') && n.Quoted {
		quote = 1
	}
	if strings.HasPrefix(rest[quote:], before) {
		pos.Column += quote + utf8.RuneCountInString(before)
	}
	return pos
}

// Moved returns n as if it stood where other does, and everything below it at that
// place in the text: what is said of it is said there. n must be a root.
func (n *Node) Moved(other *Node) *Node {
	n.parent, n.key, n.index = other.parent, other.key, other.index
	n.place(other.Pos)
	return n
}

func (n *Node) place(pos core.Position) {
	n.Pos = pos
	for _, it := range n.Items {
		it.place(pos)
	}
	for _, e := range n.Entries {
		e.Key.Pos = pos
		e.Value.place(pos)
	}
}

// NewMap returns an empty map that stands at pos.
func NewMap(pos core.Position) *Node { return &Node{Kind: Map, Pos: pos} }

// NewList returns an empty list that stands at pos.
func NewList(pos core.Position) *Node { return &Node{Kind: List, Pos: pos} }

// Set appends an entry to a map under construction; value must be a root.
func (n *Node) Set(key string, value *Node) { n.put(NewString(key, value.Pos), value) }

// Put is Set with the node of a key of another map.
func (n *Node) Put(key, value *Node) { n.put(key, value) }

// Append appends an item to a list under construction; it must be a root.
func (n *Node) Append(item *Node) { n.add(item) }

// Filter takes items out of a list; those that stay keep their pointers.
func (n *Node) Filter(keep func(*Node) bool) {
	n.Items = slices.DeleteFunc(n.Items, func(it *Node) bool { return !keep(it) })
}
