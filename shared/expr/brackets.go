package expr

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// call parses the arguments of the method or function that n names.
func (p *parser) call(n *node) (*node, error) {
	if n.list != nil {
		return nil, p.failKind(fault.Unsupported, "not supported yet: computed method names; expected a plain method name")
	}
	var err error
	n.kind = kCall
	n.list, err = p.items(')', nil)
	n.end = p.pos
	return n, err
}

func (p *parser) index(x *node) (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	p.open++
	p.pos++
	y, err := p.expr()
	if err != nil {
		return nil, err
	}
	if err := p.shut(']', "an operator or the closing ]"); err != nil {
		return nil, err
	}
	n := p.node(kIndex, x.pos)
	n.x, n.y = x, y
	return n, nil
}

func (p *parser) shut(closing byte, expected string) error {
	if p.space(); p.at(0) != closing {
		return p.unexpected(expected)
	}
	p.pos++
	p.open--
	p.depth--
	return nil
}

// items parses a bracketed list up to closing; the position is at the opening one,
// or after the first item when that is parsed already. A list may end in `...`,
// JEXL's mark for one that can grow: here each can.
func (p *parser) items(closing byte, first *node) ([]*node, error) {
	var list []*node
	if first != nil {
		list = append(list, first)
		if p.space(); p.at(0) != ',' {
			return list, p.shut(closing, "a comma or the closing "+string(rune(closing)))
		}
	} else {
		if err := p.enter(); err != nil {
			return nil, err
		}
		p.open++
	}
	p.pos++
	if p.space(); first == nil && p.at(0) == closing {
		return list, p.shut(closing, "")
	}
	for {
		if p.space(); closing == ']' && strings.HasPrefix(p.src[p.pos:], "...") {
			p.pos += len("...")
			return list, p.shut(closing, "the closing ]")
		}
		x, err := p.expr()
		if err != nil {
			return nil, err
		}
		list = append(list, x)
		if p.space(); p.at(0) != ',' {
			return list, p.shut(closing, "a comma or the closing "+string(rune(closing)))
		}
		p.pos++
	}
}

func (p *parser) paren() (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	pos := p.pos
	p.open++
	p.pos++
	x, err := p.expr()
	if err != nil {
		return nil, err
	}
	if err := p.shut(')', "an operator or the closing )"); err != nil {
		return nil, err
	}
	n := p.node(kParen, pos)
	n.x = x
	return n, nil
}

func (p *parser) mapping() (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	pos := p.pos
	p.open++
	p.pos++
	var list []*node
	if p.space(); p.at(0) == ':' { // {:} is the empty map as well
		p.pos++
		p.space()
	}
	for p.at(0) != '}' || list != nil {
		key, err := p.key()
		if err != nil {
			return nil, err
		}
		if p.space(); p.at(0) != ':' {
			if list == nil && (p.at(0) == ',' || p.at(0) == '}') {
				return p.set(pos, key)
			}
			return nil, p.unexpected("the : after a map's key")
		}
		p.pos++
		val, err := p.expr()
		if err != nil {
			return nil, err
		}
		list = append(list, key, val)
		if p.space(); p.at(0) != ',' {
			break
		}
		p.pos++
		p.space()
	}
	if err := p.shut('}', "a comma or the closing }"); err != nil {
		return nil, err
	}
	n := p.node(kMap, pos)
	n.list = list
	return n, nil
}

// set parses the rest of {a, b}.
func (p *parser) set(pos int, first *node) (*node, error) {
	list, err := p.items('}', first)
	n := p.node(kSet, pos)
	n.list = list
	return n, err
}

// key parses a map's key; a plain word stands for itself.
func (p *parser) key() (*node, error) {
	if w := p.word(); w != "" {
		i := len(w)
		for isSpace(p.at(i)) {
			i++
		}
		if p.at(i) == ':' {
			n := p.node(kLit, p.pos)
			p.pos += len(w)
			n.end, n.val = p.pos, w
			return n, nil
		}
	}
	return p.binary(precOr)
}
