package expr

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// format is the static String.format(pattern, arguments): the receiver is not used.
func format(f *frame, _ any, args arguments) (any, error) {
	pattern, err := args.text(0)
	if err != nil {
		return nil, err
	}
	return f.sprintf(pattern, args[1:])
}

// formatted is String.formatted: the receiver is the pattern.
func formatted(f *frame, x any, args arguments) (any, error) {
	s, _ := x.(string)
	return f.sprintf(s, args)
}

// maxWidth bounds a width or a precision in a format pattern.
const maxWidth = 1000

// sprintf writes %s %d %f %e %x %X %o %b %c %n and %% with flags, width and precision.
func (f *frame) sprintf(pattern string, args arguments) (any, error) {
	var b strings.Builder
	next := 0
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '%' {
			b.WriteByte(pattern[i])
			continue
		}
		from := i
		for i++; i < len(pattern) && (isDigit(pattern[i]) || strings.IndexByte("-+ #.", pattern[i]) >= 0); i++ {
		}
		if i >= len(pattern) {
			return nil, wrong("expected a conversion such as %%s at the end of the format %q", excerpt(pattern))
		}
		spec := pattern[from:i]
		switch verb := pattern[i]; verb {
		case '%':
			b.WriteByte('%')
		case 'n':
			b.WriteByte('\n')
		default:
			if next >= len(args) {
				return nil, wrong("expected a value for %s%c in the format, found %d value(s)", spec, verb, len(args))
			}
			s, err := f.converted(spec, verb, args[next])
			if err != nil {
				return nil, err
			}
			b.WriteString(s)
			next++
		}
		if b.Len() > MaxResult {
			return nil, errTooLong
		}
	}
	return b.String(), nil
}

// converted writes one value. The spec holds only flags, digits and a dot.
func (f *frame) converted(spec string, verb byte, v any) (string, error) {
	for _, n := range strings.FieldsFunc(spec, func(r rune) bool { return r < '0' || r > '9' }) {
		if width, err := strconv.Atoi(n); err != nil || width > maxWidth {
			return "", wrong("expected a width of at most %d in the format, found %s", maxWidth, excerpt(n))
		}
	}
	switch verb {
	case 's', 'S', 'c', 'b':
		s, err := f.text(v)
		if verb == 'S' {
			s = strings.ToUpper(s)
		}
		return fmt.Sprintf(spec+"s", s), err
	case 'd', 'x', 'X', 'o':
		n, ok := integer(v)
		if !ok {
			return "", wrong("expected an integer for %%%c in the format, found %s", verb, kindName(v))
		}
		return fmt.Sprintf(spec+string(rune(verb)), n), nil
	case 'f', 'e':
		n, ok := number(v)
		if !ok {
			return "", wrong("expected a number for %%%c in the format, found %s", verb, kindName(v))
		}
		return fmt.Sprintf(spec+string(rune(verb)), float(n)), nil
	}
	return "", argError{fault.Unsupported, fmt.Sprintf("not supported yet: %%%c in a format", verb)}
}
