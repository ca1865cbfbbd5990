package yamldoc

import "strings"

// flow reads a list or map in brackets that ends on its line; text[i:] begins with the
// bracket, which stands in column at+i. It returns where the text goes on.
func (r *reader) flow(text string, i, line, at, depth int) (n *Node, end int) {
	kind, closing := List, byte(']')
	if text[i] == '{' {
		kind, closing = Map, '}'
	}
	if n = r.node(kind, line, at+i); depth > MaxDepth {
		return r.giveUp(), i
	}
	for i++; !r.other; {
		if i = blanks(text, i); i < len(text) && text[i] == closing && len(n.Items)+len(n.Entries) == 0 {
			return n, i + 1
		}
		var key *Node
		if kind == Map {
			name, rest, ok := cutKey(text[i:])
			if !ok || rest == "" || n.Entry(name) != nil || len(n.Entries) >= MaxKeys {
				return r.giveUp(), i
			}
			key = r.node(String, line, at+i)
			key.Text = name
			i = len(text) - len(rest)
		}
		var v *Node
		if v, i = r.element(text, i, line, at, depth); key != nil {
			n.put(key, v)
		} else {
			n.add(v)
		}
		if i = blanks(text, i); i >= len(text) || text[i] != ',' && text[i] != closing {
			break
		}
		if i++; text[i-1] == closing {
			return n, i
		}
	}
	return r.giveUp(), i
}

func blanks(text string, i int) int {
	for i < len(text) && text[i] == ' ' {
		i++
	}
	return i
}

// element reads a value within brackets.
func (r *reader) element(text string, i, line, at, depth int) (n *Node, end int) {
	if i >= len(text) {
		return r.giveUp(), i
	}
	b := text[i]
	switch {
	case b == '[' || b == '{':
		return r.flow(text, i, line, at, depth+1)
	case b == '"' || b == '\'':
		n = r.node(String, line, at+i)
		size, ok := quoted(text[i:])
		if !ok {
			return r.giveUp(), i
		}
		n.Quoted, n.Text = true, text[i+1:i+size-1]
		return n, i + size
	}
	n = r.node(String, line, at+i)
	end = i
	for end < len(text) && strings.IndexByte(",[]{}#&*!|>'\"%@`", text[end]) < 0 || end < len(text) && text[end] == '>' && end > i {
		end++
	}
	word := strings.TrimRight(text[i:end], " ")
	if end == len(text) || strings.IndexByte(",]}", text[end]) < 0 || word == "" || !plainStart(b) || dashed(word) || word == "<<" || strings.IndexByte(word, ':') >= 0 {
		return r.giveUp(), i
	}
	n.Text = word
	r.resolve(n)
	return n, end
}

// quoted measures a text in quotes without escapes.
func quoted(text string) (size int, ok bool) {
	end := strings.IndexByte(text[1:], text[0])
	if end < 0 || text[0] == '"' && strings.IndexByte(text[:end+1], '\\') >= 0 || end+2 < len(text) && text[end+2] == text[0] {
		return 0, false
	}
	return end + 2, true
}
