package schema

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/slipway-cd/slipway/shared/steps"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// pattern is a regex of the facts, compiled when first used.
type pattern struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

func (p *pattern) match(s string) bool {
	p.once.Do(func() { p.re = regexp.MustCompile(p.text) })
	return p.re.MatchString(s)
}

// format is a form of text that has a name in the facts. Exactly one of match and
// check judges; regex is what JSON Schema says of it, "" for nothing.
type format struct {
	regex string
	check func(string) string // what is wrong, "" for nothing
	code  string
	help  string
}

// formats of text (BEHAVIOUR §1.3, §1.4, §1.6, §3.3, §16.8).
var formats = map[string]*format{
	"id": {`^[a-zA-Z_][0-9a-zA-Z_]{0,127}$`, isID, CodeIdentifier,
		"use letters, digits and _, not beginning with a digit, at most 128"},
	"name": {`^[a-zA-Z_0-9.-][-0-9a-zA-Z_\s.]{0,127}$`, isName, CodeName,
		"use letters, digits, blanks and - _ . only, at most 128"},
	"var": {`^[a-zA-Z_][0-9a-zA-Z_.$-]{0,127}$`, isVar, CodeName,
		"use letters, digits and _ . $ -, not beginning with a digit, at most 128"},
	"duration":  {"", isDuration, CodeDuration, "write a time such as 10m or 1h 30m"},
	"version":   {`^[0-9a-zA-Z][^\s/&]{0,63}$`, isVersion, CodeValue, "use at most 64 characters, no blanks, / or &"},
	"namespace": {`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, isNamespace, CodeValue, "use small letters, digits and -, as Kubernetes does"},
	"poll":      {"", isPoll, CodeDuration, "write a time such as 2m or 1h, or 0 for no polling"},
	"ref":       {"", isRef, CodeValue, "name it as x, org.x or account.x"},
	"case":      {"", nil, "", ""},
}

func (c *checker) scalar(n *yamldoc.Node, t *typ) {
	if !n.Scalar() {
		c.wrongType(n, t)
		return
	}
	if t.shape == shapeText && t.format != "" {
		f := formats[t.format]
		if f.check == nil {
			return
		}
		switch w := f.check(n.Text); w {
		case "":
		case no:
			c.errorf(n, f.code, f.help, "%q cannot be the %s of %s", n.Text, keyOf(n), describe(n.Parent()))
		default:
			c.errorf(n, f.code, f.help, "%s: %s", describe(n), w)
		}
		return
	}
	if w := wrong(n, t); w != "" {
		code, help := CodeValue, t.help()
		switch {
		case t.shape == shapeEnum:
			help = oneOf(n.Text, t.values)
		case t.shape == shapeText:
		case strings.HasPrefix(w, tooLittle), strings.HasPrefix(w, tooMuch):
			code = CodeRange
		default:
			code = CodeWrongType
		}
		c.errorf(n, code, help, "%s: %q %s", describe(n), n.Text, w)
	}
}

// wrong says what is wrong with a scalar, "" when it is right. An empty text is
// what forms leave behind for a field nobody filled in.
func wrong(n *yamldoc.Node, t *typ) string {
	s := n.Text
	switch t.shape {
	case shapeText:
		if t.pattern != nil && !t.pattern.match(s) {
			return "does not match " + t.pattern.text
		}
	case shapeEnum:
		if !slices.Contains(t.values, s) && s != "" {
			return "is not one of its values"
		}
	case shapeBool:
		switch strings.ToLower(s) {
		case "true", "false", "":
		default:
			return "is neither true nor false"
		}
	case shapeInt, shapeNumber:
		return wrongNumber(s, t)
	default:
	}
	return ""
}

const tooLittle, tooMuch = "is less than ", "is more than "

func wrongNumber(s string, t *typ) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		i, err := strconv.ParseInt(s, 0, 64)
		if err != nil {
			return "but a number is expected"
		}
		v = float64(i)
	}
	switch {
	case t.shape == shapeInt && v != float64(int64(v)):
		return "but a whole number is expected"
	case t.min != nil && v < *t.min:
		return tooLittle + strconv.FormatFloat(*t.min, 'g', -1, 64)
	case t.max != nil && v > *t.max:
		return tooMuch + strconv.FormatFloat(*t.max, 'g', -1, 64)
	}
	return ""
}

// chars reports whether text has 1 to 128 characters, the first of which first
// accepts and the others rest. Regexes that count so far are slow to compile.
func chars(s string, first, rest func(byte) bool) bool {
	if s == "" || len(s) > 128 || !first(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !rest(s[i]) {
			return false
		}
	}
	return true
}

func letter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' }
func word(b byte) bool   { return letter(b) || b >= '0' && b <= '9' }

// no is the judgement of what is not of a form, with nothing to add.
const no = "no"

func judge(ok bool) string {
	if ok {
		return ""
	}
	return no
}

func isID(s string) string { return judge(chars(s, letter, word)) }

func isName(s string) string {
	first := func(b byte) bool { return word(b) || b == '-' || b == '.' }
	return judge(chars(s, first, func(b byte) bool { return first(b) || strings.IndexByte(" \t\n\r\f\v", b) >= 0 }))
}

func isVar(s string) string {
	return judge(chars(s, letter, func(b byte) bool { return word(b) || b == '.' || b == '$' || b == '-' }))
}

func isDuration(s string) string {
	if s == "" {
		return ""
	}
	if _, err := steps.ParseDuration(s); err != nil {
		return err.Error()
	}
	return ""
}

func isVersion(s string) string {
	return judge(s != "" && word(s[0]) && s[0] != '_' && len([]rune(s)) <= 64 && !strings.ContainsAny(s, " \t\n\r/&"))
}

func isNamespace(s string) string {
	small := func(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }
	ok := s != "" && small(s[0]) && small(s[len(s)-1])
	for i := 0; i < len(s); i++ {
		ok = ok && (small(s[i]) || s[i] == '-')
	}
	return judge(ok)
}

// isRef judges the name of a secret (BEHAVIOUR §1.2), or the address of one in another
// secret manager, such as hashicorpvault://x/path#key (BEHAVIOUR §13).
func isRef(s string) string {
	if strings.Contains(s, "://") {
		return ""
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "account."), "org.")
	return judge(chars(s, letter, func(b byte) bool { return word(b) || b == '$' }))
}

func isPoll(s string) string {
	if s == "" || s == "0" {
		return ""
	}
	return isDuration(s)
}
