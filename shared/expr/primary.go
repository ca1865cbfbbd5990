package expr

import "github.com/slipway-cd/slipway/shared/fault"

// unary parses prefix operators, then a value with its calls and properties.
func (p *parser) unary() (*node, error) {
	p.space()
	o, width := p.prefix()
	if o == opNone {
		return p.postfix()
	}
	if p.chain++; p.chain > maxChain {
		return nil, p.failKind(fault.TooLarge, "an expression may chain %d operators without brackets", maxChain)
	}
	pos := p.pos
	p.pos += width
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	p.chain--
	n := p.node(kUnary, pos)
	n.op, n.x = o, x
	return n, nil
}

// prefix returns the prefix operator at the position. `empty` and `size` are names
// unless what follows makes them operators.
func (p *parser) prefix() (op, int) {
	switch c := p.at(0); c {
	case '!':
		return opNot, 1
	case '+':
		return opPlus, 1
	case '-':
		if p.at(1) != '>' {
			return opNeg, 1
		}
	case 'n', 'e', 's':
		w := p.word()
		switch after := p.at(len(w)); {
		case w == "not" && (isSpace(after) || after == '(' || after == '<'):
			return opNot, len(w)
		case w == "size" && after == '(':
			return opSize, len(w)
		case w == "empty" && (after == '(' || isSpace(after) && p.valueAt(len(w))):
			return opEmpty, len(w)
		}
	}
	return opNone, 0
}

func (p *parser) postfix() (*node, error) {
	x, err := p.primary()
	if err != nil {
		return nil, err
	}
	for {
		after := p.pos
		p.space()
		switch {
		case p.at(0) == '.' && p.at(1) != '.', p.at(0) == '?' && p.at(1) == '.' && isStart(p.at(2)):
			p.pos += pick(p.at(0) == '?', 2, 1)
			x, err = p.property(x)
		case p.at(0) == '[':
			x, err = p.index(x)
		default:
			p.pos = after
			return x, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// property parses what follows a dot: a name, a quoted key, a computed name, or a
// method call.
func (p *parser) property(x *node) (*node, error) {
	p.space()
	n := p.node(kProp, x.pos)
	n.x = x
	switch c := p.at(0); {
	case c == '"' || c == '\'':
		key, err := p.quoted()
		if err != nil {
			return nil, err
		}
		if key.kind == kLit {
			n.name, _ = key.val.(string)
		} else {
			// Quoted parts are one key: they are not split at dots.
			n.kind, n.y = kIndex, key
		}
	case isNamePart(c) || p.opens():
		if err := p.name(n, nil); err != nil {
			return nil, err
		}
		if p.at(0) == '(' {
			return p.call(n)
		}
	default:
		return nil, p.unexpected("a property or method name after the dot")
	}
	n.end = p.pos
	return n, nil
}

// name reads a name, gluing `<+…>` to it (BEHAVIOUR §13.2). first is the nested
// expression it begins with when that is parsed already.
func (p *parser) name(n *node, first *node) error {
	var parts []*node
	if first != nil {
		parts = append(parts, first)
	}
	for {
		from := p.pos
		for isNamePart(p.at(0)) || p.filter && p.pos == from && p.at(0) == '@' {
			p.pos++
		}
		text := p.src[from:p.pos]
		if !p.opens() {
			if parts == nil {
				n.name = text
			} else {
				n.list = p.textPart(parts, from, p.pos, text)
			}
			n.end = p.pos
			return nil
		}
		parts = p.textPart(parts, from, p.pos, text)
		inner, err := p.nested()
		if err != nil {
			return err
		}
		parts = append(parts, inner)
	}
}

// primary parses a value.
func (p *parser) primary() (*node, error) {
	pos := p.pos
	switch c := p.at(0); {
	case p.opens():
		inner, err := p.nested()
		if err != nil || !isNamePart(p.at(0)) && !p.opens() {
			return inner, err
		}
		n := p.node(kName, pos)
		return n, p.name(n, inner)
	case c == '"' || c == '\'':
		return p.quoted()
	case isDigit(c):
		return p.number()
	case c == '(':
		if params, ok := p.parameters(); ok {
			return p.lambda(p.node(kFunc, pos), params)
		}
		return p.paren()
	case c == '[':
		list, err := p.items(']', nil)
		n := p.node(kList, pos)
		n.list = list
		return n, err
	case c == '{':
		return p.mapping()
	case isStart(c) || p.filter && c == '@':
		return p.named()
	}
	return nil, p.unexpected("a value")
}

// named parses a literal word, a function call or the first name of a path.
func (p *parser) named() (*node, error) {
	n := p.node(kName, p.pos)
	w := p.word()
	after := p.at(len(w))
	if glued := after == '<' && p.at(len(w)+1) == '+'; !glued {
		switch w {
		case "true", "false":
			n.kind, n.val = kLit, w == "true"
		case "null":
			n.kind = kLit
		case "function":
			if p.statement(w) {
				return p.function()
			}
		case "new":
			if p.statement(w) {
				return nil, p.fail("expected a value, found new: expressions make no objects")
			}
		case "var", "let", "const", "return", "for", "while", "do", "if", "switch", "break", "continue":
			if p.statement(w) {
				return nil, p.misplaced(w)
			}
		}
	}
	if arrow := p.arrowAfter(len(w)); arrow > 0 {
		p.pos += len(w)
		return p.lambda(n, []string{w})
	}
	if n.kind == kLit {
		p.pos += len(w)
		n.end = p.pos
		return n, nil
	}
	if err := p.name(n, nil); err != nil {
		return nil, err
	}
	if p.at(0) == '(' {
		return p.call(n)
	}
	return n, nil
}

// statement reports whether the keyword w at the position begins a statement, by
// what follows it: a context of the scope may bear the same name.
func (p *parser) statement(w string) bool {
	i := len(w)
	for isSpace(p.at(i)) {
		i++
	}
	c := p.at(i)
	return c == '(' || i > len(w) && (isNamePart(c) || c == '{' || c == '<')
}
