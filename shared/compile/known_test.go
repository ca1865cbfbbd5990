package compile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

const knownVariables = "variables:\n- {name: n, type: String, value: one}\n- {name: t, type: String, value: <+pipeline.variables.m>m}\n- {name: m, type: Number, value: 20}\n" +
	"- {name: s, type: Secret, value: x}\n- {name: late, type: String, value: <+trigger.x>}\n"

// TestKnown holds that what decides how a plan is made may be an expression on what
// is constant.
func TestKnown(t *testing.T) {
	for name, c := range map[string]struct {
		stage, step string // fields
		want        func(stage, step *core.Node) any
		is          any
	}{
		"timeout of a stage":        {"timeout: <+pipeline.variables.t>", "", func(s, _ *core.Node) any { return s.Timeout }, int64(20 * 60_000)},
		"timeout of its own":        {"timeout: <+stage.variables.v>\nvariables: [{name: v, type: String, value: 1h}]", "", func(s, _ *core.Node) any { return s.Timeout }, int64(3_600_000)},
		"timeout of a step":         {"", "timeout: <+pipeline.variables.t>", func(_, s *core.Node) any { return s.Timeout }, int64(20 * 60_000)},
		"timeout known late":        {"", "timeout: <+pipeline.variables.late>", func(_, s *core.Node) any { return s.TimeoutText }, "<+pipeline.variables.late>"},
		"timeout of a secret":       {"", "timeout: <+pipeline.variables.s>", func(_, s *core.Node) any { return s.TimeoutText }, "<+pipeline.variables.s>"},
		"selector":                  {"delegateSelectors: [<+pipeline.variables.n>-x]", "", func(_, s *core.Node) any { return s.Selectors }, []string{"one-x"}},
		"selectors in one text":     {"delegateSelectors: \"<+pipeline.variables.n>,b\"", "", func(_, s *core.Node) any { return s.Selectors }, []string{"one", "b"}},
		"selector known late":       {"delegateSelectors: [<+trigger.x>]", "", func(_, s *core.Node) any { return s.Selectors }, []string{"<+trigger.x>"}},
		"status of a condition":     {"", "when: {stageStatus: '<+pipeline.variables.n == \"one\" ? \"All\" : \"Failure\">'}", func(_, s *core.Node) any { return s.When.Status }, core.WhenAll},
		"count of retries":          {"", retries("<+pipeline.variables.m>"), func(_, s *core.Node) any { return s.Failure[0].Action.Retries }, 20},
		"interval of retries":       {"", strings.Replace(retries("1"), "[10s]", "[<+pipeline.variables.t>]", 1), func(_, s *core.Node) any { return s.Failure[0].Action.Intervals }, []int64{20 * 60_000}},
		"a variable with all of it": {"variables: [{name: w, type: String, value: '{\"stageStatus\": \"All\"}'}]", "when: <+stage.variables.w>", func(_, s *core.Node) any { return s.When.Status }, core.WhenAll},
	} {
		t.Run(name, func(t *testing.T) {
			doc := withPipeline(knownVariables)
			doc = strings.Replace(doc, "      type: Custom\n", "      type: Custom\n"+indent(6, c.stage), 1)
			doc = strings.TrimRight(doc, "\n") + "\n" + indent(14, c.step)
			plan, diags := Compile(Source{File: "p.yaml", Data: []byte(doc)}, Options{})
			if plan == nil {
				t.Fatalf("%s in\n%s", diags, doc)
			}
			stage := plan.Root.Children[0]
			if diff := cmp.Diff(c.is, c.want(stage, stage.Children[0])); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func retries(count string) string {
	return "failureStrategies:\n- onFailure:\n    errors: [AllErrors]\n    action:\n      type: Retry\n      spec: {retryCount: " + count + ", retryIntervals: [10s], onRetryFailure: {action: {type: Abort}}}"
}

// TestLate holds that a run is refused whose plan hangs on what is known only later.
func TestLate(t *testing.T) {
	src := Source{File: "p.yaml", Data: []byte(withStage("timeout: <+trigger.x>"))}
	_, diags := Compile(src, Options{})
	if want := "p.yaml:9:16: unsupported: not supported yet: an expression as timeout of stage s that is known only during the run"; diags.String() != want {
		t.Errorf("got %s", diags)
	}
	plan, diags := Compile(src, Options{Lenient: true})
	if want := "p.yaml:9:16: warning: a run refuses this, as it is not executed yet: an expression as timeout of stage s that is known only during the run"; diags.String() != want || plan == nil {
		t.Errorf("to look at: %s", diags)
	}
}
