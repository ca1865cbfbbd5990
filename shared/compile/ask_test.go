package compile

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

// TestAsks holds which node asks for what while running, and what stands in its place.
func TestAsks(t *testing.T) {
	const doc = `pipeline:
  identifier: p
  name: p
  variables:
  - {name: early, type: String, value: '<+input>.executionInput().default(x)'}
  stages:
  - stage:
      identifier: s
      name: s
      type: Custom
      variables:
      - {name: v, type: String, value: '<+input>.executionInput().regex([a-z]+)'}
      spec:
        execution:
          steps:
          - step:
              identifier: a
              name: a
              type: ShellScript
              timeout: 1m
              spec:
                shell: Bash
                source: {type: Inline, spec: {script: '<+input>.default(one).allowedValues(one,two).executionInput()'}}
`
	const script, v = "stages.s.spec.execution.steps.a.spec.source.spec.script", "stages.s.variables.v"
	one := "one"
	for name, tc := range map[string]struct {
		inputs map[string]string
		want   map[string][]core.Ask
		early  string
	}{
		"none given": {nil, map[string][]core.Ask{"s": {{Path: v, Regex: "[a-z]+"}}, "a": {{Path: script, Default: &one, One: []string{"one", "two"}}}}, "x"},
		"one given":  {map[string]string{v: "b", "early": "y"}, map[string][]core.Ask{"a": {{Path: script, Default: &one, One: []string{"one", "two"}}}}, "y"},
	} {
		t.Run(name, func(t *testing.T) {
			plan, diags := Compile(Source{File: "p.yaml", Data: []byte(doc)}, Options{Inputs: tc.inputs})
			if plan == nil {
				t.Fatal(diags)
			}
			got := map[string][]core.Ask{}
			plan.Root.Walk(func(n *core.Node) {
				for _, a := range n.Asks {
					a.Pos = core.Position{}
					got[n.Identifier] = append(got[n.Identifier], a)
				}
			})
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
			if plan.Root.Variables[0].Value != tc.early {
				t.Errorf("the pipeline's variable is %v", plan.Root.Variables[0].Value)
			}
			if source := plan.Root.Children[0].Children[0].Spec["source"]; !cmp.Equal(source, map[string]any{"type": "Inline", "spec": map[string]any{"script": core.AskExpression(script)}}) {
				t.Errorf("the source is %v", source)
			}
		})
	}
}
