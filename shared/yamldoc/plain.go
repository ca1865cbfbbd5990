package yamldoc

import (
	"strings"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"

	"github.com/slipway-cd/slipway/shared/core"
)

// reader reads documents of the usual form in one pass over their lines: block maps
// and lists, values on one line, and | texts. Whatever else it meets, or finds wrong,
// is left to the library, which makes the same of the rest and takes ten times as long.
type reader struct {
	src    *source
	first  int // lines before the document
	lines  []textLine
	next   int // of lines
	other  bool
	values int
	empty  int
	slab   []Node
	words  map[string]*Node // scalars that may be more than text, as the library has them
}

// textLine is a line that is neither blank nor a comment, or any line within a text.
type textLine struct {
	text   string // without indentation and line end
	indent int
	number int // from 1 in the document
	last   bool
}

// readPlain returns the root of a document of the usual form; ok is false for others.
func readPlain(src *source, c chunk) (root *Node, ok bool) {
	r := &reader{src: src, first: c.first}
	if !r.split(string(c.data)) {
		return nil, false
	}
	if l := r.peek(); l != nil && l.indent == 0 && l.text == "---" {
		r.next++
	}
	l := r.peek()
	if l == nil {
		return nil, false
	}
	root = r.block(l.indent, 0)
	if r.other || r.peek() != nil {
		return nil, false
	}
	return root, true
}

// split cuts the text into lines; false for text with characters that mean more than
// they seem to.
func (r *reader) split(text string) bool {
	if !strings.HasSuffix(text, "\n") || strings.ContainsAny(text, "\t\r") {
		return false
	}
	r.lines = make([]textLine, 0, strings.Count(text, "\n"))
	for n := 1; text != ""; n++ {
		i := strings.IndexByte(text, '\n')
		line := text[:i]
		text = text[i+1:]
		rest := strings.TrimLeft(line, " ")
		r.lines = append(r.lines, textLine{rest, len(line) - len(rest), n, text == ""})
	}
	return true
}

// peek is the next line that says something, nil at the end.
func (r *reader) peek() *textLine {
	for ; r.next < len(r.lines); r.next++ {
		if l := &r.lines[r.next]; l.text != "" && l.text[0] != '#' {
			return l
		}
	}
	return nil
}

// giveUp leaves the document to the library.
func (r *reader) giveUp() *Node {
	r.other = true
	return &Node{}
}

func (r *reader) node(kind Kind, line, col int) *Node {
	if len(r.slab) == 0 {
		r.slab = make([]Node, 64)
	}
	n := &r.slab[0]
	r.slab = r.slab[1:]
	if r.values++; r.values > MaxNodes/2 {
		r.other = true
	}
	n.Kind, n.src, n.Pos = kind, r.src, core.Position{File: r.src.file, Line: r.first + line, Column: col + 1}
	return n
}

// block reads the map or list that begins on the next line, in a column.
func (r *reader) block(col, depth int) *Node {
	if r.other || depth >= MaxDepth {
		return r.giveUp()
	}
	l := r.peek()
	if dashed(l.text) {
		return r.list(col, depth)
	}
	return r.mapping(l.text, col, l.number, depth)
}

func dashed(text string) bool { return strings.HasPrefix(text, "- ") || text == "-" }

func (r *reader) list(col, depth int) *Node {
	n := r.node(List, r.peek().number, col)
	for l := r.peek(); l != nil && !r.other && l.indent >= col; l = r.peek() {
		if l.indent > col {
			return r.giveUp()
		}
		if !dashed(l.text) {
			break // the next key of the map around it
		}
		rest := strings.TrimLeft(l.text[1:], " ")
		at := col + len(l.text) - len(rest)
		switch _, _, isKey := cutKey(rest); {
		case rest == "" || rest[0] == '#' || dashed(rest):
			return r.giveUp()
		case isKey:
			n.add(r.mapping(rest, at, l.number, depth+1))
		default:
			r.next++
			n.add(r.scalar(rest, l, at, col))
		}
	}
	return n
}

// mapping reads a map whose first key is at the beginning of text.
func (r *reader) mapping(text string, col, line, depth int) *Node {
	n := r.node(Map, line, col)
	for !r.other {
		l := r.peek()
		if l == nil || l.number != line && l.indent < col {
			break
		}
		if l.number != line {
			if text, line = l.text, l.number; l.indent > col {
				return r.giveUp()
			}
		}
		name, rest, ok := cutKey(text)
		if !ok || n.Entry(name) != nil || len(n.Entries) >= MaxKeys || depth >= MaxDepth {
			return r.giveUp()
		}
		key := r.node(String, line, col)
		key.Text = name
		r.next++
		n.put(key, r.value(rest, l, key, col+len(text)-len(rest), depth))
	}
	return n
}

// value reads what belongs to a key: the rest of its line or the block below it.
func (r *reader) value(rest string, l *textLine, key *Node, at, depth int) *Node {
	col := key.Pos.Column - 1
	if rest != "" && rest[0] != '#' {
		return r.scalar(rest, l, at, col)
	}
	next := r.peek()
	if next != nil && (next.indent > col || next.indent == col && dashed(next.text)) {
		return r.block(next.indent, depth+1)
	}
	n := r.node(Null, 0, 0)
	n.Pos = key.Pos
	if r.empty++; r.empty > MaxEmpty {
		r.other = true
	}
	return n
}

// cutKey cuts a plain key off a text; ok is false for anything but a word of letters,
// digits and some marks.
func cutKey(text string) (key, rest string, ok bool) {
	i := 0
	for i < len(text) && keyByte(text[i]) {
		i++
	}
	if i == 0 || i == len(text) || text[i] != ':' || !letter(text[0]) || i+1 < len(text) && text[i+1] != ' ' {
		return "", "", false
	}
	return text[:i], strings.TrimLeft(text[i+1:], " "), true
}

func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' }

func keyByte(b byte) bool {
	return letter(b) || b >= '0' && b <= '9' || b == '-' || b == '.' || b == '/'
}

// scalar reads a value on a line, or the | text that begins there. col is where the
// key or dash stands that it belongs to.
func (r *reader) scalar(text string, l *textLine, at, col int) *Node {
	if text == "|" || text == "|-" {
		return r.literal(l, at, col, text == "|-")
	}
	var n *Node
	switch b := text[0]; {
	case strings.IndexByte("\"'[{", b) >= 0:
		end := 0
		if n, end = r.element(text, 0, l.number, at, 0); r.other || !ends(text[end:]) {
			return r.giveUp()
		}
	default:
		n = r.node(String, l.number, at)
		if i := strings.Index(text, " #"); i >= 0 {
			text = text[:i]
		}
		text = strings.TrimRight(text, " ")
		if !plainStart(b) || dashed(text) || text == "<<" || strings.Contains(text, ": ") || text[len(text)-1] == ':' || len(text) > MaxScalar {
			return r.giveUp()
		}
		n.Text = text
		r.resolve(n)
	}
	if next := r.peek(); next != nil && next.indent > col {
		return r.giveUp() // perhaps the value goes on there
	}
	return n
}

// ends reports whether nothing but a comment follows a value.
func ends(rest string) bool {
	t := strings.TrimLeft(rest, " ")
	return t == "" || t[0] == '#' && len(t) < len(rest)
}

func plainStart(b byte) bool {
	return letter(b) || b >= '0' && b <= '9' || strings.IndexByte("<+-./$(^~\\", b) >= 0
}

// literal reads a | text below a line.
func (r *reader) literal(head *textLine, at, col int, strip bool) *Node {
	n := r.node(String, head.number, at)
	n.Quoted = true
	first := r.next
	if first == len(r.lines) || r.lines[first].text != "" && r.lines[first].indent <= col {
		return n // nothing is written there
	}
	indent, end, size := 0, first, 0
	for i := first; i < len(r.lines); i++ {
		l := &r.lines[i]
		if l.text == "" {
			if l.indent > 0 || indent == 0 {
				return r.giveUp() // blanks may be part of the text
			}
			continue
		}
		if l.indent <= col {
			break
		}
		if indent == 0 {
			indent = l.indent
		}
		if l.indent < indent {
			return r.giveUp()
		}
		end, size = i+1, size+l.indent-indent+len(l.text)+1
	}
	if indent == 0 || size > MaxScalar || strip && strings.HasSuffix(r.lines[end-1].text, " ") { // which the library strips too
		return r.giveUp()
	}
	var b strings.Builder
	b.Grow(size + end - first)
	for i := first; i < end; i++ {
		if l := &r.lines[i]; l.text != "" {
			for range l.indent - indent {
				b.WriteByte(' ')
			}
			b.WriteString(l.text)
		}
		if i+1 < end || !strip {
			b.WriteByte('\n')
		}
	}
	n.Text, r.next = b.String(), end
	return n
}

// special are the words that are no text, or are none elsewhere.
var special = map[string]bool{"null": true, "true": true, "false": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true}

// resolve asks the library about a plain value that may be a number, a boolean or
// nothing.
func (r *reader) resolve(n *Node) {
	if b := n.Text[0]; b == '<' || b == '/' || b == '$' || b == '(' || letter(b) && (len(n.Text) > 5 || !special[strings.ToLower(n.Text)]) {
		return
	}
	w := r.words[n.Text]
	if w == nil {
		w = &Node{}
		f, err := parser.Parse(lexer.Tokenize(n.Text), 0)
		if err != nil || len(f.Docs) != 1 || f.Docs[0].Body == nil {
			r.other = true
			return
		}
		(&converter{src: r.src}).scalar(w, f.Docs[0].Body)
		if r.words == nil {
			r.words = map[string]*Node{}
		}
		r.words[n.Text] = w
	}
	if w.Kind != Null && w.Text != n.Text {
		r.other = true // it is more than a word
	}
	n.Kind, n.Text, n.value = w.Kind, w.Text, w.value
}
