package main

import (
	"fmt"
	"time"

	"github.com/slipway-cd/slipway/shared/expr"
)

// values is a scope of fixed values.
type values map[string]any

// Lookup implements expr.Scope.
func (v values) Lookup(name string) (any, bool) {
	x, ok := v[name]
	return x, ok
}

// everyday are the forms of expressions that pipelines have most.
var everyday = []string{
	"<+pipeline.variables.tag>",
	"image:<+pipeline.variables.tag>",
	`<+<+pipeline.variables.env> == "prod">`,
	`<+<+pipeline.variables.tag>.replace(".", "-")>`,
	`<+pipeline.variables.env == "prod" ? "large" : "small">`,
	"<+pipeline.stages.build.spec.execution.steps.compile.output.outputVariables.digest>",
}

// expressions measures what one everyday expression takes, parsing included.
func expressions() {
	outputs := map[string]any{"output": map[string]any{"outputVariables": map[string]any{"digest": "sha256:0"}}}
	build := map[string]any{"spec": map[string]any{"execution": map[string]any{"steps": map[string]any{"compile": outputs}}}}
	scope := values{"pipeline": map[string]any{
		"variables": map[string]any{"tag": "1.2.3", "env": "prod"},
		"stages":    map[string]any{"build": build},
	}}
	const n = 60_000
	begin := time.Now()
	for i := range n {
		if _, err := expr.Render(everyday[i%len(everyday)], scope); err != nil {
			fmt.Println(err)
			return
		}
	}
	row("an everyday expression", "mean", (time.Since(begin) / n).String(), "≤ 5µs")
}
