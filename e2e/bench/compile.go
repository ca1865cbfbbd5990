package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/strategy"
)

// compiling measures what is done before a run starts: a pipeline of a thousand lines,
// one of fifty templates, and a matrix as wide as they come.
func compiling() error {
	timed := func(what, bound string, do func() error) error {
		each := make([]time.Duration, 30)
		for i := range each {
			begin := time.Now()
			if err := do(); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			each[i] = time.Since(begin)
		}
		slices.Sort(each)
		row(what, "p50", each[len(each)/2].Round(10*time.Microsecond).String(), bound)
		return nil
	}
	if err := timed("compiling 1,000 lines", "", planOf(thousand(), nil)); err != nil {
		return err
	}
	doc, library := templated()
	if err := timed("compiling 50 stages, each of a template of its own", "≤ 25ms", planOf(doc, library)); err != nil {
		return err
	}
	return timed("a matrix of 16 × 16, compiled and expanded", "≤ 50ms", matrix)
}

func planOf(doc string, library map[string]string) func() error {
	return func() error {
		var sources []compile.Source
		for name, text := range library {
			sources = append(sources, compile.Source{File: name, Data: []byte(text)})
		}
		found, _ := compile.Index(sources)
		_, diags := compile.Compile(compile.Source{File: "p.yaml", Data: []byte(doc)}, compile.Options{Library: found})
		if len(diags) > 0 {
			return fmt.Errorf("%s", diags)
		}
		return nil
	}
}

// templated is a pipeline of fifty stages with their templates.
func templated() (doc string, library map[string]string) {
	var b strings.Builder
	b.WriteString("pipeline:\n  name: Many\n  identifier: many\n  stages:\n")
	library = map[string]string{}
	for i := range 50 {
		fmt.Fprintf(&b, "    - stage:\n        name: S\n        identifier: s%d\n        template:\n          templateRef: t%d\n          versionLabel: v1\n          templateInputs:\n            type: Custom\n            variables:\n              - name: v\n                type: String\n                value: x\n", i, i)
		steps := ""
		for j := range 3 {
			steps += fmt.Sprintf("          - step:\n              name: Step\n              identifier: s%d\n              type: ShellScript\n              timeout: 10m\n              spec:\n                shell: Bash\n                source:\n                  type: Inline\n                  spec:\n                    script: echo <+stage.variables.v>\n", j)
		}
		library[fmt.Sprintf("t%d.yaml", i)] = fmt.Sprintf("template:\n  name: T\n  identifier: t%d\n  versionLabel: v1\n  type: Stage\n  spec:\n    type: Custom\n    variables:\n      - name: v\n        type: String\n        value: <+input>\n    spec:\n      execution:\n        steps:\n", i) + steps
	}
	return b.String(), library
}

// matrix compiles and expands a stage with two axes of sixteen values.
func matrix() error {
	var axis []string
	for i := range 16 {
		axis = append(axis, fmt.Sprintf("v%d", i))
	}
	list := strings.Join(axis, ", ")
	doc := "pipeline:\n  name: M\n  identifier: m\n  stages:\n    - stage:\n        name: S\n        identifier: s\n        type: Custom\n        strategy:\n          matrix:\n            a: [" + list + "]\n            b: [" + list +
		"]\n        spec:\n          execution:\n            steps:\n              - step:\n                  name: W\n                  identifier: w\n                  type: Wait\n                  spec:\n                    duration: 10s\n"
	plan, diags := compile.Compile(compile.Source{File: "m.yaml", Data: []byte(doc)}, compile.Options{})
	if len(diags) > 0 {
		return fmt.Errorf("%s", diags)
	}
	its, err := strategy.Expand(plan.Root.Children[0].Loop, strategy.Values{})
	if err == nil && len(its) != strategy.MaxIterations {
		err = fmt.Errorf("%d iterations", len(its))
	}
	return err
}

// language measures what is done with documents and expressions.
func language(_ context.Context, dir string) error {
	if err := validate(dir); err != nil {
		return err
	}
	expressions()
	return compiling()
}
