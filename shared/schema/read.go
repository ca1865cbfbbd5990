package schema

import "strings"

// The notation of the facts, one declaration after another:
//
//	type NAME [FLAG…] [= SHAPE] -- what it is
//	  field*: SHAPE -- what it is        * required, ! deprecated
//	    nested: SHAPE                    fields of a map written in place
//	  one of a b                         exactly one; also: any of, most one of
//	  need a b if type X|Y
//	case UNION NAME[|NAME] [FLAG…] …     a variant of `by FIELD of UNION`; NAME? needs no value
//	word NAME[|NAME] -- what a field of that name is where nothing else is said
//
// Flags: closed, templated, scoped, keyed=FIELD; see object. For SHAPE see shape.go.

// parse reads the declaration.
func (d *declaration) parse(name string) *typ {
	head, doc, _ := cutDoc(" " + d.head + " ")
	flags, expr, isExpr := strings.Cut(" "+head+" ", " = ")
	p := &parser{d: d}
	if isExpr {
		return p.shape(strings.TrimSpace(expr), p.lines())
	}
	o := p.object(p.lines(), 2)
	o.name, o.doc = name, doc
	p.flags(o, flags)
	return &typ{shape: shapeObject, object: o}
}

func (p *parser) flags(o *object, flags string) {
	for f := range strings.FieldsSeq(flags) {
		key, is := strings.CutPrefix(f, "keyed=")
		switch {
		case is:
			o.keyed = key
		case f == "closed":
			o.closed = true
		case f == "templated":
			o.templated = true
		case f == "scoped":
			o.scoped = true
		default:
			p.d.bad("unknown flag %q", f)
		}
	}
}

// cutDoc cuts the description off a line.
func cutDoc(s string) (before, doc string, ok bool) {
	before, doc, ok = strings.Cut(s, " -- ")
	return strings.TrimSpace(before), strings.TrimSpace(doc), ok
}

// parser reads the body of one declaration.
type parser struct {
	d *declaration
}

// line is one of a body with its indentation.
type line struct {
	indent int
	text   string
}

func (p *parser) lines() []line {
	out := make([]line, 0, strings.Count(p.d.body, "\n"))
	for l := range strings.SplitSeq(p.d.body, "\n") {
		text := strings.TrimLeft(l, " ")
		if text == "" || text[0] == '#' {
			continue
		}
		out = append(out, line{len(l) - len(text), text})
	}
	return out
}

// block is how many of the lines stand deeper than indent.
func block(lines []line, indent int) int {
	n := 0
	for n < len(lines) && lines[n].indent > indent {
		n++
	}
	return n
}

func (p *parser) object(lines []line, indent int) *object {
	o := &object{byName: make(map[string]*field, len(lines))}
	for i := 0; i < len(lines); {
		l := lines[i]
		if l.indent != indent {
			p.d.bad("%q is indented by %d, not %d", l.text, l.indent, indent)
		}
		n := block(lines[i+1:], indent)
		under := lines[i+1 : i+1+n]
		i += 1 + n
		if p.rule(o, l.text) {
			continue
		}
		text, doc, _ := cutDoc(l.text)
		name, expr, ok := strings.Cut(text, ":")
		if !ok {
			p.d.bad("%q is no field", l.text)
		}
		f := &field{doc: doc}
		for {
			if s, ok := strings.CutSuffix(name, "*"); ok {
				name, f.required = s, true
			} else if s, ok := strings.CutSuffix(name, "!"); ok {
				name, f.deprecated = s, true
			} else {
				break
			}
		}
		f.name = name
		f.t = p.shape(strings.TrimSpace(expr), under)
		if o.byName[name] != nil {
			p.d.bad("field %s is there twice", name)
		}
		o.fields, o.byName[name] = append(o.fields, f), f
	}
	return o
}

// rule reads a line that is a condition over fields.
func (p *parser) rule(o *object, text string) bool {
	words := strings.Fields(text)
	if len(words) < 3 || strings.HasSuffix(words[0], ":") {
		return false
	}
	switch {
	case (words[0] == "one" || words[0] == "any") && words[1] == "of":
		o.rules = append(o.rules, rule{kind: words[0], fields: words[2:]})
	case words[0] == "most" && words[1] == "one" && words[2] == "of":
		o.rules = append(o.rules, rule{kind: "most", fields: words[3:]})
	case words[0] == "need":
		what, cond, ok := strings.Cut(strings.Join(words[1:], " "), " if ")
		disc, values, ok2 := strings.Cut(cond, " ")
		if !ok || !ok2 {
			p.d.bad("%q: expected need FIELD… if FIELD VALUE|VALUE", text)
		}
		o.rules = append(o.rules, rule{"need", strings.Fields(what), disc, strings.Split(values, "|")})
	default:
		return false
	}
	return true
}

// cases reads the variants written below `by FIELD`.
func (p *parser) cases(lines []line) *cases {
	c := &cases{}
	for i := 0; i < len(lines); {
		l := lines[i]
		n := block(lines[i+1:], l.indent)
		under := lines[i+1 : i+1+n]
		i += 1 + n
		text, doc, _ := cutDoc(l.text)
		names, expr, ok := strings.Cut(text, ":")
		if !ok {
			p.d.bad("%q is no case", l.text)
		}
		v := &variant{doc: doc}
		if s, ok := strings.CutSuffix(names, "*"); ok {
			names, v.required = s, needAlways
		} else if s, ok := strings.CutSuffix(names, "?"); ok {
			names, v.required = s, needNever
		}
		expr = strings.TrimSpace(expr)
		if expr == "" && len(under) == 0 {
			expr = "map"
		}
		v.t = p.shape(expr, under)
		for w := range strings.SplitSeq(names, "|") {
			c.add(w, v)
		}
	}
	return c
}
