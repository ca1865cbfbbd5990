package expr

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Format writes a value as it stands in a text (BEHAVIOUR §13.1): null as "null",
// integral decimals without a fraction, other decimals as Java writes doubles,
// lists as [a, b], maps as {a=1, b=2} in order of insertion (map[string]any in
// order of keys), secrets as their placeholder. An Object that fails to expand
// renders as {}; in Render its error is returned instead.
func Format(v any) string {
	var w formatter
	w.lenient = true
	_ = w.write(v, 0)
	return w.b.String()
}

// maxDepth bounds recursion over data a scope supplied.
const maxDepth = 1000

// formatter writes values up to MaxResult bytes, without a bound when lenient.
type formatter struct {
	b       strings.Builder
	lenient bool
}

// errTooLong and errTooDeep are given a position by the frame that sees them.
type boundError string

func (e boundError) Error() string { return string(e) }

const (
	errTooLong = boundError("a result may have 262144 bytes (256 KB)")
	errTooDeep = boundError("data may nest 1000 deep")
)

func (w *formatter) write(v any, depth int) error {
	if depth > maxDepth {
		return errTooDeep
	}
	if !w.lenient && w.b.Len() > MaxResult {
		return errTooLong
	}
	switch v := v.(type) {
	case nil:
		w.b.WriteString("null")
	case string:
		w.b.WriteString(v)
	case Template:
		w.b.WriteString(string(v))
	case bool:
		w.b.WriteString(strconv.FormatBool(v))
	case int64:
		w.b.WriteString(strconv.FormatInt(v, 10))
	case float64:
		w.b.WriteString(formatFloat(v))
	case Secret:
		w.b.WriteString(v.String())
	case []any:
		return w.list(v, depth)
	case *Map:
		return w.entries(v.All(), depth)
	case map[string]any:
		return w.entries(sorted(v), depth)
	default:
		return w.other(v, depth)
	}
	return nil
}

func (w *formatter) other(v any, depth int) error {
	if x, ok := v.(Expander); ok {
		whole, err := x.Expand()
		if err == nil {
			return w.write(whole, depth+1)
		}
		if !w.lenient {
			return err
		}
	}
	if n, ok := normal(v); ok {
		switch n.(type) {
		case Object, Func:
		default:
			return w.write(n, depth+1)
		}
	}
	w.b.WriteString("{}")
	return nil
}

func (w *formatter) list(list []any, depth int) error {
	w.b.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			w.b.WriteString(", ")
		}
		if err := w.write(v, depth+1); err != nil {
			return err
		}
	}
	w.b.WriteByte(']')
	return nil
}

func (w *formatter) entries(all func(func(string, any) bool), depth int) error {
	w.b.WriteByte('{')
	first := true
	for k, v := range all {
		if !first {
			w.b.WriteString(", ")
		}
		first = false
		w.b.WriteString(k)
		w.b.WriteByte('=')
		if err := w.write(v, depth+1); err != nil {
			return err
		}
	}
	w.b.WriteByte('}')
	return nil
}

// sorted yields a plain map's entries in the order of its keys.
func sorted(m map[string]any) func(func(string, any) bool) {
	return func(yield func(string, any) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// formatFloat writes integral values below 1e21 without a fraction and others as
// Java's Double.toString: plain from 1e-3 to 1e7, else with an exponent.
func formatFloat(d float64) string {
	switch abs := math.Abs(d); {
	case math.IsNaN(d):
		return "NaN"
	case math.IsInf(d, 0):
		return pick(d > 0, "Infinity", "-Infinity")
	case d == math.Trunc(d) && abs < 1e21, abs >= 1e-3 && abs < 1e7:
		return strconv.FormatFloat(d+0, 'f', -1, 64) // -0 + 0 is 0
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(d, 'e', -1, 64), "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	e, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(e)
}
