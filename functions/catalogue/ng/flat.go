package ng

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// flat is a form that specs of connectors and secrets have in Harness's v1 routes: its
// type says how somebody signs in too, and its fields stand side by side.
type flat struct {
	name, typ string            // its type in v1, and the document's
	fixed     map[string]string // what stands at paths of the document's spec, and makes it this form
	fields    map[string]string // its fields, and their paths in the document's spec
}

// unflat reads a spec of v1: the document's type and spec. What no form says comes as
// the document has it, below spec.
func unflat(forms []flat, in map[string]any) (typ string, spec map[string]any, err error) {
	name, _ := in["type"].(string)
	i := slices.IndexFunc(forms, func(f flat) bool { return f.name == name })
	if inner, ok := in["spec"].(map[string]any); ok && name != "" {
		return name, inner, nil
	}
	if i < 0 {
		return "", nil, fault.New(fault.Invalid, "spec has the type %q: expected one of %s; or another's type with its own spec: below it", name, strings.Join(names(forms), ", "))
	}
	f, spec := forms[i], map[string]any{}
	for path, v := range f.fixed {
		put(spec, path, v)
	}
	for field, v := range in {
		path, ok := f.fields[field]
		switch {
		case field == "type" || v == nil:
		case !ok:
			return "", nil, fault.New(fault.Invalid, "a spec of type %s has no field %q: it has %s", name, field, strings.Join(slices.Sorted(maps.Keys(f.fields)), ", "))
		default:
			put(spec, path, numbered(field, v))
		}
	}
	return f.typ, spec, nil
}

// durations are fields that are text in v1 and numbers in documents.
const durations = "assume_sts_role_duration"

func numbered(field string, v any) any {
	if text, ok := v.(string); ok && field == durations {
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	}
	return v
}

// flattened shows a document's spec as v1 has it: in the first form that says all of it.
func flattened(forms []flat, typ string, spec map[string]any) map[string]any {
	leaves := map[string]any{}
	gather(leaves, "", spec)
	for _, f := range forms {
		if f.typ == typ && f.says(leaves) {
			out := map[string]any{"type": f.name}
			for field, path := range f.fields {
				if v, ok := leaves[path]; ok && field == durations {
					out[field] = fmt.Sprint(v)
				} else if ok {
					out[field] = v
				}
			}
			return out
		}
	}
	return map[string]any{"type": typ, "spec": spec}
}

// says reports whether a spec is of the form, and holds nothing that the form has not.
func (f flat) says(leaves map[string]any) bool {
	for path, want := range f.fixed {
		if leaves[path] != want {
			return false
		}
	}
	known := slices.Collect(maps.Values(f.fields))
	for path := range leaves {
		if _, ok := f.fixed[path]; !ok && !slices.Contains(known, path) {
			return false
		}
	}
	return true
}

// gather notes what stands at the paths of a spec, as far as it says anything.
func gather(leaves map[string]any, at string, v any) {
	if m, ok := v.(map[string]any); ok {
		for k, e := range m {
			gather(leaves, strings.TrimPrefix(at+"."+k, "."), e)
		}
		return
	}
	if v != nil && v != "" {
		leaves[at] = v
	}
}

func put(into map[string]any, path string, v any) {
	steps := strings.Split(path, ".")
	for _, s := range steps[:len(steps)-1] {
		next, ok := into[s].(map[string]any)
		if !ok {
			next = map[string]any{}
			into[s] = next
		}
		into = next
	}
	into[steps[len(steps)-1]] = v
}

func names(forms []flat) []string {
	out := make([]string, len(forms))
	for i, f := range forms {
		out[i] = f.name
	}
	return out
}
