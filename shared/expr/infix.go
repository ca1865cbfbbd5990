package expr

// infix returns the binary operator at the position and its width, without
// consuming it.
func (p *parser) infix() (op, int) {
	c, next := p.at(0), p.at(1)
	switch c {
	case '=', '!':
		return p.equality(c, next)
	case '&', '|':
		if next == c {
			return pick(c == '&', opAnd, opOr), 2
		}
	case '<':
		switch next {
		case '+':
		case '=':
			return opLe, 2
		default:
			return opLt, 1
		}
	case '>':
		return p.greater()
	case '+', '-', '*', '/', '%':
		if next != '=' && (c != '-' || next != '>') {
			return arithmetics[c], 1
		}
	case '.':
		if next == '.' && p.at(2) != '.' {
			return opRange, 2
		}
	default:
		if w := p.word(); w != "" {
			return wordOp(w), len(w)
		}
	}
	return opNone, 0
}

var arithmetics = map[byte]op{'+': opAdd, '-': opSub, '*': opMul, '/': opDiv, '%': opMod}

func pick[T any](cond bool, yes, no T) T {
	if cond {
		return yes
	}
	return no
}

func (p *parser) equality(c, next byte) (op, int) {
	yes := c == '='
	switch next {
	case '=':
		return pick(yes, opEq, opNe), 2
	case '~':
		return pick(yes, opMatch, opNoMatch), 2
	case '^':
		return pick(yes, opStarts, opNoStart), 2
	case '$':
		return pick(yes, opEnds, opNoEnd), 2
	}
	return opNone, 0
}

// greater decides whether the `>` at the position compares or closes (BEHAVIOUR
// §13.2). Where nothing is to be closed it compares.
func (p *parser) greater() (op, int) {
	o, width := opGt, 1
	if p.at(1) == '=' {
		o, width = opGe, 2
	}
	if !p.closer || p.open > 0 && p.valueAt(width) {
		return o, width
	}
	if p.strict || p.open > 0 || o == opGe && p.at(2) == '=' {
		return opNone, 0
	}
	if o == opGt && (!isSpace(p.src[p.pos-1]) || p.at(1) != ' ' && p.at(1) != '\t') {
		return opNone, 0
	}
	if !p.valueAt(width) {
		return opNone, 0
	}
	p.guessed = true
	return o, width
}

// valueAt reports whether a value may begin i bytes on, spaces skipped.
func (p *parser) valueAt(i int) bool {
	for isSpace(p.at(i)) {
		i++
	}
	ahead := parser{src: p.src, pos: p.pos + i, filter: p.filter}
	switch c := ahead.at(0); {
	case c == '<':
		return ahead.at(1) == '+'
	case c == '-':
		return isNamePart(ahead.at(1)) || ahead.at(1) == '('
	case c == '!':
		return ahead.at(1) != '='
	case isDigit(c), c == '"', c == '\'', c == '(', c == '[':
		return true
	default:
		w := ahead.word()
		return w != "" && wordOp(w) == opNone
	}
}
