package expr

import (
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// stringMethods are those of java.lang.String that pipelines use (BEHAVIOUR §13.4).
// Positions count characters.
var stringMethods = map[string]method{
	"contains":            text1(func(s, a string) any { return strings.Contains(s, a) }),
	"startsWith":          text1(func(s, a string) any { return strings.HasPrefix(s, a) }),
	"endsWith":            text1(func(s, a string) any { return strings.HasSuffix(s, a) }),
	"equalsIgnoreCase":    text1(func(s, a string) any { return strings.EqualFold(s, a) }),
	"compareTo":           text1(func(s, a string) any { return int64(strings.Compare(s, a)) }),
	"compareToIgnoreCase": text1(func(s, a string) any { return int64(strings.Compare(strings.ToLower(s), strings.ToLower(a))) }),
	"concat":              concat,
	"indexOf":             indexOf,
	"lastIndexOf":         text1(func(s, a string) any { return runeIndex(s, strings.LastIndex(s, a)) }),
	"toLowerCase":         text0(func(s string) any { return strings.ToLower(s) }),
	"toUpperCase":         text0(func(s string) any { return strings.ToUpper(s) }),
	"trim":                text0(func(s string) any { return strings.Trim(s, javaSpace) }),
	"strip":               text0(func(s string) any { return strings.TrimSpace(s) }),
	"stripLeading":        text0(func(s string) any { return strings.TrimLeft(s, javaSpace) }),
	"stripTrailing":       text0(func(s string) any { return strings.TrimRight(s, javaSpace) }),
	"length":              text0(func(s string) any { return int64(runes(s)) }),
	"size":                text0(func(s string) any { return int64(runes(s)) }),
	"isEmpty":             text0(func(s string) any { return s == "" }),
	"isBlank":             text0(func(s string) any { return strings.TrimSpace(s) == "" }),
	"hashCode":            text0(func(s string) any { return hashCode(s) }),
	"intValue":            intValue,
	"longValue":           intValue,
	"doubleValue":         doubleValue,
	"floatValue":          doubleValue,
	"substring":           substring,
	"charAt":              charAt,
	"replace":             replace,
	"replaceAll":          func(f *frame, x any, a arguments) (any, error) { return f.replaceMatches(x, a, -1) },
	"replaceFirst":        func(f *frame, x any, a arguments) (any, error) { return f.replaceMatches(x, a, 1) },
	"matches":             matches,
	"split":               split,
	"repeat":              repeat,
	"join":                join,
	"format":              format,
	"formatted":           formatted,
}

// javaSpace is what String.trim takes away.
const javaSpace = "\x00\x01\x02\x03\x04\x05\x06\a\b\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "

func text0(do func(s string) any) method {
	return func(_ *frame, x any, args arguments) (any, error) {
		s, _ := x.(string)
		return do(s), args.count("the method", 0, 0)
	}
}

func text1(do func(s, a string) any) method {
	return func(_ *frame, x any, args arguments) (any, error) {
		if err := args.count("the method", 1, 1); err != nil {
			return nil, err
		}
		a, err := args.text(0)
		if err != nil {
			return nil, err
		}
		s, _ := x.(string)
		return do(s, a), nil
	}
}

func runes(s string) int { return utf8.RuneCountInString(s) }

// runeIndex turns a byte index into one in characters; -1 stays.
func runeIndex(s string, i int) any {
	if i < 0 {
		return int64(-1)
	}
	return int64(runes(s[:i]))
}

// byteIndex is the byte index of the character i, false past the end.
func byteIndex(s string, i int) (int, bool) {
	for at := range s {
		if i == 0 {
			return at, true
		}
		i--
	}
	return len(s), i == 0
}

func hashCode(s string) int64 {
	var h int32
	for _, u := range utf16.Encode([]rune(s)) {
		h = 31*h + int32(u)
	}
	return int64(h)
}

func concat(_ *frame, x any, args arguments) (any, error) {
	s, _ := x.(string)
	a, err := args.text(0)
	if err != nil {
		return nil, err
	}
	if len(s)+len(a) > MaxResult {
		return nil, errTooLong
	}
	return s + a, args.count("concat", 1, 1)
}

func indexOf(_ *frame, x any, args arguments) (any, error) {
	s, _ := x.(string)
	a, err := args.text(0)
	if err != nil || len(args) < 2 {
		return runeIndex(s, strings.Index(s, a)), err
	}
	from, err := args.integer(1)
	if err != nil {
		return nil, err
	}
	at, ok := byteIndex(s, from)
	i := strings.Index(s[at:], a)
	if !ok || i < 0 {
		return int64(-1), nil
	}
	return runeIndex(s, at+i), args.count("indexOf", 1, 2)
}

func intValue(_ *frame, x any, args arguments) (any, error) {
	n, ok := number(x)
	if !ok {
		return nil, wrong("expected a string of a number, found %q", excerpt(Format(x)))
	}
	if d, isFloat := n.(float64); isFloat {
		if math.IsNaN(d) || math.Abs(d) > 1<<62 {
			return nil, wrong("expected a number within the range of 64-bit integers")
		}
		return int64(d), nil
	}
	return n, args.count("intValue", 0, 0)
}

func doubleValue(_ *frame, x any, args arguments) (any, error) {
	n, ok := number(x)
	if !ok {
		return nil, wrong("expected a string of a number, found %q", excerpt(Format(x)))
	}
	return float(n), args.count("doubleValue", 0, 0)
}

func substring(_ *frame, x any, args arguments) (any, error) {
	s, _ := x.(string)
	if err := args.count("substring", 1, 2); err != nil {
		return nil, err
	}
	from, err := args.integer(0)
	if err != nil {
		return nil, err
	}
	start, ok := byteIndex(s, from)
	end := len(s)
	if ok && len(args) == 2 {
		to, err := args.integer(1)
		if err != nil {
			return nil, err
		}
		end, ok = byteIndex(s, to)
	}
	if !ok || end < start {
		return nil, wrong("expected positions within the %d characters of the string", runes(s))
	}
	return s[start:end], nil
}

func charAt(_ *frame, x any, args arguments) (any, error) {
	s, _ := x.(string)
	i, err := args.integer(0)
	if err != nil {
		return nil, err
	}
	at, ok := byteIndex(s, i)
	if !ok || at == len(s) {
		return nil, wrong("expected a position within the %d characters of the string", runes(s))
	}
	_, width := utf8.DecodeRuneInString(s[at:])
	return s[at : at+width], args.count("charAt", 1, 1)
}

func replace(_ *frame, x any, args arguments) (any, error) {
	s, _ := x.(string)
	if err := args.count("replace", 2, 2); err != nil {
		return nil, err
	}
	old, err := args.text(0)
	if err != nil {
		return nil, err
	}
	with, err := args.text(1)
	if err != nil {
		return nil, err
	}
	if len(s)+strings.Count(s, old)*(len(with)-len(old)) > MaxResult {
		return nil, errTooLong
	}
	return strings.ReplaceAll(s, old, with), nil
}

func repeat(_ *frame, x any, args arguments) (any, error) {
	s, _ := x.(string)
	n, err := args.integer(0)
	if err != nil {
		return nil, err
	}
	if len(s)*n > MaxResult {
		return nil, errTooLong
	}
	return strings.Repeat(s, n), args.count("repeat", 1, 1)
}

// join is the static String.join(delimiter, elements): the receiver is not used.
func join(f *frame, _ any, args arguments) (any, error) {
	sep, err := args.text(0)
	if err != nil {
		return nil, err
	}
	items := []any(args[1:])
	if len(args) == 2 {
		if list, ok := args[1].([]any); ok {
			items = list
		}
	}
	var b strings.Builder
	for i, item := range items {
		if i > 0 {
			b.WriteString(sep)
		}
		s, err := f.text(element(item))
		if err != nil {
			return nil, err
		}
		if b.WriteString(s); b.Len() > MaxResult {
			return nil, errTooLong
		}
	}
	return b.String(), nil
}
