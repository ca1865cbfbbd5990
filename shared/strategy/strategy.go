// Package strategy expands looping strategies: matrix, repeat and parallelism into
// the iterations they stand for (BEHAVIOUR §10). It is pure: what expressions in a
// loop come to is given to it.
package strategy

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// MaxIterations is how many iterations a loop may have, however few run at once
// (BEHAVIOUR §28).
const MaxIterations = 256

// maxCombinations bounds what a matrix is gone through for, before exclusions.
const maxCombinations = 1 << 20

// Values are what a loop does not say itself.
type Values struct {
	// Results are what the expressions of Needs came to, as JSON values.
	Results map[string]any
	// Labels makes a matrix's identifiers of its values instead of their places.
	Labels bool
	// Name renders a loop's NodeName for an iteration; nil leaves it out.
	Name func(Iteration) (string, error)
}

// Iteration is one of a loop's.
type Iteration = core.Iteration

// Needs returns the expressions a loop needs the results of to be expanded, each
// once, in the order they stand. None: the loop is known before the run.
func Needs(l *core.Loop) []string {
	var out []string
	need := func(text string) {
		if isExpression(text) && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	number := func(n *core.LoopNumber) {
		if n != nil {
			need(n.Expr)
		}
	}
	need(l.Matrix)
	for _, a := range l.Axes {
		need(a.List.Expr)
		eachText(a.List.Values, need)
	}
	need(l.ExcludeExpr)
	for _, m := range l.Exclude {
		eachText(m, need)
	}
	if l.Items != nil && l.Kind != core.LoopDeployment {
		need(l.Items.Expr)
		eachText(l.Items.Values, need)
	}
	for _, n := range []*core.LoopNumber{l.Times, l.Start, l.End, l.PartitionSize, l.MaxConcurrency} {
		number(n)
	}
	return out
}

// Expand returns a loop's iterations in order, at least one. Errors (fault.Invalid)
// say in the words of the YAML what cannot be expanded; more than MaxIterations are
// fault.TooLarge.
func Expand(l *core.Loop, v Values) ([]Iteration, error) {
	its, err := v.expand(l)
	if err != nil {
		return nil, err
	}
	if len(its) == 0 {
		return nil, fault.New(fault.Invalid, "%s comes to no iteration: expected at least one", l.Kind)
	}
	for i := range its {
		its[i].Index = i
	}
	unique(its, func(it *Iteration) *string { return &it.PostFix })
	if err := v.name(l, its); err != nil {
		return nil, err
	}
	return its, nil
}

func (v Values) expand(l *core.Loop) ([]Iteration, error) {
	switch l.Kind {
	case core.LoopMatrix:
		return v.matrix(l)
	case core.LoopRepeat:
		return v.repeat(l)
	case core.LoopParallelism:
		n, _, err := v.number(l.Times, "parallelism")
		if err == nil && n > MaxIterations {
			err = tooMany(l, n)
		}
		if err != nil {
			return nil, err
		}
		return counted(make([]Iteration, n)), nil
	case core.LoopDeployment:
		return deployment(l)
	}
	return nil, fault.New(fault.Invalid, "a loop of kind %q is not known", l.Kind)
}

// Concurrency returns how many iterations of a loop may run at once, 0 for all.
func Concurrency(l *core.Loop, v Values) (int, error) {
	limit := l.MaxConcurrency
	if l.Matrix != "" {
		r, err := v.resolve(l.Matrix)
		if err != nil {
			return 0, err
		}
		if _, m := keysOf(r); m["maxConcurrency"] != nil {
			const key = "<+maxConcurrency>"
			limit = &core.LoopNumber{Expr: key}
			v.Results = map[string]any{key: m["maxConcurrency"]}
		}
	}
	n, _, err := v.number(limit, "maxConcurrency")
	if l.Kind == core.LoopDeployment && (n == 0 || n > limit.Value) {
		n = limit.Value // an expression may only lower what goes at once anyway
	}
	return n, err
}

// name sets the display names.
func (v Values) name(l *core.Loop, its []Iteration) error {
	for i := range its {
		its[i].Name = its[i].PostFix
		if l.NodeName == "" || v.Name == nil {
			continue
		}
		name, err := v.Name(its[i])
		if err != nil {
			return err
		}
		its[i].Name = "_" + name
	}
	unique(its, func(it *Iteration) *string { return &it.Name })
	return nil
}

// unique numbers what occurs more than once: "_dev_0", "_dev_1", leaving out
// numbers that would make another one twice.
func unique(its []Iteration, field func(*Iteration) *string) {
	count := make(map[string]int, len(its))
	for i := range its {
		count[*field(&its[i])]++
	}
	next := map[string]int{}
	for i := range its {
		f := field(&its[i])
		base := *f
		if count[base] < 2 {
			continue
		}
		for {
			*f = base + "_" + itoa(next[base])
			next[base]++
			if count[*f] == 0 {
				count[*f] = 1
				break
			}
		}
	}
}

// counted gives iterations the identifiers _0, _1, ….
func counted(its []Iteration) []Iteration {
	for i := range its {
		its[i].PostFix = "_" + itoa(i)
	}
	return its
}

func tooMany(l *core.Loop, n int) error {
	return fault.New(fault.TooLarge, "%s comes to %d iterations: at most %d are allowed", l.Kind, n, MaxIterations)
}

func isExpression(text string) bool { return strings.Contains(text, "<+") }
