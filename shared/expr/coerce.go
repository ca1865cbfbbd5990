package expr

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// normal converts what a scope may supply to the kinds the evaluator knows; ok is
// false for a type that is none of them.
func normal(v any) (any, bool) {
	switch v := v.(type) {
	case nil, bool, int64, float64, string, []any, *Map, map[string]any, Object, Secret, Func, Template:
		return v, true
	case int:
		return int64(v), true
	case int32:
		return int64(v), true
	case int16:
		return int64(v), true
	case int8:
		return int64(v), true
	case uint8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint:
		return unsigned(uint64(v)), true
	case uint64:
		return unsigned(v), true
	case float32:
		return float64(v), true
	case json.Number:
		return numberOf(v), true
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		return list, true
	case map[string]string:
		m := &Map{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			m.Set(k, v[k])
		}
		return m, true
	case func(args []any) (any, error):
		return Func(v), true
	}
	return nil, false
}

func unsigned(v uint64) any {
	if v > math.MaxInt64 {
		return float64(v)
	}
	return int64(v)
}

func numberOf(n json.Number) any {
	if v, ok := number(string(n)); ok {
		return v
	}
	return string(n)
}

// number coerces to int64 or float64 (BEHAVIOUR §13.3). A string counts when it
// is written as a plain number: "1", "-2.5", "1e3", not "1.", ".5", " 1" or "0x1".
func number(v any) (any, bool) {
	switch v := v.(type) {
	case int64, float64:
		return v, true
	case string:
		return parseNumber(v)
	}
	return nil, false
}

func parseNumber(s string) (any, bool) {
	if s == "" || len(s) > 400 {
		return nil, false
	}
	i := 0
	if s[0] == '-' || s[0] == '+' {
		i = 1
	}
	digits := func() bool {
		from := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		return i > from
	}
	if !digits() {
		return nil, false
	}
	if i == len(s) {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n, true
		}
	}
	if i < len(s) && s[i] == '.' {
		if i++; !digits() {
			return nil, false
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		if i++; i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		if !digits() {
			return nil, false
		}
	}
	if i < len(s) {
		return nil, false
	}
	d, err := strconv.ParseFloat(s, 64)
	return d, err == nil
}

func float(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// integer coerces to an index or a count: an integer, an integral decimal, or a
// string of one.
func integer(v any) (int64, bool) {
	n, ok := number(v)
	if !ok {
		return 0, false
	}
	if d, isFloat := n.(float64); isFloat {
		if d != math.Trunc(d) || math.Abs(d) > 1<<53 {
			return 0, false
		}
		return int64(d), true
	}
	i, ok := n.(int64)
	return i, ok
}

// truth is the boolean a value stands for: a string is true unless empty or
// "false" (BEHAVIOUR §9.2), a number unless 0, null never, anything else always.
func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0 && !math.IsNaN(v)
	case string:
		return v != "" && !strings.EqualFold(v, "false")
	}
	return true
}

// kindName is what messages call a value.
func kindName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case int64, float64:
		return "a number"
	case string, Template:
		return "a string"
	case []any:
		return "a list"
	case Secret:
		return "a secret"
	case Func:
		return "a function"
	}
	return "a map"
}
