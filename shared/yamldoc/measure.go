package yamldoc

import (
	"bytes"
	"fmt"

	"github.com/slipway-cd/slipway/shared/core"
)

// measure holds a document to its bounds on its bytes, in one pass without
// memory: the library takes a hundred times as long to cut a document into the
// tokens that guard counts. It counts only what is certain, so what it refuses
// guard would refuse as well.
func (c chunk) measure(file string) *core.Diagnostic {
	m := &meter{}
	for start, line := 0, 1; start < len(c.data); line++ {
		end := len(c.data)
		if i := bytes.IndexByte(c.data[start:], '\n'); i >= 0 {
			end = start + i
		}
		text := c.data[start:end]
		if at2, msg, help := m.line(text); msg != "" {
			return at(file, c.first+line, column(text[:at2]), CodeTooLarge, msg, help)
		}
		start = end + 1
	}
	return nil
}

// meter is what measure has seen so far.
type meter struct {
	scalar  bool // inside a block scalar
	header  int  // indentation of the line it began on
	size    int  // its bytes so far
	flow    int  // open [ and {
	quote   byte // of an open quoted string, else 0
	before  byte // the last byte inside brackets that is no blank
	blocks  []opened
	values  int
	aliases int

	comments, directives int
}

const (
	maxComment = 1 << 20 // bytes of one line

	flatten = "flatten the document"
	moveOut = "keep large content in a file and refer to it"
)

var (
	tooDeep = fmt.Sprintf("maps and lists are nested more than %d deep", MaxDepth)
	tooLong = fmt.Sprintf("a value is larger than %d KB", MaxScalar>>10)
)

// line looks at one line. at is where in it a bound is passed.
func (m *meter) line(text []byte) (at int, msg, help string) {
	rest := bytes.TrimLeft(text, " ")
	indent := len(text) - len(rest)
	if m.scalar {
		blank := len(bytes.TrimSpace(rest)) == 0
		if blank || indent > m.header {
			if m.size += len(rest); m.size > MaxScalar+m.header {
				return 0, tooLong, moveOut
			}
			return 0, "", ""
		}
		m.scalar = false
	}
	if m.flow > 0 || m.quote != 0 {
		return m.inside(text, 0)
	}
	switch {
	case len(rest) == 0:
	case rest[0] == '#':
		if m.comments++; m.comments > MaxComments {
			return indent, fmt.Sprintf("more than %d lines of comments", MaxComments), "remove some of them"
		}
		if len(rest) > maxComment {
			return indent, fmt.Sprintf("a comment is larger than %d KB", maxComment>>10), "remove it"
		}
	case rest[0] == '%' && indent == 0 && m.values == 0:
		if m.directives++; m.directives > MaxDirectives {
			return 0, fmt.Sprintf("more than %d directives", MaxDirectives), "a document needs none"
		}
	default:
		return m.block(text, rest, indent)
	}
	return 0, "", ""
}

// block looks at a line outside brackets, quotes and block scalars.
func (m *meter) block(text, rest []byte, indent int) (at int, msg, help string) {
	col := indent
	for len(rest) > 1 && rest[0] == '-' && rest[1] == ' ' {
		if msg, help := m.entry(col, true); msg != "" {
			return col, msg, help
		}
		skip := 2 + len(rest[2:]) - len(bytes.TrimLeft(rest[2:], " "))
		rest, col = rest[skip:], col+skip
	}
	if len(rest) == 0 {
		return 0, "", ""
	}
	if rest[0] != '"' && rest[0] != '\'' && rest[0] != '[' && rest[0] != '{' {
		key := bytes.IndexByte(rest, ':')
		if key < 0 || key+1 < len(rest) && rest[key+1] != ' ' && rest[key+1] != '\r' {
			return m.long(rest, col)
		}
		if msg, help := m.entry(col, false); msg != "" {
			return col, msg, help
		}
		value := bytes.TrimLeft(rest[key+1:], " \r")
		if len(rest)-len(value) > MaxScalar {
			return col, fmt.Sprintf("more than %d KB of spaces", MaxScalar>>10), "remove them"
		}
		rest, col = value, len(text)-len(value)
	}
	for len(rest) > 0 && (rest[0] == '&' || rest[0] == '!') { // an anchor or a tag
		_, value, _ := bytes.Cut(rest, []byte(" "))
		rest, col = value, len(text)-len(value)
	}
	switch {
	case len(rest) == 0:
	case rest[0] == '|' || rest[0] == '>':
		m.scalar, m.header, m.size = true, indent, 0
	case rest[0] == '[' || rest[0] == '{' || rest[0] == '"' || rest[0] == '\'':
		if col == indent && m.values > 0 {
			return 0, "", "" // perhaps a line of a plain text that began above
		}
		m.before = ','
		return m.inside(text, col)
	default:
		return m.long(rest, col)
	}
	return 0, "", ""
}

// long refuses a plain value that does not fit on its line.
func (m *meter) long(rest []byte, col int) (at int, msg, help string) {
	if len(rest) > MaxScalar && bytes.IndexByte(rest, '#') < 0 {
		return col, tooLong, moveOut
	}
	return 0, "", ""
}

// entry notes that a key or a dash stands at a column, as guard does.
func (m *meter) entry(col int, dash bool) (msg, help string) {
	if m.values++; m.values > MaxNodes {
		return fmt.Sprintf("more than %d values", MaxNodes), "split the document"
	}
	keys := 1
	for n := len(m.blocks); n > 0; n = len(m.blocks) {
		top := m.blocks[n-1]
		if top.col < col || top.col == col && dash && !top.dash {
			break
		}
		if top.col == col && !dash && !top.dash {
			keys = top.keys + 1
		}
		m.blocks = m.blocks[:n-1]
	}
	m.blocks = append(m.blocks, opened{col, dash, keys})
	switch {
	case len(m.blocks) > MaxDepth:
		return tooDeep, flatten
	case keys > MaxKeys:
		return fmt.Sprintf("more than %d keys in one map", MaxKeys), "split it"
	}
	return "", ""
}

// inside looks at the rest of a line within brackets or quotes.
func (m *meter) inside(text []byte, from int) (at int, msg, help string) {
	for i := from; i < len(text); i++ {
		b := text[i]
		if m.quote != 0 {
			switch {
			case b == '\\' && m.quote == '"':
				i++
			case b == m.quote:
				m.quote, m.before = 0, b
			case b != ' ':
				if m.size++; m.size > MaxScalar {
					return i, tooLong, moveOut
				}
			}
			continue
		}
		start := m.before == ',' || m.before == '[' || m.before == '{'
		switch b {
		case ' ', '\t', '\r':
			continue
		case '#':
			if i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
				return 0, "", ""
			}
		case '"', '\'':
			if start || m.before == ':' {
				m.quote, m.size = b, 0
				continue
			}
		case '[', '{':
			if m.flow++; m.flow+len(m.blocks) > MaxDepth {
				return i, tooDeep, flatten
			}
		case ']', '}':
			m.flow = max(0, m.flow-1)
		case ',', ':':
			if b == ':' && i+1 < len(text) && text[i+1] != ' ' {
				break
			}
			if m.values++; m.values > MaxNodes {
				return i, fmt.Sprintf("more than %d values", MaxNodes), "split the document"
			}
		case '*':
			if m.aliases++; start && m.aliases > MaxAliases {
				return i, fmt.Sprintf("more than %d aliases", MaxAliases), "write the values out"
			} else if !start {
				m.aliases--
			}
		}
		if m.before = b; m.flow == 0 {
			return 0, "", ""
		}
	}
	return 0, "", ""
}
