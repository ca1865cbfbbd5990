package expr

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// document decodes a JSON string; maps and lists are documents already. The order
// of keys is kept.
func (f *frame) document(v any) (any, error) {
	switch v := v.(type) {
	case nil, []any, *Map, map[string]any:
		return v, nil
	case Object:
		whole, err := expand(v)
		if _, still := whole.(Object); still && err == nil {
			return nil, wrong("expected JSON, found %s that cannot be read whole", kindName(v))
		}
		return whole, err
	case string:
		if err := f.charge(len(v)); err != nil {
			return nil, err
		}
		if !json.Valid([]byte(v)) {
			var skip json.RawMessage
			return nil, wrong("expected JSON, found %q: %v", excerpt(v), json.Unmarshal([]byte(v), &skip))
		}
		d := decoder{src: v}
		doc, err := d.value(0)
		if err != nil {
			return nil, err
		}
		return doc, f.grow(d.made)
	}
	return nil, wrong("expected a string of JSON, found %s", kindName(v))
}

// encodeJSON writes a value as compact JSON, maps in order, without escaping HTML.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	err := appendJSON(&b, v, 0)
	return b.Bytes(), err
}

func appendJSON(b *bytes.Buffer, v any, depth int) error {
	if depth > maxDepth {
		return errTooDeep
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool, int64, float64:
		b.WriteString(jsonNumber(v))
	case string:
		return appendQuoted(b, v)
	case Secret:
		return appendQuoted(b, v.String())
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := appendJSON(b, item, depth+1); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case *Map, map[string]any:
		return appendEntries(b, v, depth)
	default:
		whole, err := expand(v)
		if err != nil {
			return err
		}
		n, ok := normal(whole)
		switch n.(type) {
		case Object, Func, Template:
			ok = false
		}
		if !ok {
			return fmt.Errorf("expected data to write as JSON, found a value of type %T", v)
		}
		return appendJSON(b, n, depth+1)
	}
	return nil
}

func appendEntries(b *bytes.Buffer, m any, depth int) error {
	b.WriteByte('{')
	first := true
	for k, item := range entriesOf(m) {
		if !first {
			b.WriteByte(',')
		}
		first = false
		if err := appendQuoted(b, k); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := appendJSON(b, item, depth+1); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func appendQuoted(b *bytes.Buffer, s string) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	b.Truncate(b.Len() - 1) // Encode ends with a newline
	return err
}

// jsonNumber writes a boolean or a number; what JSON has no number for is null.
func jsonNumber(v any) string {
	s := Format(v)
	switch s {
	case "NaN", "Infinity", "-Infinity":
		return "null"
	}
	return s
}
