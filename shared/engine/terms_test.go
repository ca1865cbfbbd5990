package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/steps"
)

// TestTerms holds what a step's timeout and selectors come to as it starts.
func TestTerms(t *testing.T) {
	step, _ := steps.Lookup("ShellScript")
	for name, c := range map[string]struct {
		timeout   string
		selectors []string
		want      string
	}{
		"nothing":             {"", nil, "600000 false []"},
		"an outcome":          {`<+pipeline.stages.a.spec.execution.steps.one.output.outputVariables.v.length()>m`, nil, "360000 true []"},
		"no duration":         {"<+pipeline.name>", nil, `"Demo" is not a duration`},
		"an unknown variable": {"<+pipeline.variables.none>", nil, "timeout: "},
		"plain selectors":     {"", []string{"a", "b c"}, "600000 false [a|b c]"},
		"words":               {"", []string{"x", `<+"p, q">`}, "600000 false [x|p|q]"},
		"a list":              {"", []string{"<+pipeline.variables.list>"}, "600000 false [q|Demo]"},
		"a broken selector":   {"", []string{"<+pipeline.variables.none>"}, "delegateSelectors: "},
	} {
		t.Run(name, func(t *testing.T) {
			s := standing()
			n := *s.n
			n.TimeoutText, n.Selectors = c.timeout, c.selectors
			s.w.run.parent[&n] = s.w.run.parent[s.n]
			got, err := s.w.terms(&n, step)
			text := fmt.Sprintf("%d %v [%s]", got.timeout, got.own, strings.Join(got.selectors, "|"))
			if err != nil {
				text = err.Error()
			}
			if text != c.want && (err == nil || !strings.Contains(text, c.want)) {
				t.Errorf("got %s, want %s", text, c.want)
			}
		})
	}
}
