package expr

import "github.com/slipway-cd/slipway/shared/fault"

// script parses what stands between `<+` and `>`: one expression, or statements
// separated by `;` (BEHAVIOUR §13.3).
func (p *parser) script() (*node, error) {
	if p.filter {
		return p.expr()
	}
	pos := p.pos
	first, err := p.statements(pos, 0)
	if err != nil || len(first) == 1 {
		return only(first), err
	}
	n := p.node(kSeq, pos)
	n.list = first
	return n, nil
}

func only(list []*node) *node {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// statements parses up to the closing byte, or with 0 as far as they go: then
// there is at least one.
func (p *parser) statements(pos int, closing byte) ([]*node, error) {
	var list []*node
	for {
		for p.space(); p.at(0) == ';' && (list != nil || closing != 0); p.space() {
			p.pos++
		}
		c := p.at(0)
		if closing != 0 && c == closing || closing == 0 && list != nil && (c == 0 || c == '>' && p.closer) {
			return list, nil
		}
		n, err := p.sentence()
		if err != nil {
			return nil, err
		}
		list = append(list, n)
		if p.space(); p.at(0) == ';' || ended(n) && p.at(0) != '>' && p.pos < len(p.src) {
			continue
		}
		if closing == 0 || p.at(0) == closing {
			return list, nil
		}
		return nil, p.unexpected("; or the closing }, opened at character " + p.place(pos))
	}
}

// ended reports whether a statement ends with a block, after which no `;` is
// needed.
func ended(n *node) bool {
	switch n.kind {
	case kIf:
		if n.z != nil {
			return ended(n.z)
		}
		return ended(n.y)
	case kFor, kWhile:
		return ended(n.y)
	case kSeq:
		return true
	}
	return false
}

// sentence parses one statement: an expression, unless a keyword begins it.
func (p *parser) sentence() (*node, error) {
	if p.space(); isStart(p.at(0)) {
		if parse := p.keyword(p.word()); parse != nil {
			if p.chain++; p.chain > maxChain {
				return nil, p.failKind(fault.TooLarge, "an expression may chain %d operators without brackets", maxChain)
			}
			n, err := parse()
			p.chain--
			return n, err
		}
	}
	x, err := p.expr()
	if err != nil {
		return nil, err
	}
	if p.space(); p.pos+1 < len(p.src) && assigns(p.src[p.pos:p.pos+2]) && (p.at(0) != '=' || p.at(1) != '>') {
		return p.assignment(x)
	}
	return x, nil
}

// keyword returns how the statement w begins is parsed; nil when w is a name here.
func (p *parser) keyword(w string) func() (*node, error) {
	switch w {
	case "if":
		if p.statement(w) {
			return p.ifElse
		}
	case "for", "while":
		if p.statement(w) {
			return p.loop
		}
	case "var", "let", "const":
		if p.statement(w) {
			return p.declaration
		}
	case "return":
		if p.statement(w) || p.stands(w) || p.valueAt(len(w)) {
			return p.jump
		}
	case "break", "continue":
		if p.stands(w) {
			return p.jump
		}
	}
	return nil
}

// stands reports whether nothing follows the word that would make it a value.
func (p *parser) stands(w string) bool {
	i := len(w)
	for isSpace(p.at(i)) {
		i++
	}
	return p.at(i) == '}' || p.at(i) == ';'
}

// place is a position for a message.
func (p *parser) place(pos int) string { return Format(int64(runeOffset(p.src, pos) + 1)) }

// misplaced is the error for a statement where a value is expected.
func (p *parser) misplaced(w string) error {
	switch w {
	case "do", "switch":
		return p.failKind(fault.Unsupported, "not supported yet: %s; expected an expression (if, for and while are statements there are)", w)
	case "break", "continue":
		return p.fail("expected a value, found %s, which stands alone inside a loop", w)
	}
	return p.fail("expected a value, found %s: a statement stands at the top of <+…>, after a ; or in { }", w)
}

func (p *parser) declaration() (*node, error) {
	n := p.node(kVar, p.pos)
	p.pos += len(p.word())
	p.space()
	if n.name = p.word(); n.name == "" {
		return nil, p.unexpected("the name of a variable")
	}
	p.pos += len(n.name)
	n.end = p.pos
	if p.space(); p.at(0) != '=' || p.at(1) == '=' {
		return n, nil
	}
	p.pos++
	var err error
	n.x, err = p.expr()
	n.end = p.pos
	return n, err
}

// assignment parses x = y and x += y; x is parsed already.
func (p *parser) assignment(x *node) (*node, error) {
	target := x
	for target.kind == kProp || target.kind == kIndex {
		target = target.x
	}
	if target.kind != kName || target.list != nil {
		return nil, p.fail("expected a variable of the expression before =, as in x, x.a or x[0]; compare by ==")
	}
	n := p.node(kAssign, x.pos)
	if c := p.at(0); c != '=' {
		n.op = arithmetics[c]
		p.pos++
	}
	p.pos++
	y, err := p.expr()
	n.x, n.y, n.end = x, y, p.pos
	return n, err
}

func (p *parser) ifElse() (*node, error) {
	n := p.node(kIf, p.pos)
	p.pos += len("if")
	var err error
	if n.x, err = p.condition(); err != nil {
		return nil, err
	}
	if n.y, err = p.body(); err != nil {
		return nil, err
	}
	n.end = p.pos
	at := p.pos
	if p.space(); p.at(0) == ';' { // if (a) b; else c
		p.pos++
		p.space()
	}
	if p.word() != "else" {
		p.pos = at
		return n, nil
	}
	p.pos += len("else")
	n.z, err = p.body()
	n.end = p.pos
	return n, err
}

func (p *parser) condition() (*node, error) {
	if p.space(); p.at(0) != '(' {
		return nil, p.unexpected("( and a condition")
	}
	return p.paren()
}

// loop parses for (x : list) body and while (condition) body.
func (p *parser) loop() (*node, error) {
	n := p.node(kWhile, p.pos)
	w := p.word()
	p.pos += len(w)
	var err error
	if w == "while" {
		n.x, err = p.condition()
	} else {
		n.kind = kFor
		err = p.header(n)
	}
	if err != nil {
		return nil, err
	}
	p.loops++
	n.y, err = p.body()
	p.loops--
	n.end = p.pos
	return n, err
}

// header parses (x : list).
func (p *parser) header(n *node) error {
	if p.space(); p.at(0) != '(' {
		return p.unexpected("( and a variable, as in for (x : list)")
	}
	if err := p.enter(); err != nil {
		return err
	}
	p.open++
	p.pos++
	p.space()
	if w := p.word(); w == "var" || w == "let" || w == "const" {
		p.pos += len(w)
		p.space()
	}
	n.name = p.word()
	p.pos += len(n.name)
	if p.space(); n.name == "" || p.at(0) != ':' {
		if c := p.at(0); c == '=' || c == ';' {
			return p.failKind(fault.Unsupported, "not supported yet: for with three parts; write for (i : 0..9)")
		}
		return p.unexpected("the form for (x : list)")
	}
	p.pos++
	var err error
	if n.x, err = p.expr(); err != nil {
		return err
	}
	return p.shut(')', "an operator or the closing )")
}

// body parses a block or one statement.
func (p *parser) body() (*node, error) {
	if p.space(); p.at(0) == '{' {
		return p.block()
	}
	return p.sentence()
}

func (p *parser) block() (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	pos := p.pos
	p.open++
	p.pos++
	list, err := p.statements(pos, '}')
	if err != nil {
		return nil, err
	}
	if err := p.shut('}', "the closing }"); err != nil {
		return nil, err
	}
	n := p.node(kSeq, pos)
	n.list = list
	return n, nil
}

// jump parses return, break and continue.
func (p *parser) jump() (*node, error) {
	n := p.node(kReturn, p.pos)
	w := p.word()
	n.kind = map[string]kind{"return": kReturn, "break": kBreak, "continue": kContinue}[w]
	if n.kind != kReturn && p.loops == 0 {
		return nil, p.misplaced(w)
	}
	p.pos += len(w)
	n.end = p.pos
	if c := p.peek(); n.kind != kReturn || c == ';' || c == '}' || c == 0 || c == '>' {
		return n, nil
	}
	var err error
	n.x, err = p.expr()
	n.end = p.pos
	return n, err
}

// peek is the next byte that is no space.
func (p *parser) peek() byte {
	i := 0
	for isSpace(p.at(i)) {
		i++
	}
	return p.at(i)
}
