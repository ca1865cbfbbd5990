package expr

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// maxPattern bounds a regex; what it costs to match is taken from the budget.
const maxPattern = 1024

// matchCost is how much dearer an instruction of a regex is, on a byte of text,
// than copying the byte; measured.
const matchCost = 4

// pattern is a compiled regex with what it costs.
type pattern struct {
	*regexp.Regexp
	tree *syntax.Regexp
	cost int // of a byte of text, in bytes of plain work
}

// pattern compiles a Java regex as RE2 and charges for one match against size
// bytes, which costs at most instructions × bytes.
func (f *frame) pattern(re string, size int) (*pattern, error) {
	if len(re) > maxPattern {
		return nil, argError{fault.TooLarge, "a regex may have 1024 bytes"}
	}
	tree, err := syntax.Parse(re, syntax.Perl)
	if err != nil {
		return nil, regexError(re, err)
	}
	p := &pattern{tree: tree, cost: matchCost * (2*len(re) + 2)}
	if strings.Contains(re, "{") {
		prog, err := syntax.Compile(tree.Simplify())
		if err != nil {
			return nil, regexError(re, err)
		}
		p.cost = matchCost * len(prog.Inst)
	}
	if err := f.charge(p.cost * (64 + size)); err != nil {
		return nil, err
	}
	if p.Regexp, err = regexp.Compile(re); err != nil {
		return nil, regexError(re, err)
	}
	return p, nil
}

// findAll finds up to n matches, all when n < 0. Each may cost as much as the
// pattern can look ahead in vain, which is quadratic for some; so it asks for few
// first and pays for more as it goes.
func (f *frame) findAll(p *pattern, s string, n int) ([][]int, error) {
	each := p.cost * reach(p.tree, s)
	for k := 4; ; k *= 8 {
		if n >= 0 {
			k = min(k, n)
		}
		if err := f.charge(k*each + p.cost*len(s)); err != nil {
			return nil, err
		}
		found := p.FindAllStringSubmatchIndex(s, k)
		if err := f.grow(64 * len(found)); err != nil { // of each a slice and its places
			return nil, err
		}
		if len(found) < k || k == n {
			return found, nil
		}
	}
}

func regexError(re string, err error) error {
	var wrong *syntax.Error
	if !errors.As(err, &wrong) {
		return argError{fault.Invalid, "expected a regex, found " + excerpt(re)}
	}
	what := ""
	switch {
	case strings.HasPrefix(wrong.Expr, "(?=") || strings.HasPrefix(wrong.Expr, "(?!") || strings.HasPrefix(wrong.Expr, "(?<"):
		what = "look-around in a regex"
	case wrong.Code == syntax.ErrInvalidEscape && len(wrong.Expr) == 2 && isDigit(wrong.Expr[1]):
		what = "back-references in a regex"
	case wrong.Code == syntax.ErrInvalidRepeatOp && strings.HasSuffix(wrong.Expr, "+"):
		what = "possessive quantifiers in a regex"
	case strings.HasPrefix(wrong.Expr, "(?>"):
		what = "atomic groups in a regex"
	}
	if what != "" {
		return argError{fault.Unsupported, "not supported yet: " + what + " (" + excerpt(wrong.Expr) + ")"}
	}
	return argError{fault.Invalid, "expected a regex, found " + excerpt(re) + ": " + wrong.Code.String()}
}

// plainPattern reports whether a regex is only its own text.
func plainPattern(re string) bool { return !strings.ContainsAny(re, `\.+*?()|[]{}^$`) }

// fullMatch reports whether re matches all of s.
func (f *frame) fullMatch(re, s string) (bool, error) {
	if plainPattern(re) {
		return re == s, nil
	}
	compiled, err := f.pattern(`\A(?:`+re+`)\z`, len(s))
	if err != nil {
		if _, own := f.pattern(re, 0); own != nil { // the author's regex, without the wrapping
			err = own
		}
		return false, err
	}
	return compiled.MatchString(s), nil
}

func matches(f *frame, x any, args arguments) (any, error) {
	s, _ := x.(string)
	re, err := args.text(0)
	if err != nil {
		return nil, err
	}
	return f.fullMatch(re, s)
}

// split follows String.split(regex[, limit]): trailing empty strings are dropped
// unless there is a limit.
func split(f *frame, x any, args arguments) (any, error) {
	s, _ := x.(string)
	re, err := args.text(0)
	if err != nil {
		return nil, err
	}
	limit := 0
	if len(args) > 1 {
		n, ok := integer(args[1])
		if !ok {
			return nil, wrong("expected an integer as argument 2, found %s", kindName(args[1]))
		}
		limit = int(max(min(n, MaxResult), -1))
	}
	if err := args.count("split", 1, 2); err != nil {
		return nil, err
	}
	if re != "" && plainPattern(re) {
		return trimmed(strings.SplitN(s, re, pick(limit > 0, limit, -1)), limit), nil
	}
	if re == "" && limit == 0 && s != "" { // into characters
		return trimmed(strings.Split(s, ""), limit), f.charge(32 * len(s))
	}
	compiled, err := f.pattern(re, len(s))
	if err != nil {
		return nil, err
	}
	found, err := f.findAll(compiled, s, -1)
	return trimmed(cut(found, s, limit), limit), err
}

// cut splits as Java does: an empty match at the beginning cuts nothing.
func cut(found [][]int, s string, limit int) []string {
	var parts []string
	at := 0
	for _, m := range found {
		if limit > 0 && len(parts) == limit-1 {
			break
		}
		if m[1] == 0 || m[0] == m[1] && m[0] == len(s) {
			continue
		}
		parts = append(parts, s[at:m[0]])
		at = m[1]
	}
	return append(parts, s[at:])
}

func trimmed(parts []string, limit int) []any {
	for limit == 0 && len(parts) > 1 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	list := make([]any, len(parts))
	for i, p := range parts {
		list[i] = p
	}
	return list
}

// replaceMatches is replaceAll(regex, replacement), n limiting how many.
func (f *frame) replaceMatches(x any, args arguments, n int) (any, error) {
	s, _ := x.(string)
	if err := args.count("replaceAll", 2, 2); err != nil {
		return nil, err
	}
	re, err := args.text(0)
	if err != nil {
		return nil, err
	}
	with, err := args.text(1)
	if err != nil {
		return nil, err
	}
	compiled, err := f.pattern(re, len(s))
	if err != nil {
		return nil, err
	}
	found, err := f.findAll(compiled, s, n)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	at := 0
	for _, m := range found {
		b.WriteString(s[at:m[0]])
		if err := f.substitute(&b, compiled.Regexp, s, m, with); err != nil {
			return nil, err
		}
		at = m[1]
	}
	b.WriteString(s[at:])
	return b.String(), nil
}

// substitute writes a replacement with Java's $1, ${name} and backslash escapes.
func (f *frame) substitute(b *strings.Builder, re *regexp.Regexp, s string, m []int, with string) error {
	for i := 0; i < len(with); i++ {
		group, width := -1, 0
		switch c := with[i]; {
		case c == '\\' && i+1 < len(with):
			i++
			b.WriteByte(with[i])
			continue
		case c != '$':
			b.WriteByte(c)
			continue
		case i+1 < len(with) && isDigit(with[i+1]):
			group, width = int(with[i+1]-'0'), 1
		case i+1 < len(with) && with[i+1] == '{':
			if end := strings.IndexByte(with[i:], '}'); end > 0 {
				group, width = re.SubexpIndex(with[i+2:i+end]), end
			}
		}
		if group < 0 || 2*group+1 >= len(m) {
			return wrong("expected $ and the number of a group in the replacement (write \\$ for a dollar), found %q", excerpt(with))
		}
		if m[2*group] >= 0 {
			b.WriteString(s[m[2*group]:m[2*group+1]])
		}
		i += width
	}
	if b.Len() > MaxResult {
		return errTooLong
	}
	return f.charge(len(with))
}
