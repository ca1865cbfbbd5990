package expr

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// arrowAfter returns where, i bytes on and spaces skipped, an arrow ends; 0 when
// there is none.
func (p *parser) arrowAfter(i int) int {
	for isSpace(p.at(i)) {
		i++
	}
	if c := p.at(i); (c == '-' || c == '=') && p.at(i+1) == '>' {
		return i + 2
	}
	return 0
}

// maxParameters bounds the parameters of one function.
const maxParameters = 16

// parameters looks ahead from a ( for (a, b) and an arrow; it moves to the arrow
// when they are there.
func (p *parser) parameters() ([]string, bool) {
	end := strings.IndexByte(p.src[p.pos:], ')')
	if end < 0 || end > 1024 || p.arrowAfter(end+1) == 0 {
		return nil, false
	}
	names, ok := parameterNames(p.src[p.pos+1 : p.pos+end])
	if ok {
		p.pos += end + 1
	}
	return names, ok
}

func parameterNames(text string) ([]string, bool) {
	if strings.TrimSpace(text) == "" {
		return nil, true
	}
	var names []string
	for part := range strings.SplitSeq(text, ",") {
		p := parser{src: strings.TrimSpace(part)}
		w := p.word()
		if w == "" || len(w) != len(p.src) || len(names) == maxParameters || slices.Contains(names, w) {
			return nil, false
		}
		names = append(names, w)
	}
	return names, true
}

// lambda parses the arrow and the body of a function.
func (p *parser) lambda(n *node, params []string) (*node, error) {
	p.pos += p.arrowAfter(0)
	return p.functionBody(n, params)
}

// function parses function(a, b) { … }.
func (p *parser) function() (*node, error) {
	n := p.node(kFunc, p.pos)
	p.pos += len("function")
	end := strings.IndexByte(p.src[p.pos:], ')')
	if p.space(); p.at(0) != '(' || end < 0 {
		return nil, p.unexpected("the form function(a, b) { … }")
	}
	end = strings.IndexByte(p.src[p.pos:], ')')
	params, ok := parameterNames(p.src[p.pos+1 : p.pos+end])
	if !ok {
		return nil, p.fail("expected up to %d different names as parameters, found %s", maxParameters, excerpt(p.src[p.pos:p.pos+end+1]))
	}
	p.pos += end + 1
	if p.space(); p.at(0) != '{' {
		return nil, p.unexpected("the { of the function's body")
	}
	return p.functionBody(n, params)
}

func (p *parser) functionBody(n *node, params []string) (*node, error) {
	n.kind, n.val = kFunc, params
	if p.chain++; p.chain > maxChain {
		return nil, p.failKind(fault.TooLarge, "an expression may chain %d operators without brackets", maxChain)
	}
	loops := p.loops
	p.loops = 0
	var err error
	if p.space(); p.at(0) == '{' {
		n.y, err = p.block()
	} else {
		n.y, err = p.expr()
	}
	p.chain--
	p.loops, n.end = loops, p.pos
	return n, err
}
