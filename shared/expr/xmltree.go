package expr

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/antchfx/xpath"
)

// xmlNode is a node of an XML document.
type xmlNode struct {
	kind         xpath.NodeType
	prefix, name string
	text         string // of text, comments and attributes
	parent       *xmlNode
	children     []*xmlNode
	attributes   []*xmlNode
	index        int // among its siblings
}

// parseXML reads a document as it is written: names keep their prefixes, entities
// other than XML's own five are refused, nothing outside is read.
func (f *frame) parseXML(text string) (*xmlNode, error) {
	if err := f.charge(4 * len(text)); err != nil {
		return nil, err
	}
	root := &xmlNode{kind: xpath.RootNode}
	at := root
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // text is Unicode already
	for depth := 0; ; {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, wrong("expected XML, found %q: %v", excerpt(text), err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return nil, errTooDeep
			}
			at = at.open(token)
		case xml.EndElement:
			if at == root || at.prefix != token.Name.Space || at.name != token.Name.Local {
				return nil, wrong("expected XML, found </%s> where %s is to be closed", excerpt(token.Name.Local), pick(at == root, "no element", "<"+excerpt(at.name)+">"))
			}
			depth--
			at = at.parent
		case xml.CharData:
			at.write(string(token))
		case xml.Comment:
			at.append(&xmlNode{kind: xpath.CommentNode, text: string(token)})
		}
		if err := f.grow(160); err != nil {
			return nil, err
		}
	}
	if at != root || len(root.children) == 0 {
		return nil, wrong("expected XML, found %q: %s", excerpt(text), pick(at == root, "no element", "<"+excerpt(at.name)+"> is not closed"))
	}
	return root, f.grow(len(text))
}

func (n *xmlNode) append(c *xmlNode) *xmlNode {
	c.parent, c.index = n, len(n.children)
	n.children = append(n.children, c)
	return c
}

func (n *xmlNode) open(t xml.StartElement) *xmlNode {
	c := n.append(&xmlNode{kind: xpath.ElementNode, prefix: t.Name.Space, name: t.Name.Local})
	for i, a := range t.Attr {
		c.attributes = append(c.attributes, &xmlNode{kind: xpath.AttributeNode, prefix: a.Name.Space, name: a.Name.Local,
			text: a.Value, parent: c, index: i})
	}
	return c
}

// write adds text; the parts of one text are one node. Outside of the document's
// element there is only white space.
func (n *xmlNode) write(text string) {
	if last := len(n.children) - 1; last >= 0 && n.children[last].kind == xpath.TextNode {
		n.children[last].text += text
		return
	}
	if n.kind != xpath.RootNode {
		n.append(&xmlNode{kind: xpath.TextNode, text: text})
	}
}

// budget stops the library when the evaluation's steps are used up: from then on
// nothing moves.
type budget struct {
	ev    *evaluator
	moves int
	err   error
}

// movesAStep is how many moves of the library cost as much as a step: measured.
const movesAStep = 4

func (b *budget) spend(bytes int) bool {
	if b.moves++; b.err == nil && (b.moves%movesAStep == 0 || bytes > 0) {
		b.err = b.ev.charge(bytes)
	}
	return b.err == nil
}

// cursor implements xpath.NodeNavigator.
type cursor struct {
	*budget
	at *xmlNode
}

func (c *cursor) to(n *xmlNode) bool {
	if n == nil || !c.spend(0) {
		return false
	}
	c.at = n
	return true
}

func (c *cursor) sibling(i int) bool {
	if c.at.parent == nil || c.at.kind == xpath.AttributeNode || i < 0 || i >= len(c.at.parent.children) {
		return false
	}
	return c.to(c.at.parent.children[i])
}

// NodeType implements xpath.NodeNavigator, as do the methods below.
func (c *cursor) NodeType() xpath.NodeType { return c.at.kind }

// LocalName is the name without its prefix.
func (c *cursor) LocalName() string { return c.at.name }

// Prefix is the prefix as it is written.
func (c *cursor) Prefix() string { return c.at.prefix }

// Copy returns another cursor at the same node.
func (c *cursor) Copy() xpath.NodeNavigator {
	c.spend(0)
	return &cursor{c.budget, c.at}
}

// Value is the text of a node, of an element all the text inside it.
func (c *cursor) Value() string {
	switch c.at.kind {
	case xpath.RootNode, xpath.ElementNode:
	default:
		c.spend(len(c.at.text))
		return c.at.text
	}
	var b strings.Builder
	var walk func(*xmlNode)
	walk = func(n *xmlNode) {
		for _, child := range n.children {
			if !c.spend(0) {
				return
			}
			if child.kind == xpath.TextNode {
				b.WriteString(child.text)
			}
			walk(child)
		}
	}
	walk(c.at)
	if !c.spend(16 * b.Len()) { // a copy each time, which may be kept
		return ""
	}
	return b.String()
}

// MoveToRoot goes to the document.
func (c *cursor) MoveToRoot() {
	for c.at.parent != nil {
		c.at = c.at.parent
	}
}

// MoveToParent goes up, from an attribute to its element.
func (c *cursor) MoveToParent() bool { return c.to(c.at.parent) }

// MoveToNextAttribute goes to the first or the next attribute.
func (c *cursor) MoveToNextAttribute() bool {
	of, i := c.at, 0
	if c.at.kind == xpath.AttributeNode {
		of, i = c.at.parent, c.at.index+1
	}
	return i < len(of.attributes) && c.to(of.attributes[i])
}

// MoveToChild goes to the first child.
func (c *cursor) MoveToChild() bool { return len(c.at.children) > 0 && c.to(c.at.children[0]) }

// MoveToFirst goes to the first sibling unless it is there.
func (c *cursor) MoveToFirst() bool { return c.at.index > 0 && c.sibling(0) }

// MoveToNext goes to the next sibling.
func (c *cursor) MoveToNext() bool { return c.sibling(c.at.index + 1) }

// MoveToPrevious goes to the sibling before.
func (c *cursor) MoveToPrevious() bool { return c.sibling(c.at.index - 1) }

// MoveTo goes where another cursor is.
func (c *cursor) MoveTo(other xpath.NodeNavigator) bool {
	o, ok := other.(*cursor)
	return ok && c.to(o.at)
}
