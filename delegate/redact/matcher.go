// Package redact masks secret values in text that flows by, in whatever pieces
// it is written, and never lets part of a secret out.
package redact

import (
	"slices"
	"strings"
)

// Mask is what stands where a secret stood.
const Mask = "**************"

// Matcher finds the forms of a set of secrets (an Aho-Corasick automaton: time
// is linear in the text whatever the secrets are). It is immutable and may be
// shared. A nil Matcher finds nothing.
type Matcher struct {
	nodes []node
	root  [256]int32      // transitions of the start state
	heads [1 << 10]uint64 // bits of the hashed first three bytes of each pattern
	wide  map[uint64]int32
}

// node is one state. Most have a single way on, kept in the node itself.
type node struct {
	next  int32 // state after byte, 0 for none
	fail  int32 // state of the longest proper suffix
	depth int32 // bytes matched so far
	found int32 // length of the longest pattern that ends here, 0 for none
	byte  byte
}

// New returns a matcher for every form of the secrets that is at least MinLength
// bytes long, nil when there is none.
func New(secrets ...string) *Matcher {
	m := &Matcher{nodes: make([]node, 1)}
	for _, s := range secrets {
		for _, form := range forms(s) {
			m.add(form)
		}
	}
	if len(m.nodes) == 1 {
		return nil
	}
	m.link()
	return m
}

func (m *Matcher) add(pattern string) {
	at := int32(0)
	for i := range len(pattern) {
		next := m.child(at, pattern[i])
		if next == 0 {
			next = int32(len(m.nodes))
			m.nodes = append(m.nodes, node{depth: m.nodes[at].depth + 1})
			m.setChild(at, pattern[i], next)
		}
		at = next
	}
	m.nodes[at].found = m.nodes[at].depth
	h := head(pattern[0], pattern[1], pattern[2])
	m.heads[h>>6] |= 1 << (h & 63)
}

// head hashes the beginning of a pattern, which has MinLength bytes at least.
func head(a, b, c byte) uint16 { return uint16(a)<<8 ^ uint16(b)<<4 ^ uint16(c) }

// skip returns the first place from i on where a pattern may begin.
func (m *Matcher) skip(text []byte, i int) int {
	for ; i+2 < len(text); i++ {
		h := head(text[i], text[i+1], text[i+2])
		if m.heads[h>>6]&(1<<(h&63)) != 0 {
			return i
		}
	}
	for i < len(text) && m.root[text[i]] == 0 {
		i++
	}
	return i
}

func (m *Matcher) child(at int32, b byte) int32 {
	if at == 0 {
		return m.root[b]
	}
	n := &m.nodes[at]
	if n.next != 0 && n.byte == b {
		return n.next
	}
	if m.wide == nil {
		return 0
	}
	return m.wide[uint64(at)<<8|uint64(b)]
}

func (m *Matcher) setChild(at int32, b byte, next int32) {
	n := &m.nodes[at]
	switch {
	case at == 0:
		m.root[b] = next
	case n.next == 0:
		n.next, n.byte = next, b
	default:
		if m.wide == nil {
			m.wide = map[uint64]int32{}
		}
		m.wide[uint64(at)<<8|uint64(b)] = next
	}
}

// link fills in fail and found, breadth first.
func (m *Matcher) link() {
	type edge struct {
		from, to int32
		b        byte
	}
	children := make([][]edge, len(m.nodes))
	for b, to := range m.root {
		if to != 0 {
			children[0] = append(children[0], edge{0, to, byte(b)})
		}
	}
	for i := range m.nodes {
		if n := m.nodes[i]; n.next != 0 {
			children[i] = append(children[i], edge{int32(i), n.next, n.byte})
		}
	}
	for key, to := range m.wide {
		from := int32(key >> 8)
		children[from] = append(children[from], edge{from, to, byte(key)})
	}
	queue := slices.Clone(children[0])
	for len(queue) > 0 {
		e := queue[0]
		queue = append(queue[1:], children[e.to]...)
		if e.from != 0 {
			m.nodes[e.to].fail = m.step(m.nodes[e.from].fail, e.b)
		}
		n := &m.nodes[e.to]
		n.found = max(n.found, m.nodes[n.fail].found)
	}
}

// step is the state after one more byte.
func (m *Matcher) step(at int32, b byte) int32 {
	for at != 0 {
		if next := m.child(at, b); next != 0 {
			return next
		}
		at = m.nodes[at].fail
	}
	return m.root[b]
}

// String returns s with every secret masked. Unlike a Writer's end, the end of s
// is not masked when it could be the beginning of a secret: s is a whole value.
func (m *Matcher) String(s string) string {
	if m == nil || s == "" {
		return s
	}
	var b strings.Builder
	w := Writer{m: m, out: &b}
	_, _ = w.Write([]byte(s)) // a strings.Builder cannot fail
	_ = w.end(false)
	return b.String()
}

// Value returns v, a JSON value, with every string in it masked, keys included.
func (m *Matcher) Value(v any) any {
	if m == nil {
		return v
	}
	switch v := v.(type) {
	case string:
		return m.String(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = m.Value(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[m.String(k)] = m.Value(e)
		}
		return out
	default:
		return v
	}
}
