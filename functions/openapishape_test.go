package functions_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// schemaOf is the shape of a value.
func schemaOf(v any) object {
	switch v := v.(type) {
	case nil:
		return object{"type": "null"}
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
			return object{"type": "array", "items": object{}}
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
	x, nullX := base(a)
	y, nullY := base(b)
	var out object
	switch {
	case x == "null":
		out = b
	case y == "null":
		out = a
	case x == "" || x != y:
		return object{}
	case x == "array":
		out = object{"type": x, "items": bothItems(a, b)}
	case x == "object":
		out = bothObjects(a, b)
	default:
		out = a
	}
	if t, null := base(out); (nullX || nullY) && !null && t != "" {
		out = maps.Clone(out)
		out["type"] = []any{t, "null"}
	}
	return out
}

// base is the type of a shape, "" for any, and whether it may be null.
func base(s object) (string, bool) {
	switch t := s["type"].(type) {
	case string:
		return t, t == "null"
	case []any:
		name, _ := t[0].(string)
		return name, true
	}
	return "", false
}

// bothItems is the shape of what is in either of two arrays; of an empty one nothing is known.
func bothItems(a, b object) object {
	x, _ := a["items"].(object)
	y, _ := b["items"].(object)
	switch {
	case len(x) == 0:
		return y
	case len(y) == 0:
		return x
	}
	return both(x, y)
}

func bothObjects(a, b object) object {
	if m, ok := a["additionalProperties"]; ok {
		return object{"type": "object", "additionalProperties": m}
	}
	x, _ := a["properties"].(object)
	y, _ := b["properties"].(object)
	out := maps.Clone(y)
	if out == nil {
		out = object{}
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

// open makes of what was only ever null what may be anything.
func open(s object) object {
	if s["type"] == "null" {
		return object{}
	}
	out := object{}
	for k, v := range s {
		out[k] = v
		switch v := v.(type) {
		case object:
			if k != "properties" {
				out[k] = open(v)
				continue
			}
			of := object{}
			for name, p := range v {
				p, _ := p.(object)
				of[name] = open(p)
			}
			out[k] = of
		}
	}
	return out
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
func TestShapesOfExamples(t *testing.T) {
	for name, tc := range map[string]struct{ values, want string }{
		"the same":          {`["a", "b"]`, `{"type":"string"}`},
		"sometimes null":    {`[null, "a", null]`, `{"type":["string","null"]}`},
		"only ever null":    {`[null, null]`, `{}`},
		"one or the other":  {`[1, "a"]`, `{}`},
		"fields of any":     {`[{"a": 1, "b": null}, {"b": {"c": true}}]`, `{"properties":{"a":{"type":"number"},"b":{"properties":{"c":{"type":"boolean"}},"type":["object","null"]}},"type":"object"}`},
		"an empty list":     {`[{"l": []}, {"l": ["x"]}]`, `{"properties":{"l":{"items":{"type":"string"},"type":"array"}},"type":"object"}`},
		"a list that is so": {`[[1, null]]`, `{"items":{"type":["number","null"]},"type":"array"}`},
		"times":             {`["TIME"]`, `{"description":"milliseconds since 1970","type":"integer"}`},
		"by nodes":          {`[{"NODE a": {"x": 1}}]`, `{"additionalProperties":{"properties":{"x":{"type":"number"}},"type":"object"},"type":"object"}`},
	} {
		t.Run(name, func(t *testing.T) {
			var values []any
			if err := json.Unmarshal([]byte(tc.values), &values); err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(content(values)["schema"])
			if err != nil || string(got) != tc.want {
				t.Errorf("%s, not %s %v", got, tc.want, err)
			}
		})
	}
}
