package expr

import (
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/fault"
)

// maxChain bounds what recurses without a bracket: `!!!!x`, `a?b:c?d:…`.
const maxChain = 1000

// parser is a Pratt parser over one text. It scans as it goes: an expression's end
// is known only once it is parsed, since `>` is both an operator and the closer.
type parser struct {
	src    string
	pos    int
	start  int  // of the outermost expression, for messages
	closer bool // a `>` ends the expression being parsed
	open   int  // brackets open in the expression being parsed
	strict bool // every `>` outside brackets and quotes ends the expression
	filter bool // `@` may begin a name (JSONPath filters)

	related int  // where a relation ended: another may not follow it
	guessed bool // a `>` outside brackets was read as an operator
	loops   int  // loops around the statement being parsed
	depth   int
	chain   int
	slab    []node
}

// parseAt parses the expression whose `<+` stands at pos (BEHAVIOUR §13.2). A `>`
// with a space before it, or a `>=`, is first read as a comparison when a value
// can follow; if that does not parse to a closing `>`, every `>` closes.
func parseAt(text string, pos int) (*node, error) {
	p := parser{src: text, pos: pos, start: pos}
	n, err := p.nested()
	if err == nil || !p.guessed {
		return n, err
	}
	again := parser{src: text, pos: pos, start: pos, strict: true}
	if n, strictErr := again.nested(); strictErr == nil {
		return n, nil
	}
	return nil, err
}

// parseBare parses a text that is one expression without delimiters.
func parseBare(text string, filter bool) (*node, error) {
	p := parser{src: text, filter: filter}
	n, err := p.whole()
	if err == nil || !p.guessed {
		return n, err
	}
	again := parser{src: text, filter: filter, strict: true}
	if n, strictErr := again.whole(); strictErr == nil {
		return n, nil
	}
	return nil, err
}

func (p *parser) whole() (*node, error) {
	n, err := p.script()
	if err != nil {
		return nil, err
	}
	if p.space(); p.pos < len(p.src) {
		return nil, p.unexpected("an operator or the end of the expression")
	}
	return n, p.sized(0)
}

func (p *parser) sized(from int) error {
	if p.pos-from > MaxSource {
		return p.failKind(fault.TooLarge, "an expression may have %d bytes, this one has %d", MaxSource, p.pos-from)
	}
	return nil
}

// node returns a new node that spans from pos to the position.
func (p *parser) node(k kind, pos int) *node {
	if len(p.slab) == 0 {
		p.slab = make([]node, 4)
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	n.kind, n.pos, n.end = k, pos, p.pos
	return n
}

func (p *parser) enter() error {
	if p.depth++; p.depth > MaxNesting {
		return p.failKind(fault.TooLarge, "expressions and brackets may nest %d deep", MaxNesting)
	}
	return nil
}

// nested parses `<+ … >`.
func (p *parser) nested() (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	pos, closer, open := p.pos, p.closer, p.open
	p.closer, p.open = true, 0
	loops := p.loops
	p.loops = 0
	p.pos += 2
	x, err := p.script()
	if err != nil {
		return nil, err
	}
	if p.space(); p.at(0) != '>' {
		return nil, p.unexpected("an operator or the closing >")
	}
	p.pos++
	p.depth--
	p.closer, p.open, p.loops = closer, open, loops
	n := p.node(kNested, pos)
	n.x = x
	return n, p.sized(pos)
}

// expr parses the weakest level: c ? a : b, a ?: b, a ?? b.
func (p *parser) expr() (*node, error) {
	if p.chain++; p.chain > maxChain {
		return nil, p.failKind(fault.TooLarge, "an expression may chain %d operators without brackets", maxChain)
	}
	n, err := p.choice()
	p.chain--
	return n, err
}

func (p *parser) choice() (*node, error) {
	x, err := p.binary(precOr)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at(0) != '?' {
		return x, nil
	}
	n := p.node(kElse, x.pos)
	n.x = x
	switch p.at(1) {
	case ':':
		n.op = opElvis
	case '?':
		n.op = opCoalesce
	default:
		p.pos++
		n.kind = kCond
		if n.y, err = p.expr(); err != nil {
			return nil, err
		}
		if p.space(); p.at(0) != ':' {
			return nil, p.unexpected("the : of a ternary")
		}
		p.pos++
		n.z, err = p.expr()
		n.end = p.pos
		return n, err
	}
	p.pos += 2
	n.y, err = p.expr()
	n.end = p.pos
	return n, err
}

// binary parses operators that bind at least as strongly as least.
func (p *parser) binary(least int) (*node, error) {
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		after := p.pos
		p.space()
		o, width := p.infix()
		prec := precedence[o]
		if o == opNone || prec < least || prec == precRelate && after == p.related {
			p.pos = after
			return x, nil
		}
		p.pos += width
		y, err := p.binary(prec + 1)
		if err != nil {
			return nil, err
		}
		n := p.node(kBinary, x.pos)
		n.op, n.x, n.y = o, x, y
		if prec == precRelate {
			p.related = p.pos
		}
		x = n
	}
}

// after reports whether a text stands before the position.
func (p *parser) after(text string) bool { return strings.HasSuffix(p.src[:p.pos], text) }

// assigns reports whether two bytes are an assignment operator.
func assigns(two string) bool {
	switch two {
	case "+=", "-=", "*=", "/=", "%=":
		return true
	case "==", "=~", "=^", "=$":
		return false
	}
	return two[0] == '='
}

// unexpected is a syntax error that recognises what the grammar does not have yet.
func (p *parser) unexpected(expected string) error {
	two := string(p.at(0))
	if p.pos+1 < len(p.src) {
		two = p.src[p.pos : p.pos+2]
	}
	what := ""
	switch {
	case p.pos >= len(p.src):
		return p.fail("expected %s, found the end of the text", expected)
	case two == "->" || two == "=>":
		return p.fail("expected %s, found %s: a function's parameters are names, as in (a, b) -> a + b", expected, two)
	case two[0] == ';':
		return p.fail("expected %s, found ;: statements stand at the top of <+…> or in { }, not inside brackets", expected)
	case two == "++" || two == "--":
		what = "the operator " + two + " (write x += 1)"
	case p.after("++"), p.after("--"):
		what = "the operators ++ and -- (write x += 1)"
	case assigns(two):
		return p.fail("expected %s, found an assignment: compare by ==; assign in a statement of its own, as in <+x = 1; x>", expected)
	case two[0] == '&' || two[0] == '|' || two[0] == '^' || two[0] == '~':
		what = "bitwise operators (" + two[:1] + ")"
	case two[0] == '`':
		what = "template literals (`)"
	case p.word() == "in":
		what = "the operator in (use =~)"
	default:
		r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
		return p.fail("expected %s, found %q", expected, r)
	}
	return p.failKind(fault.Unsupported, "not supported yet: %s; expected %s", what, expected)
}
