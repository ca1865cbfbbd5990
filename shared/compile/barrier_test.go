package compile

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// flow is a pipeline that declares barrier k; each stage is its steps.
func flow(stages string) string {
	return "pipeline:\n  identifier: p\n  name: p\n  flowControl: {barriers: [{name: K, identifier: k}]}\n  stages:\n" + indent(4, stages)
}

func flowStage(id, more string, items ...string) string {
	return "- stage: {identifier: " + id + ", name: " + id + ", type: Custom" + more + ", spec: {execution: {steps: [" + strings.Join(items, ", ") + "]}}}\n"
}

func barrierStep(id, ref, more string) string {
	return "step: {identifier: " + id + ", name: " + id + ", type: Barrier, spec: {barrierRef: " + ref + "}" + more + "}"
}

func in(s string) string { return "{" + s + "}" }

func TestBarriers(t *testing.T) {
	m, n := in(barrierStep("m", "k", "")), in(barrierStep("n", "k", ""))
	when := ", when: {stageStatus: Success, condition: '<+pipeline.variables.x> == 1'}"
	tests := map[string]struct {
		yaml string
		sev  core.Severity // "" for nothing
		want string
	}{
		"parallel stages":      {flow("- parallel:\n" + indent(2, flowStage("a", "", m)+flowStage("b", "", n))), "", ""},
		"parallel branches":    {flow(flowStage("a", "", "{parallel: ["+m+", "+n+"]}")), "", ""},
		"one behind the other": {flow(flowStage("a", "", m, n)), core.SeverityError, "step n can never be reached: before it step m"},
		"stage behind stage":   {flow(flowStage("a", "", m) + flowStage("b", "", n)), core.SeverityError, "can never be reached"},
		"behind in a group":    {flow(flowStage("a", "", m, "{stepGroup: {identifier: g, name: g, steps: ["+n+"]}}")), core.SeverityError, "can never be reached"},
		"a third behind":       {flow("- parallel:\n" + indent(2, flowStage("a", "", m)+flowStage("b", "", n)) + flowStage("c", "", in(barrierStep("o", "k", "")))), core.SeverityError, "step o can never be reached"},
		"perhaps skipped":      {flow(flowStage("a", "", m, in(barrierStep("n", "k", when)))), core.SeverityWarning, "unless a condition"},
		"alone":                {flow(flowStage("a", "", m)), core.SeverityWarning, "nobody else waits"},
		"not declared":         {flow(flowStage("a", "", in(barrierStep("m", "j", "")))), core.SeverityError, `there is no barrier "j"`},
		"an expression":        {flow(flowStage("a", "", in(barrierStep("m", "<+pipeline.name>", "")))), core.SeverityError, "has to be known before the run"},
		"a looped step":        {flow(flowStage("a", "", in(barrierStep("m", "k", ", strategy: {parallelism: 2}")))), core.SeverityError, "inside the loop of m"},
		"in a looped stage":    {flow(flowStage("a", ", strategy: {parallelism: 2}", m)), core.SeverityError, "inside the loop of a"},
		"declared twice":       {strings.Replace(flow(flowStage("a", "", m)), "[{", "[{name: L, identifier: k}, {", 1), core.SeverityError, `k`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, diags := Compile(Source{File: "p.yaml", Data: []byte(tc.yaml)}, Options{})
			if tc.sev == "" {
				if len(diags) > 0 {
					t.Fatal(diags)
				}
				return
			}
			for _, d := range diags {
				if d.Severity == tc.sev && strings.Contains(d.Message, tc.want) && d.Line > 0 {
					return
				}
			}
			t.Errorf("want %q, got %v", tc.want, diags)
		})
	}
}
