package schema

import (
	"strconv"
	"strings"
)

// Shapes of a value in the facts:
//
//	any  str  bool  int  num  map                 a word; str is any scalar
//	id  name  var  duration  version  …           text of a form; see formats
//	int(0..100)  num(..1)                         within bounds
//	str~^[a-z]+$                                  text that matches; no blanks or | in it
//	a|b|"c d"  =a                                 one of these words
//	Name                                          a declared type
//	[X]  [X]+  {X}                                a list, not an empty one, a map by free keys
//	X inner                                       a list whose items share the names of the list around it
//	(nothing)  closed  []  []+  {}                a map, list of maps or map of maps, fields below
//	by FIELD of UNION    by FIELD                 as the field beside it says; cases declared, or below
//	partial X                                     X with nothing required
//	unnamed X                                     X without its name and identifier
//	X / Y                                         either
func (p *parser) shape(expr string, under []line) *typ {
	if alts := alternatives(expr); len(alts) > 1 {
		t := &typ{shape: shapeUnion}
		for _, alt := range alts {
			t.alts = append(t.alts, p.shape(alt, under))
		}
		return t
	}
	if rest, ok := strings.CutSuffix(expr, " inner"); ok {
		t := p.shape(rest, under)
		t.inner = true
		return t
	}
	if rest, ok := strings.CutPrefix(expr, "partial "); ok {
		return &typ{shape: shapePartial, elem: p.shape(rest, under)}
	}
	if rest, ok := strings.CutPrefix(expr, "unnamed "); ok {
		return &typ{shape: shapePartial, unnamed: true, elem: p.shape(rest, under)}
	}
	if rest, ok := strings.CutPrefix(expr, "by "); ok {
		disc, union, _ := strings.Cut(rest, " of ")
		c := &choice{disc: disc, union: union}
		if union == "" {
			c.own = p.cases(under)
		}
		return &typ{shape: shapeBy, choice: c}
	}
	switch expr {
	case "", "struct", "closed":
		o := p.place(under)
		o.closed = expr == "closed"
		return &typ{shape: shapeObject, object: o}
	case "[]", "[]+":
		t := &typ{shape: shapeList, elem: &typ{shape: shapeObject, object: p.place(under)}}
		t.atLeast = strings.Count(expr, "+")
		return t
	case "{}":
		return &typ{shape: shapeDict, elem: &typ{shape: shapeObject, object: p.place(under)}}
	}
	return p.atom(expr)
}

// alternatives splits a shape at slashes outside brackets.
func alternatives(expr string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(expr) {
		switch expr[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '/':
			if depth == 0 && i > 0 && expr[i-1] == ' ' {
				out = append(out, strings.TrimSpace(expr[start:i]))
				start = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(expr[start:]))
}

// place reads an object written in place.
func (p *parser) place(under []line) *object {
	if len(under) == 0 {
		p.d.bad("a map without fields: write map")
	}
	return p.object(under, under[0].indent)
}

func (p *parser) atom(expr string) *typ {
	plus := strings.HasSuffix(expr, "]+")
	switch {
	case expr[0] == '[' && (plus || expr[len(expr)-1] == ']'):
		t := &typ{shape: shapeList, elem: p.shape(strings.TrimSuffix(strings.TrimSuffix(expr[1:], "+"), "]"), nil)}
		if plus {
			t.atLeast = 1
		}
		return t
	case expr[0] == '{':
		return &typ{shape: shapeDict, elem: p.shape(strings.TrimSuffix(expr[1:], "}"), nil)}
	case expr[0] == '=':
		return &typ{shape: shapeEnum, values: []string{expr[1:]}}
	case strings.HasPrefix(expr, "str~"):
		return &typ{shape: shapeText, pattern: &pattern{text: expr[len("str~"):]}}
	case strings.Contains(expr, "|"):
		t := &typ{shape: shapeEnum}
		for w := range strings.SplitSeq(expr, "|") {
			t.values = append(t.values, strings.Trim(w, `"`))
		}
		return t
	case expr[0] >= 'A' && expr[0] <= 'Z':
		return &typ{shape: shapeNamed, name: expr}
	}
	word, bounds, _ := strings.Cut(expr, "(")
	t := &typ{}
	switch word {
	case "any":
	case "str":
		t.shape = shapeText
	case "bool":
		t.shape = shapeBool
	case "int":
		t.shape = shapeInt
	case "num":
		t.shape = shapeNumber
	case "map":
		t.shape, t.elem = shapeDict, &typ{}
	case "case":
		t.shape, t.format = shapeText, "case"
	default:
		if formats[word] == nil {
			p.d.bad("unknown shape %q", expr)
		}
		t.shape, t.format = shapeText, word
	}
	if bounds != "" {
		low, high, _ := strings.Cut(strings.TrimSuffix(bounds, ")"), "..")
		t.min, t.max = p.bound(low), p.bound(high)
	}
	return t
}

func (p *parser) bound(s string) *float64 {
	if s == "" {
		return nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		p.d.bad("%q is no bound", s)
	}
	return &v
}
