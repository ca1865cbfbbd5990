package asl

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

const supportedComparisons = "StringEquals, StringMatches, NumericEquals, their LessThan, GreaterThan and …Equals forms, " +
	"BooleanEquals, …Path, IsPresent, IsNull, IsString, IsNumeric or IsBoolean"

// comparison returns how an operator compares and what its operand must be; nil
// when there is none of that name. Values of the wrong type never compare.
func comparison(name string) (func(a, b any) bool, kind) {
	switch name {
	case "BooleanEquals":
		return func(a, b any) bool {
			x, okA := a.(bool)
			y, okB := b.(bool)
			return okA && okB && x == y
		}, boolean
	case "StringMatches":
		return func(a, b any) bool {
			x, okA := a.(string)
			y, okB := b.(string)
			return okA && okB && wildcard(y, x)
		}, text
	case "IsPresent":
		return func(any, any) bool { return true }, boolean // decided before values are read
	case "IsNull", "IsString", "IsNumeric", "IsBoolean":
		return func(a, b any) bool { return is(name, a) == b }, boolean
	}
	if relation, ok := strings.CutPrefix(name, "String"); ok && relations[relation] != nil {
		return func(a, b any) bool {
			x, okA := a.(string)
			y, okB := b.(string)
			return okA && okB && relations[relation](cmp.Compare(x, y))
		}, text
	}
	if relation, ok := strings.CutPrefix(name, "Numeric"); ok && relations[relation] != nil {
		return func(a, b any) bool {
			x, okA := numeric(a)
			y, okB := numeric(b)
			return okA && okB && relations[relation](cmp.Compare(x, y))
		}, number
	}
	return nil, ""
}

var relations = map[string]func(order int) bool{
	"Equals":            func(o int) bool { return o == 0 },
	"LessThan":          func(o int) bool { return o < 0 },
	"LessThanEquals":    func(o int) bool { return o <= 0 },
	"GreaterThan":       func(o int) bool { return o > 0 },
	"GreaterThanEquals": func(o int) bool { return o >= 0 },
}

func is(name string, v any) bool {
	switch v.(type) {
	case nil:
		return name == "IsNull"
	case string:
		return name == "IsString"
	case bool:
		return name == "IsBoolean"
	default:
		_, ok := numeric(v)
		return ok && name == "IsNumeric"
	}
}

func numeric(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		return f, err == nil
	case int:
		return float64(v), true
	default:
		return 0, false
	}
}

// wildcard matches with * for any run of characters; \* and \\ are themselves.
func wildcard(pattern, s string) bool {
	var parts []string // literal stretches between stars
	var part strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern) && (pattern[i+1] == '*' || pattern[i+1] == '\\'):
			i++
			part.WriteByte(pattern[i])
		case c == '*':
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(c)
		}
	}
	tail := part.String()
	if len(parts) == 0 {
		return s == tail
	}
	s, ok := strings.CutPrefix(s, parts[0])
	for _, middle := range parts[1:] {
		var found bool
		_, s, found = strings.Cut(s, middle)
		ok = ok && found
	}
	return ok && strings.HasSuffix(s, tail)
}
