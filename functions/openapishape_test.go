package functions_test

import (
	"strings"

	"github.com/google/go-cmp/cmp"
)

// schemaOf is the shape of a value.
func schemaOf(v any) object {
	switch v := v.(type) {
	case nil:
		return object{}
	case bool:
		return object{"type": "boolean"}
	case float64:
		return object{"type": "number"}
	case string:
		if v == "TIME" {
			return object{"type": "integer", "description": "milliseconds since 1970"}
		}
		return object{"type": "string"}
	case []any:
		if len(v) == 0 {
			return object{"type": "array"}
		}
		items := schemaOf(v[0])
		for _, x := range v[1:] {
			items = both(items, schemaOf(x))
		}
		return object{"type": "array", "items": items}
	case object:
		if keys := sorted(v); len(keys) > 0 && strings.HasPrefix(keys[0], "NODE ") {
			return object{"type": "object", "additionalProperties": schemaOf(v[keys[0]])}
		}
		properties := object{}
		for k, p := range v {
			properties[k] = schemaOf(p)
		}
		return object{"type": "object", "properties": properties}
	}
	return object{}
}

// both is the shape of what may have either of two.
func both(a, b object) object {
	switch {
	case cmp.Equal(a, b):
		return a
	case a["type"] == "array" && b["type"] == "array":
		x, _ := a["items"].(object)
		y, _ := b["items"].(object)
		switch {
		case x == nil:
			return b
		case y == nil:
			return a
		}
		return object{"type": "array", "items": both(x, y)}
	case a["type"] != "object" || b["type"] != "object":
		return object{}
	}
	x, _ := a["properties"].(object)
	y, _ := b["properties"].(object)
	if x == nil || y == nil {
		return object{"type": "object"}
	}
	out := object{}
	for k, v := range y {
		out[k] = v
	}
	for k, v := range x {
		out[k] = v
		if w, again := y[k].(object); again {
			v, _ := v.(object)
			out[k] = both(v, w)
		}
	}
	return object{"type": "object", "properties": out}
}

// valued is an example with numbers where scripts have the names of times.
func valued(v any) any {
	switch v := v.(type) {
	case string:
		if v == "TIME" {
			return float64(1767225600000)
		}
	case []any:
		out := []any{}
		for _, x := range v {
			out = append(out, valued(x))
		}
		return out
	case object:
		out := object{}
		for k, x := range v {
			out[k] = valued(x)
		}
		return out
	}
	return v
}
