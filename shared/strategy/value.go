package strategy

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func itoa(n int) string { return strconv.Itoa(n) }

// eachText calls f for every string in a JSON value, maps by sorted keys.
func eachText(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, x := range v {
			eachText(x, f)
		}
	case map[string]any:
		for _, k := range sortedKeys(v) {
			eachText(v[k], f)
		}
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// resolve puts the results of expressions in their places.
func (v Values) resolve(x any) (any, error) {
	switch x := x.(type) {
	case string:
		if !isExpression(x) {
			return x, nil
		}
		r, ok := v.Results[x]
		if !ok {
			return nil, fault.New(fault.Invalid, "the value of %s is not known", x)
		}
		return r, nil
	case []any:
		out := make([]any, len(x))
		for i, y := range x {
			var err error
			if out[i], err = v.resolve(y); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, y := range x {
			var err error
			if out[k], err = v.resolve(y); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return x, nil
}

// list returns the values of a list with all expressions resolved.
func (v Values) list(l *core.LoopList, what string) ([]any, error) {
	var from any = l.Values
	if l.Expr != "" {
		from = l.Expr
	}
	r, err := v.resolve(from)
	if err != nil {
		return nil, err
	}
	return list(r, what)
}

// list reads a list, or the JSON text of one; texts of objects become objects.
func list(x any, what string) ([]any, error) {
	if s, ok := x.(string); ok && strings.HasPrefix(strings.TrimSpace(s), "[") {
		var decoded []any
		if json.Unmarshal([]byte(s), &decoded) == nil {
			x = decoded
		}
	}
	from, ok := x.([]any)
	if !ok {
		if x == nil {
			return nil, fault.New(fault.Invalid, "%s has no value: expected a list", what)
		}
		return nil, fault.New(fault.Invalid, "%s is %q: expected a list, such as <+….split(\",\")>", what, text(x))
	}
	out := make([]any, len(from))
	for i, y := range from {
		out[i] = object(y)
	}
	return out, nil
}

// object reads the JSON text of an object; other values stay as they are.
func object(x any) any {
	s, ok := x.(string)
	if !ok || !strings.HasPrefix(strings.TrimSpace(s), "{") {
		return x
	}
	var m map[string]any
	if json.Unmarshal([]byte(s), &m) != nil {
		return x
	}
	return m
}

// keysOf returns a map, or the JSON text of one, with its keys in order.
func keysOf(x any) ([]string, map[string]any) {
	if m, ok := x.(map[string]any); ok {
		return sortedKeys(m), m
	}
	s, ok := x.(string)
	if !ok {
		return nil, nil
	}
	m, ok := object(s).(map[string]any)
	if !ok {
		return nil, nil
	}
	var names []string
	dec := json.NewDecoder(strings.NewReader(s))
	if _, err := dec.Token(); err != nil {
		return nil, nil
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, nil
		}
		if name, ok := key.(string); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
		var skip json.RawMessage
		if dec.Decode(&skip) != nil {
			return nil, nil
		}
	}
	return names, m
}

// number returns a whole number of 0 or more; given is false when there is none.
func (v Values) number(n *core.LoopNumber, what string) (value int, given bool, err error) {
	if n == nil {
		return 0, false, nil
	}
	if n.Expr == "" {
		return n.Value, true, nil
	}
	r, err := v.resolve(n.Expr)
	if err != nil {
		return 0, false, err
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(text(r)), 64)
	if err != nil || f != math.Trunc(f) || f < 0 || f > math.MaxInt32 {
		return 0, false, fault.New(fault.Invalid, "%s is %q: expected a whole number", what, text(r))
	}
	return int(f), true, nil
}

// text is a value as it is compared and shown: strings as they are, all else as
// JSON, which writes a map's keys in one order.
func text(x any) string {
	if s, ok := x.(string); ok {
		return s
	}
	b, err := json.Marshal(x)
	if err != nil {
		return ""
	}
	return string(b)
}

// label is a scalar's text with only letters, digits and _; "" when there is none.
func label(x any, text string) string {
	switch x.(type) {
	case []any, map[string]any, nil:
		return ""
	}
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, text)
}
