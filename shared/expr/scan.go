package expr

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/fault"
)

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isStart reports whether c may begin a name; bytes of any non-ASCII letter may.
func isStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || c >= utf8.RuneSelf
}

func isNamePart(c byte) bool { return isStart(c) || isDigit(c) }

// at returns the byte i places on, 0 past the end.
func (p *parser) at(i int) byte {
	if p.pos+i < len(p.src) {
		return p.src[p.pos+i]
	}
	return 0
}

func (p *parser) space() {
	for p.pos < len(p.src) && isSpace(p.src[p.pos]) {
		p.pos++
	}
}

// opens reports whether `<+` stands at the position.
func (p *parser) opens() bool { return p.at(0) == '<' && p.at(1) == '+' }

// word returns the name at the position without consuming it, "" when there is none.
func (p *parser) word() string {
	if c := p.at(0); !isStart(c) && (c != '@' || !p.filter) {
		return ""
	}
	end := p.pos + 1
	for end < len(p.src) && isNamePart(p.src[end]) {
		end++
	}
	return p.src[p.pos:end]
}

func (p *parser) digits() {
	for isDigit(p.at(0)) {
		p.pos++
	}
}

// number scans an integer or a decimal: a dot counts only before a digit, so that
// 5.toString() is a call.
func (p *parser) number() (*node, error) {
	start := p.pos
	p.digits()
	whole := true
	if p.at(0) == '.' && isDigit(p.at(1)) {
		whole = false
		p.pos++
		p.digits()
	}
	if c := p.at(0); c == 'e' || c == 'E' {
		if isDigit(p.at(1)) || (p.at(1) == '-' || p.at(1) == '+') && isDigit(p.at(2)) {
			whole = false
			p.pos += 2
			p.digits()
		}
	}
	text := p.src[start:p.pos]
	if strings.IndexByte("LlDdFf", p.at(0)) >= 0 && p.at(0) != 0 && !isNamePart(p.at(1)) {
		whole = whole && (p.at(0) == 'L' || p.at(0) == 'l')
		p.pos++ // 5L, 2.5d: a type is of no matter here
	}
	if isNamePart(p.at(0)) {
		return nil, p.fail("expected an operator after the number %s", text)
	}
	n := p.node(kLit, start)
	if whole {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			n.val = i
			return n, nil
		}
	}
	d, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.pos = start
		return nil, p.fail("expected a number within the range of a double, found %s", excerpt(text))
	}
	n.val = d
	return n, nil
}

// quoted scans a quoted string. `<+…>` inside it is interpolated as text; a `>`
// is only a character.
func (p *parser) quoted() (*node, error) {
	start, quote := p.pos, p.src[p.pos]
	p.pos++
	var parts []*node
	var b strings.Builder
	from := p.pos // of the literal part being read
	for {
		stop := strings.IndexAny(p.src[p.pos:], "\\<"+string(rune(quote)))
		if stop < 0 {
			p.pos = start
			return nil, p.fail("expected a closing %c", quote)
		}
		b.WriteString(p.src[p.pos : p.pos+stop])
		p.pos += stop
		switch {
		case p.src[p.pos] == quote:
			p.pos++
			if parts == nil {
				n := p.node(kLit, start)
				n.val = b.String()
				return n, nil
			}
			parts = p.textPart(parts, from, p.pos-1, b.String())
			n := p.node(kStr, start)
			n.list = parts
			return n, nil
		case p.opens():
			parts = p.textPart(parts, from, p.pos, b.String())
			b.Reset()
			inner, err := p.nested()
			if err != nil {
				return nil, err
			}
			parts = append(parts, inner)
			from = p.pos
		case p.src[p.pos] == '<':
			b.WriteByte('<')
			p.pos++
		default:
			if err := p.escape(&b); err != nil {
				return nil, err
			}
		}
	}
}

func (p *parser) textPart(parts []*node, from, end int, text string) []*node {
	if text == "" {
		return parts
	}
	n := p.node(kText, from)
	n.end, n.val = end, text
	return append(parts, n)
}

// escape reads a backslash sequence. An unknown one keeps its backslash, so that
// regexes such as "\d+" need no doubling.
func (p *parser) escape(b *strings.Builder) error {
	switch c := p.at(1); c {
	case '\\', '"', '\'':
		b.WriteByte(c)
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'u':
		if p.pos+6 > len(p.src) {
			return p.fail(`expected four hexadecimal digits after \u`)
		}
		code, err := strconv.ParseUint(p.src[p.pos+2:p.pos+6], 16, 16)
		if err != nil {
			return p.fail(`expected four hexadecimal digits after \u`)
		}
		b.WriteRune(rune(code))
		p.pos += 4
	default:
		b.WriteByte('\\')
		p.pos++
		return nil
	}
	p.pos += 2
	return nil
}

// fail is a syntax error at the position.
func (p *parser) fail(format string, args ...any) error {
	return p.failKind(fault.Invalid, format, args...)
}

func (p *parser) failKind(kind fault.Kind, format string, args ...any) error {
	return failure(kind, p.src, p.pos, p.start, p.pos+40, format, args...)
}
