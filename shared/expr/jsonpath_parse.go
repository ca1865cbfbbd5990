package expr

import (
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// parsePath reads `$.a['b'][0]`, also without the `$` or with a leading dot.
func parsePath(path string) ([]step, error) {
	rest := strings.TrimPrefix(strings.TrimSpace(path), "$")
	var steps []step
	for first := true; rest != ""; first = false {
		var s step
		var err error
		switch {
		case strings.HasPrefix(rest, ".."):
			s.deep = true
			rest = rest[2:]
		case rest[0] == '.':
			rest = rest[1:]
			if rest == "" && first {
				return nil, nil
			}
		case rest[0] != '[' && !first:
			return nil, wrong("expected . or [ in the JSONPath %q before %q", excerpt(path), excerpt(rest))
		}
		if strings.HasPrefix(rest, "[") {
			rest, err = s.bracket(rest)
		} else {
			rest, err = s.plain(rest)
		}
		if err != nil {
			return nil, argError{fault.KindOf(err), "expected a JSONPath such as $.a.b[0], found " + excerpt(path) + ": " + err.Error()}
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// plain reads a name up to the next dot or bracket.
func (s *step) plain(rest string) (string, error) {
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	name := rest[:end]
	switch {
	case name == "":
		return "", wrong("a name is missing")
	case name == "*":
		s.all = true
	case name == "length()" || name == "size()":
		s.size = true
	case strings.HasSuffix(name, ")"):
		return "", argError{fault.Unsupported, "not supported yet: the function " + excerpt(name)}
	default:
		s.keys = []string{name}
	}
	return rest[end:], nil
}

// bracket reads [*], [0,1], [-1], [1:3], ['a','b'] or [?(filter)].
func (s *step) bracket(rest string) (string, error) {
	end := closing(rest)
	if end < 0 {
		return "", wrong("a ] is missing")
	}
	inner := strings.TrimSpace(rest[1:end])
	rest = rest[end+1:]
	switch {
	case inner == "*":
		s.all = true
		return rest, nil
	case strings.HasPrefix(inner, "?"):
		s.source = strings.TrimSpace(inner[1:])
		n, err := parseBare(s.source, true)
		for err == nil && n.kind == kParen {
			n = n.x
		}
		s.filter = n
		return rest, err
	case inner != "" && inner[0] != '\'' && inner[0] != '"' && strings.Contains(inner, ":"):
		return rest, s.sliced(inner)
	}
	for inner != "" {
		key, after, err := item(inner)
		if err != nil {
			return "", err
		}
		s.keys = append(s.keys, key)
		inner = after
	}
	if s.keys == nil {
		return "", wrong("a name or an index is missing between the brackets")
	}
	return rest, nil
}

func (s *step) sliced(inner string) error {
	s.slice = true
	parts := strings.Split(inner, ":")
	if len(parts) > 3 {
		return wrong("a slice has the form from:to:step")
	}
	for i, p := range parts {
		if p = strings.TrimSpace(p); p == "" {
			continue
		}
		n, err := strconv.Atoi(p)
		if err != nil {
			return wrong("a slice has integers, found %q", excerpt(p))
		}
		s.bounds[i] = &n
	}
	return nil
}

// item reads a quoted name or an index up to a comma.
func item(s string) (key, rest string, err error) {
	if q := s[0]; q == '\'' || q == '"' {
		var b strings.Builder
		i := 1
		for ; i < len(s) && s[i] != q; i++ {
			if s[i] == '\\' && i+1 < len(s) {
				i++
			}
			b.WriteByte(s[i])
		}
		if i >= len(s) {
			return "", "", wrong("a closing %c is missing", q)
		}
		key, rest = b.String(), strings.TrimSpace(s[i+1:])
	} else {
		end := strings.IndexByte(s, ',')
		if end < 0 {
			end = len(s)
		}
		key, rest = strings.TrimSpace(s[:end]), s[end:]
	}
	if rest == "" {
		return key, "", nil
	}
	if rest[0] != ',' {
		return "", "", wrong("a comma is missing before %q", excerpt(rest))
	}
	if rest = strings.TrimSpace(rest[1:]); rest == "" {
		return "", "", wrong("a name or an index is missing after the comma")
	}
	return key, rest, nil
}

// closing finds the ] of the [ that s begins with, quotes and brackets skipped.
func closing(s string) int {
	var open []byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		if n := len(open); n > 0 && (open[n-1] == '\'' || open[n-1] == '"') {
			switch c {
			case '\\':
				i++
			case open[n-1]:
				open = open[:n-1]
			}
			continue
		}
		switch c {
		case '[', '\'', '"':
			open = append(open, c)
		case ']':
			if open = slices.Delete(open, len(open)-1, len(open)); len(open) == 0 {
				return i
			}
		}
	}
	return -1
}
