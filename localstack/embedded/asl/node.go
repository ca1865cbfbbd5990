package asl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxDepth bounds nesting of a definition; ours need about eight.
const maxDepth = 64

// kind is what a JSON node is; its value reads well in a message.
type kind string

const (
	object  kind = "an object"
	array   kind = "an array"
	text    kind = "a string"
	number  kind = "a number"
	boolean kind = "true or false"
	null    kind = "null"
)

// node is a JSON value that knows where it stands, with its keys in order.
type node struct {
	kind    kind
	at      int    // offset in the substituted text
	text    string // of a string, or a number as written
	truth   bool
	members []member
	items   []*node
}

type member struct {
	name  string
	at    int
	value *node
}

func (n *node) member(name string) *member {
	for i := range n.members {
		if n.members[i].name == name {
			return &n.members[i]
		}
	}
	return nil
}

// reader builds nodes from the decoder's tokens. encoding/json checks syntax;
// the reader adds offsets, key order and the refusal of duplicate keys.
type reader struct {
	text []byte
	dec  *json.Decoder
	fail func(at int, format string, args ...any)
}

// errRead stops reading after a problem has been noted.
var errRead = errors.New("unreadable")

func (r *reader) document() (*node, error) {
	r.dec = json.NewDecoder(bytes.NewReader(r.text))
	r.dec.UseNumber()
	root, err := r.value(0)
	if err != nil {
		return nil, err
	}
	at := r.next()
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		r.fail(at, "text after the end of the definition: remove it")
		return nil, errRead
	}
	return root, nil
}

// next is the offset of the token to come.
func (r *reader) next() int {
	at := int(r.dec.InputOffset())
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n:,"), r.text[at]) >= 0 {
		at++
	}
	return at
}

func (r *reader) token() (json.Token, int, error) {
	at := r.next()
	tok, err := r.dec.Token()
	if err == nil {
		return tok, at, nil
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && int(syntax.Offset) > at && int(syntax.Offset) <= len(r.text) {
		at = int(syntax.Offset) - 1
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		r.fail(len(r.text), "the definition ends too early: close what is open")
	} else {
		r.fail(at, "not JSON: %v", err)
	}
	return nil, at, errRead
}

func (r *reader) value(depth int) (*node, error) {
	tok, at, err := r.token()
	if err != nil {
		return nil, err
	}
	n := &node{at: at}
	switch v := tok.(type) {
	case json.Delim:
		if depth == maxDepth {
			r.fail(at, "nested deeper than %d levels: flatten it", maxDepth)
			return nil, errRead
		}
		if v == '{' {
			return n, r.object(n, depth)
		}
		return n, r.array(n, depth)
	case string:
		n.kind, n.text = text, v
	case json.Number:
		n.kind, n.text = number, v.String()
	case bool:
		n.kind, n.truth = boolean, v
	case nil:
		n.kind = null
	default:
		return nil, fmt.Errorf("unknown token %T", tok)
	}
	return n, nil
}

func (r *reader) object(n *node, depth int) error {
	n.kind = object
	for r.dec.More() {
		tok, at, err := r.token()
		if err != nil {
			return err
		}
		name, _ := tok.(string)
		value, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		if n.member(name) != nil {
			r.fail(at, "the key %q stands here twice: keep one", name)
			continue
		}
		n.members = append(n.members, member{name, at, value})
	}
	_, _, err := r.token()
	return err
}

func (r *reader) array(n *node, depth int) error {
	n.kind = array
	for r.dec.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, _, err := r.token()
	return err
}

// plain is the node as Decode would give it.
func (n *node) plain() any {
	switch n.kind {
	case object:
		out := make(map[string]any, len(n.members))
		for _, m := range n.members {
			out[m.name] = m.value.plain()
		}
		return out
	case array:
		out := make([]any, len(n.items))
		for i, item := range n.items {
			out[i] = item.plain()
		}
		return out
	case text:
		return n.text
	case number:
		return json.Number(n.text)
	case boolean:
		return n.truth
	default:
		return nil
	}
}
