package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// marker is a runtime input as written: `<+input>` and the calls after it
// (BEHAVIOUR §12.1).
type marker struct {
	hasDefault bool
	def        string
	one        []string // allowedValues or selectOneFrom
	many       []string // selectManyFrom
	regex      string
	execution  bool // executionInput()
}

const inputMark = "<+input>"

var markerCalls = []string{"default", "allowedValues", "selectOneFrom", "selectManyFrom", "regex", "executionInput"}

// parseMarker reads a scalar that begins with `<+input>`. bad is the rest that is
// no call of a marker.
func parseMarker(text string) (m marker, bad string) {
	rest := strings.TrimSpace(strings.TrimPrefix(text, inputMark))
	for rest != "" {
		name, arg, after, ok := cutCall(rest)
		if !ok {
			return m, rest
		}
		switch name {
		case "default":
			m.hasDefault, m.def = true, unquote(arg)
		case "allowedValues", "selectOneFrom":
			m.one = splitValues(arg)
		case "selectManyFrom":
			m.many = splitValues(arg)
		case "regex":
			m.regex = arg
		case "executionInput":
			m.execution = true
		}
		rest = after
	}
	return m, ""
}

// cutCall cuts ".name(arg)" off the front. The argument ends at the first ")"
// that the next call, or nothing, follows: regexes need not be balanced.
func cutCall(s string) (name, arg, rest string, ok bool) {
	open := strings.IndexByte(s, '(')
	if !strings.HasPrefix(s, ".") || open < 0 || !slices.Contains(markerCalls, s[1:open]) {
		return "", "", "", false
	}
	name = s[1:open]
	for i := open + 1; i < len(s); i++ {
		if s[i] != ')' {
			continue
		}
		rest = strings.TrimSpace(s[i+1:])
		if rest == "" || slices.ContainsFunc(markerCalls, func(c string) bool { return strings.HasPrefix(rest, "."+c+"(") }) {
			arg = s[open+1 : i]
			return name, arg, rest, arg != "" || name == "executionInput"
		}
	}
	return "", "", "", false
}

// splitValues splits at commas outside quotes, \' \' and nested expressions.
func splitValues(s string) []string {
	var out []string
	var quote byte
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch {
		case quote != 0:
			if s[i] == quote {
				quote = 0
			}
		case s[i] == '\'' || s[i] == '"':
			quote = s[i]
		case strings.HasPrefix(s[i:], "<+"):
			depth++
		case s[i] == '>' && depth > 0:
			depth--
		case s[i] == ',' && depth == 0:
			out = append(out, unquote(s[start:i]))
			start = i + 1
		}
	}
	return append(out, unquote(s[start:]))
}

// unquote removes one pair of quotes, escaped or not, and escapes of quotes.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []string{`\'`, `\"`, `'`, `"`} {
		if len(s) >= 2*len(q) && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			s = s[len(q) : len(s)-len(q)]
			break
		}
	}
	return strings.NewReplacer(`\"`, `"`, `\'`, `'`).Replace(s)
}

// accept reports what is wrong with a value, "" when nothing is. Expressions are
// judged by nobody: their value is not known yet (BEHAVIOUR §12.2).
func (m *marker) accept(v string) string {
	return core.Ask{One: m.one, Many: m.many, Regex: m.regex}.Accept(v)
}

// wholeRegex compiles a regex that must match a whole value.
func wholeRegex(s string) (*regexp.Regexp, error) { return regexp.Compile(`\A(?:` + s + `)\z`) }

// lookAround are the beginnings of what RE2 leaves out on purpose.
var lookAround = regexp.MustCompile(`\(\?(?:=|!|<=|<!|>)|\\[1-9]|\\k<|[*+?}]\+`)

// regex checks that a regex can be used; look-around and the like are valid but
// not supported.
func (c *compiler) regex(n *yamldoc.Node, pos core.Position, s, code string) {
	_, err := wholeRegex(s)
	switch {
	case err == nil:
	case lookAround.MatchString(s):
		c.unexecuted(n, pos, fmt.Sprintf("look-around or back-references in the regex %s", s))
	default:
		c.add(core.SeverityError, n, pos, code, fmt.Sprintf("the regex %s cannot be read: %v", s, strings.TrimPrefix(err.Error(), "error parsing regexp: ")), "")
	}
}
