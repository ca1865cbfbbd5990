package strategy

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// axis is an axis with its values known.
type axis struct {
	name   string
	values []any
	texts  []string // of the values, for comparing
}

// matrix is the product of the axes without what is excluded, first axis outermost
// (BEHAVIOUR §10.3).
func (v Values) matrix(l *core.Loop) ([]Iteration, error) {
	axes, exclude, err := v.axes(l)
	if err != nil {
		return nil, err
	}
	total := 1
	for i := range axes {
		a := &axes[i]
		for _, x := range a.values {
			a.texts = append(a.texts, text(x))
		}
		if total *= len(a.values); total > maxCombinations {
			return nil, fault.New(fault.TooLarge, "matrix has more than %d combinations before exclude", maxCombinations)
		}
	}
	out := excluded(axes, exclude)
	var its []Iteration
	at, kept := make([]int, len(axes)), 0
	for range total {
		if !slices.ContainsFunc(out, func(e []condition) bool { return matches(e, axes, at) }) {
			if kept++; kept <= MaxIterations {
				its = append(its, v.combination(axes, at))
			}
		}
		for i := len(at) - 1; i >= 0; i-- {
			if at[i]++; at[i] < len(axes[i].values) {
				break
			}
			at[i] = 0
		}
	}
	if kept > MaxIterations {
		return nil, tooMany(l, kept)
	}
	return its, nil
}

func (v Values) combination(axes []axis, at []int) Iteration {
	it := Iteration{Matrix: make(map[string]any, len(axes))}
	var id strings.Builder
	for i, a := range axes {
		it.Matrix[a.name] = a.values[at[i]]
		id.WriteByte('_')
		if label := label(a.values[at[i]], a.texts[at[i]]); v.Labels && label != "" {
			id.WriteString(label)
		} else {
			id.WriteString(itoa(at[i]))
		}
	}
	it.PostFix = id.String()
	return it
}

// condition is one key of an exclusion: an axis, and the text of its value.
type condition struct {
	axis int
	text string
}

func matches(all []condition, axes []axis, at []int) bool {
	for _, c := range all {
		if axes[c.axis].texts[at[c.axis]] != c.text {
			return false
		}
	}
	return true
}

// excluded reads the exclusions; one that names no axis, or one the matrix does
// not have, excludes nothing.
func excluded(axes []axis, entries []map[string]any) [][]condition {
	var out [][]condition
	for _, entry := range entries {
		var all []condition
		for name, value := range entry {
			if i := slices.IndexFunc(axes, func(a axis) bool { return a.name == name }); i >= 0 {
				all = append(all, condition{i, text(value)})
			}
		}
		if len(all) > 0 && len(all) == len(entry) {
			out = append(out, all)
		}
	}
	return out
}

// axes returns the axes and exclusions with all expressions resolved.
func (v Values) axes(l *core.Loop) ([]axis, []map[string]any, error) {
	if l.Matrix != "" {
		return v.whole(l)
	}
	var axes []axis
	for _, a := range l.Axes {
		values, err := v.list(&a.List, "the axis "+a.Name)
		if err != nil {
			return nil, nil, err
		}
		axes = append(axes, axis{name: a.Name, values: values})
	}
	var exclude []any
	for _, m := range l.Exclude {
		exclude = append(exclude, m)
	}
	if l.ExcludeExpr != "" {
		var err error
		if exclude, err = v.list(&core.LoopList{Expr: l.ExcludeExpr}, "exclude"); err != nil {
			return nil, nil, err
		}
	}
	entries, err := v.entries(exclude)
	return axes, entries, err
}

// entries makes maps of the items of an exclude list.
func (v Values) entries(list []any) ([]map[string]any, error) {
	var out []map[string]any
	for _, e := range list {
		r, err := v.resolve(e)
		if err != nil {
			return nil, err
		}
		m, ok := object(r).(map[string]any)
		if !ok {
			return nil, fault.New(fault.Invalid, "an item of exclude is %q: expected axes and their values", text(r))
		}
		out = append(out, m)
	}
	return out, nil
}

// settings of a matrix that are no axes.
var settings = []string{"exclude", "maxConcurrency", "nodeName"}

// whole reads a matrix that one expression gives. The order of its axes is that of
// JSON text; that of a map, which has none, is alphabetical.
func (v Values) whole(l *core.Loop) ([]axis, []map[string]any, error) {
	r, err := v.resolve(l.Matrix)
	if err != nil {
		return nil, nil, err
	}
	names, m := keysOf(r)
	if m == nil {
		return nil, nil, fault.New(fault.Invalid, "matrix is %q: expected axes and their values", text(r))
	}
	var axes []axis
	var exclude []map[string]any
	for _, name := range names {
		if slices.Contains(settings, name) {
			continue
		}
		values, err := list(m[name], "the axis "+name)
		if err != nil {
			return nil, nil, err
		}
		axes = append(axes, axis{name: name, values: values})
	}
	if e := m["exclude"]; e != nil {
		items, err := list(e, "exclude")
		if err != nil {
			return nil, nil, err
		}
		if exclude, err = v.entries(items); err != nil {
			return nil, nil, err
		}
	}
	if len(axes) == 0 {
		return nil, nil, fault.New(fault.Invalid, "matrix has no axis")
	}
	return axes, exclude, nil
}
