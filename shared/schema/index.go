package schema

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

//go:embed facts/*.txt
var facts embed.FS

// declaration is the text of one type of the facts, read when it is first used.
type declaration struct {
	file string
	line int
	head string // without the keyword and the name
	body string
	once sync.Once
	t    *typ
}

// index is where each declaration lies. Making it looks at the first byte of
// each line only.
type index struct {
	types    map[string]*declaration // by name; a case's is its union's and its own: "Step Wait"
	unions   map[string][]string     // union → its cases in order
	optional map[string]bool         // cases that need no value
	words    map[string]string       // field name → what such a field is
}

var load = sync.OnceValue(readIndex)

func readIndex() *index {
	ix := &index{make(map[string]*declaration, 1024), map[string][]string{}, make(map[string]bool, 512), make(map[string]string, 256)}
	names, err := fs.Glob(facts, "facts/*.txt")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		data, err := facts.ReadFile(name)
		if err != nil {
			panic(err)
		}
		ix.read(name, string(data))
	}
	return ix
}

// read notes the declarations of a file: a line that is not indented begins one.
func (ix *index) read(file, text string) {
	for at, line := 0, 1; at < len(text); {
		head, rest, _ := strings.Cut(text[at:], "\n")
		if head == "" || head[0] == '#' {
			at, line = at+len(head)+1, line+1
			continue
		}
		size, lines := under(rest)
		ix.declare(file, line, head, rest[:size])
		at, line = at+len(head)+1+size, line+1+lines
	}
}

// under is how much of a text is indented or empty, in bytes and lines.
func under(text string) (size, lines int) {
	for size < len(text) && (text[size] == ' ' || text[size] == '\n') {
		end := strings.IndexByte(text[size:], '\n')
		if end < 0 {
			return len(text), lines + 1
		}
		size, lines = size+end+1, lines+1
	}
	return size, lines
}

func (ix *index) declare(file string, line int, head, body string) {
	keyword, rest, _ := strings.Cut(head, " ")
	name, rest, _ := strings.Cut(rest, " ")
	d := &declaration{file: file, line: line, head: rest, body: body}
	switch keyword {
	case "type":
		if ix.types[name] != nil {
			d.bad("type %s is declared twice", name)
		}
		ix.types[name] = d
	case "case":
		which, rest, _ := strings.Cut(rest, " ")
		d.head = rest
		for w := range strings.SplitSeq(which, "|") {
			w, optional := strings.CutSuffix(w, "?")
			key := name + " " + w
			if ix.types[key] != nil {
				d.bad("case %s of %s is declared twice", w, name)
			}
			ix.types[key] = d
			ix.unions[name] = append(ix.unions[name], w)
			if optional {
				ix.optional[key] = true
			}
		}
	case "word":
		for w := range strings.SplitSeq(name, "|") {
			ix.words[w] = strings.TrimPrefix(rest, "-- ")
		}
	default:
		d.bad("no declaration begins with %q", keyword)
	}
}

// bad tells of a mistake in the facts. They are part of the program and every
// one is read by a test, so nobody sees it but their author.
func (d *declaration) bad(format string, args ...any) {
	panic(fmt.Sprintf("%s:%d: ", d.file, d.line) + fmt.Sprintf(format, args...))
}

// named returns the type declared under a name.
func named(name string) *typ {
	d := load().types[name]
	if d == nil {
		panic("facts: no type " + name)
	}
	return d.typ(name)
}

func (d *declaration) typ(name string) *typ {
	d.once.Do(func() { d.t = d.parse(name) })
	return d.t
}

var unions struct {
	sync.Mutex
	by map[string]*cases
}

// union returns the cases declared under a name; their types are read when used.
func union(name string) *cases {
	unions.Lock()
	defer unions.Unlock()
	if c := unions.by[name]; c != nil {
		return c
	}
	ix, c := load(), &cases{}
	for _, w := range ix.unions[name] {
		key := name + " " + w
		v := &variant{t: &typ{shape: shapeNamed, name: key}}
		_, v.doc, _ = strings.Cut(ix.types[key].head, "-- ")
		if ix.optional[key] {
			v.required = needNever
		}
		c.add(w, v)
	}
	if unions.by == nil {
		unions.by = map[string]*cases{}
	}
	unions.by[name] = c
	return c
}
