// Package yamldoc reads YAML documents into trees that keep the author's order,
// positions and literal text. Anchors and merge keys are resolved, duplicate keys
// and oversized input are refused with a position. It owns the YAML library; no
// other package parses YAML.
package yamldoc

import "github.com/slipway-cd/slipway/shared/core"

// Bounds on one document. Passing one is a diagnostic that names it.
const (
	MaxDocument   = 3 << 20   // bytes of a document
	MaxScalar     = 256 << 10 // bytes of one scalar
	MaxDepth      = 100       // maps and lists inside each other
	MaxAliases    = 1_000     // aliases in a document
	MaxNodes      = 300_000   // values, those that aliases repeat included
	MaxRepeated   = 50_000    // values that aliases repeat
	MaxEmptyLines = 1_000     // blank lines in a row
	MaxKeys       = 1_000     // keys of one block map
	MaxEmpty      = 2_000     // keys and list items left without a value
	MaxComments   = 120_000   // lines of comments
	MaxDirectives = 100       // lines that begin with %
	MaxDocuments  = 1_000     // documents in one input
)

// Codes of the diagnostics of this package.
const (
	CodeSyntax    = "yaml-syntax"
	CodeTooLarge  = "yaml-too-large"
	CodeDuplicate = "duplicate-key"
	CodeAlias     = "yaml-alias"
	CodeKey       = "yaml-key"
)

// Document is one document of a YAML stream. Root is a Null node when the
// document is empty.
type Document struct {
	Index int // from 0 in the stream
	Root  *Node
}

// Kind is what a node is.
type Kind int

// Kinds of nodes.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

// String is the kind in words for messages: "a list".
func (k Kind) String() string {
	return [...]string{"nothing", "a boolean", "a number", "a string", "a list", "a map"}[k]
}

// Node is a value of a document. A tree is for one goroutine at a time. Nodes form a tree: what an alias repeats is
// copied, with the positions of the original.
type Node struct {
	Kind Kind
	// Text is a string's value, and of other scalars the literal the author wrote:
	// "1.10" stays "1.10". Empty for Null, List and Map.
	Text    string
	Quoted  bool    // a string in quotes or a block scalar
	Items   []*Node // of a list
	Entries []Entry // of a map, in the author's order
	Pos     core.Position

	value  any    // of Bool and Number: bool or float64
	parent *Node  // nil for the root
	key    string // in a map
	index  int    // in a list
	src    *source
	byKey  map[string]int // of a large map, made when first needed
}

// Entry is one key of a map and its value; both are never nil.
type Entry struct {
	Key   *Node
	Value *Node
}

// Scalar reports whether the node is a boolean, number or string.
func (n *Node) Scalar() bool {
	return n != nil && (n.Kind == Bool || n.Kind == Number || n.Kind == String)
}

// Get returns the value of a key, nil when n is no map or has no such key.
func (n *Node) Get(key string) *Node {
	if e := n.Entry(key); e != nil {
		return e.Value
	}
	return nil
}

// Entry returns the entry of a key, nil when n is no map or has no such key.
func (n *Node) Entry(key string) *Entry {
	if n == nil || n.Kind != Map {
		return nil
	}
	if len(n.Entries) > indexed && n.byKey == nil {
		n.byKey = make(map[string]int, len(n.Entries))
		for i, e := range n.Entries {
			n.byKey[e.Key.Text] = i
		}
	}
	if n.byKey != nil {
		if i, ok := n.byKey[key]; ok {
			return &n.Entries[i]
		}
		return nil
	}
	for i := range n.Entries {
		if n.Entries[i].Key.Text == key {
			return &n.Entries[i]
		}
	}
	return nil
}

// indexed is the size above which a map's keys are looked up in an index.
const indexed = 16

// At follows keys down through maps; nil when one is missing.
func (n *Node) At(keys ...string) *Node {
	for _, k := range keys {
		n = n.Get(k)
	}
	return n
}

// Any returns the node as encoding/json would decode it: nil, bool, float64,
// string, []any or map[string]any.
func (n *Node) Any() any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case Bool, Number:
		return n.value
	case String:
		return n.Text
	case List:
		out := make([]any, len(n.Items))
		for i, it := range n.Items {
			out[i] = it.Any()
		}
		return out
	case Map:
		out := make(map[string]any, len(n.Entries))
		for _, e := range n.Entries {
			out[e.Key.Text] = e.Value.Any()
		}
		return out
	case Null:
	}
	return nil
}
