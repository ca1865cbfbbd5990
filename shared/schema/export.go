package schema

import (
	"slices"
	"strings"
)

// draft is the version of JSON Schema that YAML language servers know best.
const draft = "http://json-schema.org/draft-07/schema#"

// JSONSchema is the JSON Schema of a kind of document, for editors: what Check
// calls an error it refuses, what Check warns about it lets pass. It cannot say
// that identifiers are unique, that a duration or an expression is well formed,
// or that a required field is not empty.
func JSONSchema(k Kind) map[string]any {
	x := &exporter{defs: map[string]any{
		"expression": map[string]any{"type": "string", "pattern": `<\+|^$`, "description": "An expression, such as <+input>."},
	}}
	at := x.ref(&typ{shape: shapeNamed, name: k.Type}, whole)
	out := map[string]any{"$schema": draft, "title": "Slipway " + k.Name, "description": sentence(k.Doc), "definitions": x.defs}
	if k.Root == "" {
		out["allOf"] = []any{at}
		return out
	}
	out["type"], out["required"] = "object", []string{k.Root}
	out["properties"] = map[string]any{k.Root: map[string]any{"type": "object", "allOf": []any{at}}}
	return out
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

// mode is how much of an object is required.
type mode string

const (
	whole   mode = ""
	partial mode = "Inputs"
	unnamed mode = "Part"
)

type exporter struct {
	defs map[string]any
}

// ref returns a reference to the definition of a named type, making it first.
func (x *exporter) ref(t *typ, m mode) map[string]any {
	name := strings.ReplaceAll(t.name, " ", "") + string(m)
	if _, ok := x.defs[name]; !ok {
		x.defs[name] = true // for types that contain themselves
		x.defs[name] = x.schema(t.real(), m)
	}
	return map[string]any{"$ref": "#/definitions/" + name}
}

// schema is the schema of a type's values, expressions included.
func (x *exporter) schema(t *typ, m mode) map[string]any {
	switch t.shape {
	case shapeNamed:
		return x.ref(t, m)
	case shapeText:
		return text(t)
	case shapeBool:
		return map[string]any{"type": []string{"boolean", "string", "null"}, "pattern": `^(true|True|TRUE|false|False|FALSE)?$|<\+`}
	case shapeInt, shapeNumber:
		return number(t)
	case shapeEnum:
		return orExpression(map[string]any{"enum": values(t.values)})
	case shapeList:
		s := map[string]any{"type": []string{"array", "null"}, "items": x.schema(t.elem, listMode(m))}
		if t.atLeast > 0 && m != partial {
			s["minItems"] = t.atLeast
		}
		return orExpression(s)
	case shapeDict:
		return orExpression(map[string]any{"type": []string{"object", "null"}, "additionalProperties": x.schema(t.elem, listMode(m))})
	case shapeObject:
		return orExpression(x.object(t.object, m))
	case shapeUnion:
		var alts []any
		for _, a := range t.alts {
			alts = append(alts, x.schema(a, m))
		}
		return map[string]any{"anyOf": alts}
	case shapePartial:
		if t.unnamed {
			return x.schema(t.elem, unnamed)
		}
		return x.schema(t.elem, partial)
	case shapeAny, shapeBy:
	}
	return map[string]any{}
}

// listMode is the mode of what lies inside: only the outermost part is unnamed.
func listMode(m mode) mode {
	if m == unnamed {
		return whole
	}
	return m
}

func orExpression(s map[string]any) map[string]any {
	return map[string]any{"anyOf": []any{s, map[string]any{"$ref": "#/definitions/expression"}}}
}

func text(t *typ) map[string]any {
	s := map[string]any{"type": []string{"string", "number", "boolean", "null"}}
	f := formats[t.format]
	switch {
	case f != nil && f.regex != "" && (t.format == "id" || t.format == "name"):
		return map[string]any{"type": []string{"string", "number", "boolean"}, "pattern": f.regex}
	case f != nil && f.regex != "":
		s["pattern"] = f.regex + `|<\+`
	case t.pattern != nil:
		s["pattern"] = t.pattern.text + `|<\+`
	}
	return s
}

func number(t *typ) map[string]any {
	kind := "number"
	if t.shape == shapeInt {
		kind = "integer"
	}
	s := map[string]any{"type": []string{kind, "string", "null"}, "pattern": `^\s*[-+]?[0-9.][0-9a-zA-Z_.+-]*\s*$|<\+|^\s*$`}
	if t.min != nil {
		s["minimum"] = *t.min
	}
	if t.max != nil {
		s["maximum"] = *t.max
	}
	return s
}

// values are the words of an enum as they may be written: true is a word as well.
func values(words []string) []any {
	var out []any
	for _, w := range words {
		out = append(out, w)
		if w == "true" || w == "false" {
			out = append(out, w == "true")
		}
	}
	return append(out, nil)
}

func (x *exporter) object(o *object, m mode) map[string]any {
	s := map[string]any{"type": []string{"object", "null"}}
	props, conditions := map[string]any{}, []any{}
	var required []string
	for _, f := range o.fields {
		p := map[string]any{}
		if f.t.shape == shapeBy {
			conditions = append(conditions, x.choice(o, f, m)...)
		} else {
			p = x.schema(f.t, listMode(m))
		}
		props[f.name] = x.described(f, p)
		if f.required && (f.t.shape != shapeBy || plain(f.t.choice)) {
			required = append(required, f.name)
		}
	}
	for _, f := range o.fields { // a type that must be one of the cases
		if t := f.t.real(); t.format == "case" {
			props[f.name] = x.described(f, map[string]any{"enum": append(values(x.casesBeside(o, f.name)), "")})
		}
	}
	s["properties"] = props
	if o.closed {
		s["additionalProperties"] = false
		for _, w := range everywhere {
			if props[w] == nil {
				props[w] = true
			}
		}
	}
	if m != partial {
		conditions = append(conditions, requirements(o, required, m)...)
	}
	for _, r := range o.rules {
		if c := condition(r, m); c != nil {
			conditions = append(conditions, c)
		}
	}
	if len(conditions) > 0 {
		s["allOf"] = conditions
	}
	if o.doc != "" {
		s["description"] = o.doc
	}
	return s
}

// described adds the description of a field.
func (x *exporter) described(f *field, s map[string]any) map[string]any {
	doc := f.doc
	if doc == "" {
		doc = load().words[f.name]
	}
	if doc == "" {
		return s
	}
	if _, isRef := s["$ref"]; isRef { // draft 7 ignores what stands beside a reference
		s = map[string]any{"allOf": []any{s}}
	}
	s["description"] = doc
	return s
}

// casesBeside are the cases of the choices that a field decides.
func (x *exporter) casesBeside(o *object, disc string) []string {
	var out []string
	for _, f := range o.fields {
		if f.t.shape != shapeBy || f.t.choice.disc != disc {
			continue
		}
		for _, w := range f.t.choice.cases().names {
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// plain reports whether no case of a choice differs from its field in whether a
// value is required.
func plain(c *choice) bool {
	for _, v := range c.cases().by {
		if v.required != needAsField {
			return false
		}
	}
	return true
}

// choice is one condition for each case.
func (x *exporter) choice(o *object, f *field, m mode) []any {
	var out []any
	cs, free := f.t.choice.cases(), plain(f.t.choice)
	for _, name := range cs.names {
		v := cs.by[name]
		then := map[string]any{"properties": map[string]any{f.name: x.schema(v.t, listMode(m))}}
		must := v.required == needAlways || v.required == needAsField && f.required
		if must && !free && m != partial {
			then["required"] = []string{f.name}
		}
		out = append(out, when(f.t.choice.disc, []string{name}, then))
	}
	return out
}

func when(disc string, words []string, then map[string]any) map[string]any {
	return map[string]any{
		"if":   map[string]any{"required": []string{disc}, "properties": map[string]any{disc: map[string]any{"enum": words}}},
		"then": then,
	}
}

// requirements are the fields that must be there.
func requirements(o *object, required []string, m mode) []any {
	naming := func(s string) bool { return s == "identifier" || s == "name" }
	if m == unnamed {
		required = slices.DeleteFunc(slices.Clone(required), naming)
	}
	if len(required) == 0 {
		return nil
	}
	if !o.templated {
		return []any{map[string]any{"required": required}}
	}
	own := slices.DeleteFunc(slices.Clone(required), func(s string) bool { return !naming(s) })
	c := map[string]any{"if": map[string]any{"required": []string{"template"}}, "then": map[string]any{}, "else": map[string]any{"required": required}}
	if len(own) > 0 {
		c["then"] = map[string]any{"required": own}
	}
	return []any{c}
}

// condition is a rule over fields, nil when it asks for nothing in this mode.
func condition(r rule, m mode) map[string]any {
	each := func() []any {
		var out []any
		for _, f := range r.fields {
			out = append(out, map[string]any{"required": []string{f}})
		}
		return out
	}
	switch r.kind {
	case "one":
		if m == partial {
			return nil
		}
		return map[string]any{"oneOf": each()}
	case "any":
		if m == partial {
			return nil
		}
		return map[string]any{"anyOf": each()}
	case "most":
		none := map[string]any{"not": map[string]any{"anyOf": each()}}
		return map[string]any{"oneOf": append(each(), none)}
	case "need":
		if m == partial {
			return nil
		}
		return when(r.disc, r.values, map[string]any{"required": r.fields})
	}
	return nil
}
