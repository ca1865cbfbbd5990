package compile

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-cd/slipway/shared/core"
)

// failure is a list with one strategy for all errors.
func failure(action string) string {
	return "failureStrategies:\n- onFailure:\n    errors: [AllErrors]\n    action:\n" + indent(6, action)
}

const retry = "type: Retry\nspec:\n  retryCount: 2\n  retryIntervals: [10s, 1m]\n  onRetryFailure: {action: {type: Abort}}"

var badDecisions = []struct {
	name string
	doc  string // « is where the diagnostic points
	sev  core.Severity
	code string
	say  string
}{
	{"when is a list", withStep("when: «[a]"), core.SeverityError, CodeWrongType, "when of step a is a list"},
	{"when is an expression", withStep("when: «<+pipeline.stages.x.output.y>"), core.SeverityUnsupported, CodeUnsupported, "an expression as when of step a"},
	{"a stage's status of a step", withStep("when: {stageStatus: All, «pipelineStatus: Success}"), core.SeverityError, CodeUnknownField, `unknown field "pipelineStatus" of when of step a`},
	{"a step's status of a stage", withStage("when: {pipelineStatus: All, «stageStatus: Success}"), core.SeverityError, CodeUnknownField, `unknown field "stageStatus" of when of stage s`},
	{"no status", withStep("when: «{condition: \"true\"}"), core.SeverityError, CodeMissingField, "when of step a has no stageStatus"},
	{"another status", withStep("when: {stageStatus: «Always}"), core.SeverityError, CodeValue, `stageStatus of step a is "Always": expected Success, Failure or All`},
	{"a condition that cannot be read", withStep("when: {stageStatus: All, condition: «<+pipeline.name> == }"), core.SeverityError, CodeExpression, "the condition of step a cannot be read"},

	{"strategies are a map", withStage("failureStrategies: «{onFailure: x}"), core.SeverityError, CodeWrongType, "failureStrategies of stage s is a map"},
	{"strategies are an expression", withStage("failureStrategies: «<+pipeline.stages.x.output.y>"), core.SeverityUnsupported, CodeUnsupported, "an expression as failureStrategies"},
	{"a strategy is a string", withStage("failureStrategies: [«x]"), core.SeverityError, CodeWrongType, "a failure strategy of stage s is a string"},
	{"no errors", withStage("failureStrategies: [{onFailure: «{action: {type: Abort}}}]"), core.SeverityError, CodeMissingField, "has no errors"},
	{"errors are empty", withStage("failureStrategies: [{onFailure: {errors: «[], action: {type: Abort}}}]"), core.SeverityWarning, CodeMeaning, "it never applies"},
	{"an unknown error", withStage("failureStrategies: [{onFailure: {errors: [«TimeOut], action: {type: Abort}}}]"), core.SeverityError, CodeValue, `"TimeOut" is not a type of failure`},
	{"no action", withStage("failureStrategies: [{onFailure: «{errors: [Timeout]}}]"), core.SeverityError, CodeMissingField, "has no action"},
	{"an unknown action", withStep(failure("type: «Abbort")), core.SeverityError, CodeUnknownType, `"Abbort" is not an action`},
	{"an unknown field of an action", withStep(failure("type: Abort\n«sepc: {}")), core.SeverityError, CodeUnknownField, `unknown field "sepc"`},
	{"no count", withStep(failure(strings.Replace(retry, "  retryCount: 2\n  ", "  «", 1))), core.SeverityError, CodeMissingField, "has no retryCount"},
	{"no number", withStep(failure(strings.Replace(retry, "2", "«many", 1))), core.SeverityError, CodeWrongType, `retryCount of step a is "many"`},
	{"an interval that is none", withStep(failure(strings.Replace(retry, "1m", "«1x", 1))), core.SeverityError, CodeDuration, "an item of retryIntervals"},
	{"retry after retry", withStep(failure(strings.Replace(retry, "{type: Abort}", "«{type: Retry, spec: {retryCount: 1, retryIntervals: [10s], onRetryFailure: {action: {type: Abort}}}}", 1))), core.SeverityError, CodeValue, "cannot be another Retry"},
	{"nothing after retry", withStep(failure(strings.Replace(retry, "\n  onRetryFailure: {action: {type: Abort}}", "", 1) + "«")), core.SeverityWarning, CodeMeaning, "has no onRetryFailure.action: MarkAsFailure is what follows"},
	{"no timeout of an intervention", withStep(failure("type: ManualIntervention\nspec: «{onTimeout: {action: {type: Abort}}}")), core.SeverityError, CodeMissingField, "has no timeout"},
	{"intervention after intervention", withStep(failure("type: ManualIntervention\nspec:\n  timeout: 1h\n  onTimeout: {action: «{type: ManualIntervention, spec: {timeout: 1h, onTimeout: {action: {type: Abort}}}}}")), core.SeverityError, CodeValue, "cannot wait for a person again"},
	{"intervention after its retry", withStep(failure("type: ManualIntervention\nspec:\n  timeout: 1h\n  onTimeout: {action: «{type: Retry, spec: {retryCount: 1, retryIntervals: [10s], onRetryFailure: {action: {type: ManualIntervention, spec: {timeout: 1h, onTimeout: {action: {type: Abort}}}}}}}}")), core.SeverityError, CodeValue, "cannot wait for a person again"},
	{"an action nobody may take", withStep(failure("type: ManualIntervention\nspec:\n  timeout: 1h\n  allowedActions: «[Dance]\n  onTimeout: {action: {type: Abort}}")), core.SeverityError, CodeUnknownType, `holds "Dance"`},
	{"defaults for any error", withStep(failure("type: «ProceedWithDefaultValues")), core.SeverityWarning, CodeMeaning, "acts on InputTimeoutError only"},
	{"a group's retry at a step", withStep(failure("type: «RetryStepGroup\nspec: {retryCount: 1, retryIntervals: [10s]}")), core.SeverityWarning, CodeMeaning, "runs the group around the failed step again"},
	{"rollback in a rollback", withRollback("failureStrategies: [{onFailure: {errors: [AllErrors], action: {type: «StageRollback}}}]"), core.SeverityWarning, CodeMeaning, "StageRollback in a rollback acts as MarkAsFailure"},
	{"a rollback step that is wrong", withRollback("«foo: 1"), core.SeverityError, CodeUnknownField, `unknown field "foo" of step undo`},
	{"rollback steps are a map", withRollbackSteps("«{a: b}"), core.SeverityError, CodeWrongType, "rollbackSteps of stage s is a map"},

	{"strategy is a list", withStep("strategy: «[a]"), core.SeverityError, CodeWrongType, "strategy of step a is a list"},
	{"strategy is an expression", withStep("strategy: «<+pipeline.stages.x.output.y>"), core.SeverityUnsupported, CodeUnsupported, "an expression as strategy"},
	{"nothing to loop over", withStep("strategy: «{onFailure: RunAll}"), core.SeverityError, CodeMissingField, "says nothing to loop over"},
	{"two loops", withStep("strategy: {parallelism: 2, «repeat: {times: 2}}"), core.SeverityError, CodeValue, "holds both parallelism and repeat"},
	{"an unknown field of a strategy", withStep("strategy: {parallelism: 2, «maxConcurency: 2}"), core.SeverityError, CodeUnknownField, `unknown field "maxConcurency" of the strategy of step a`},
	{"another onFailure", withStep("strategy: {parallelism: 2, onFailure: «Stop}"), core.SeverityError, CodeValue, "expected RunAll or SkipQueued"},
	{"a condition of iterations", withStep("strategy: {parallelism: 2, when: «<+a}"), core.SeverityError, CodeExpression, "the when of the strategy of step a cannot be read"},
	{"too many copies", withStep("strategy: {parallelism: «257}"), core.SeverityError, CodeTooMany, "parallelism comes to 257 iterations: at most 256 are allowed"},
	{"no copies", withStep("strategy: {parallelism: «0}"), core.SeverityError, CodeValue, "no iteration"},
	{"half a copy", withStep("strategy: {parallelism: «1.5}"), core.SeverityError, CodeWrongType, `parallelism of step a is "1.5"`},
	{"no axis", withStep("strategy: {matrix: «{maxConcurrency: 2}}"), core.SeverityError, CodeMissingField, "has no axis"},
	{"an axis of text", withStep("strategy: {matrix: {os: «linux}}"), core.SeverityError, CodeWrongType, `the axis os of step a is "linux": expected a list`},
	{"a matrix of text", withStep("strategy: {matrix: «linux}"), core.SeverityError, CodeWrongType, `matrix of step a is "linux"`},
	{"exclude nothing", withStep("strategy: {matrix: {os: [a, b], exclude: [{«arch: x}]}}"), core.SeverityWarning, CodeMeaning, "exclude names arch, which is no axis"},
	{"exclude everything", withStep("strategy: {matrix: «{os: [a], exclude: [{os: a}]}}"), core.SeverityError, CodeValue, "no iteration"},
	{"exclude is text", withStep("strategy: {matrix: {os: [a], exclude: «x}}"), core.SeverityError, CodeWrongType, `exclude of step a is "x"`},
	{"an expression left open in an axis", withStep("strategy: {matrix: {os: [«<+a]}}"), core.SeverityError, CodeExpression, "the expression cannot be read"},
	{"times and items", withStep("strategy: {repeat: «{times: 2, items: [a]}}"), core.SeverityError, CodeValue, "holds both times and items"},
	{"neither times nor items", withStep("strategy: {repeat: «{maxConcurrency: 2}}"), core.SeverityError, CodeMissingField, "neither times nor items"},
	{"another unit", withStep("strategy: {repeat: {items: [a], unit: «Half}}"), core.SeverityError, CodeValue, "expected Count or Percentage"},
	{"a range the wrong way", withStep("strategy: {repeat: «{items: [a, b, c], start: 2, end: 1}}"), core.SeverityError, CodeValue, "start of repeat is behind its end"},
	{"an input nobody gave", withStep("strategy: {repeat: {items: «<+input>}}"), core.SeverityError, CodeMissingInput, "the runtime input stages.s.spec.execution.steps.a.strategy.repeat.items has no value"},
}

func withRollbackSteps(s string) string {
	return inPipeline("stages:\n- stage:\n    identifier: s\n    name: s\n    type: Custom\n    spec:\n      execution:\n        rollbackSteps: " + s +
		"\n        steps:\n" + indent(8, oneStep))
}

func withRollback(s string) string {
	return withRollbackSteps("\n        - step:\n            identifier: undo\n            name: undo\n            type: Wait\n            spec: {duration: 10s}\n" + strings.TrimRight(indent(12, s), "\n"))
}

func TestBadDecisions(t *testing.T) {
	for _, tc := range badDecisions {
		t.Run(tc.name, func(t *testing.T) {
			text, line, column := cut(tc.doc)
			_, diags := Compile(Source{File: "p.yaml", Data: []byte(text)}, Options{})
			found := 0
			for _, d := range diags {
				at := d.Line == line && d.Column == column || strings.HasSuffix(strings.TrimRight(tc.doc, "\n"), "«")
				if at && d.Severity == tc.sev && d.Code == tc.code && strings.Contains(d.Message, tc.say) {
					found++
				} else if d.Code != CodeUnsupported {
					t.Errorf("also said: %s", d)
				}
			}
			if found != 1 {
				t.Errorf("want once %d:%d %s %s %q in\n%s", line, column, tc.sev, tc.code, tc.say, diags)
			}
		})
	}
}

// TestDecisions reads every form of conditions, failure strategies, loops and
// rollback steps, and holds that what the engine does not execute is not run.
func TestDecisions(t *testing.T) {
	all := core.FailureStrategy{Errors: []core.ErrorType{core.AllErrors}}
	with := func(a core.FailureAction) []core.FailureStrategy {
		s := all
		s.Action = a
		return []core.FailureStrategy{s}
	}
	abort := &core.FailureAction{Type: core.ActionAbort}
	tests := []struct {
		name string
		doc  string
		want core.Node // When, Failure and Loop
	}{
		{"a status", withStep("when: {stageStatus: Failure}"), core.Node{When: &core.When{Status: core.WhenFailure}}},
		{"a condition", withStep("when: {stageStatus: All, condition: <+pipeline.name> == \"x\"}"), core.Node{When: &core.When{Status: core.WhenAll, Condition: `<+pipeline.name> == "x"`}}},
		{"an empty condition", withStep("when: {stageStatus: All, condition: \"\"}"), core.Node{When: &core.When{Status: core.WhenAll}}},
		{"retry", withStep(failure(strings.Replace(retry, "\n  on", "\n  condition: <+step.retryCount> < 2\n  on", 1))), core.Node{Failure: with(core.FailureAction{Type: core.ActionRetry, Retries: 2,
			Intervals: []int64{10_000, 60_000}, Condition: "<+step.retryCount> < 2", Then: abort})}},
		{"intervention", withStep(failure("type: ManualIntervention\nspec:\n  timeout: 1h\n  allowedActions: [Ignore, Abort]\n  onTimeout: {action: {type: Abort}}")),
			core.Node{Failure: with(core.FailureAction{Type: core.ActionManualIntervention, Timeout: 3_600_000, Allowed: []core.ActionType{core.ActionIgnore, core.ActionAbort}, Then: abort})}},
		{"pipeline rollback", withStep(failure("type: PipelineRollback\nspec: {failAll: true}")), core.Node{Failure: with(core.FailureAction{Type: core.ActionPipelineRollback, FailAll: true})}},
		{"a former name and two types", withStep("failureStrategies:\n- onFailure: {errors: [AnyOther], action: {type: Ignore}}\n- onFailure: {errors: [Timeout, Verification], action: {type: Abort}}"),
			core.Node{Failure: []core.FailureStrategy{{Errors: all.Errors, Action: core.FailureAction{Type: core.ActionIgnore}}, {Errors: []core.ErrorType{"Timeout", "Verification"}, Action: *abort}}}},
		{"parallelism", withStep("strategy: {parallelism: 3, onFailure: SkipQueued, when: <+strategy.iteration> == 1}"),
			core.Node{Loop: &core.Loop{Kind: core.LoopParallelism, Times: &core.LoopNumber{Value: 3}, SkipQueued: true, When: "<+strategy.iteration> == 1"}}},
		{"a matrix in the author's order", withStep("strategy:\n  matrix:\n    z: [2, true, {k: v, w: 1.10}, x]\n    a: <+pipeline.variables.a>\n    exclude: [{z: 2}]\n    maxConcurrency: 2\n    nodeName: <+matrix.z>"),
			core.Node{Loop: &core.Loop{Kind: core.LoopMatrix, Axes: []core.Axis{{Name: "z", List: core.LoopList{Values: []any{2.0, true, map[string]any{"k": "v", "w": "1.10"}, "x"}}},
				{Name: "a", List: core.LoopList{Expr: "<+pipeline.variables.a>"}}}, Exclude: []map[string]any{{"z": 2.0}}, MaxConcurrency: &core.LoopNumber{Value: 2}, NodeName: "<+matrix.z>"}}},
		{"versions stay as they are written", withStep("strategy: {matrix: {go: [1.10, 1.9]}}"),
			core.Node{Loop: &core.Loop{Kind: core.LoopMatrix, Axes: []core.Axis{{Name: "go", List: core.LoopList{Values: []any{"1.10", "1.9"}}}}}}},
		{"maxConcurrency beside the loop", withStep("strategy: {repeat: {times: 3}, maxConcurrency: 2}"), core.Node{Loop: &core.Loop{Kind: core.LoopRepeat, Times: &core.LoopNumber{Value: 3}, MaxConcurrency: &core.LoopNumber{Value: 2}}}},
		{"a matrix of an expression", withStep("strategy: {matrix: <+pipeline.variables.m>}"), core.Node{Loop: &core.Loop{Kind: core.LoopMatrix, Matrix: "<+pipeline.variables.m>"}}},
		{"a list in text", withStep("strategy: {matrix: {a: '[\"x\"]', exclude: <+pipeline.variables.e>}}"),
			core.Node{Loop: &core.Loop{Kind: core.LoopMatrix, Axes: []core.Axis{{Name: "a", List: core.LoopList{Expr: `["x"]`}}}, ExcludeExpr: "<+pipeline.variables.e>"}}},
		{"repeat", withStep("strategy: {repeat: {items: <+stage.output.hosts>, start: 0, end: 50, unit: Percentage, partitionSize: 1, maxConcurrency: <+pipeline.variables.n>}}"),
			core.Node{Loop: &core.Loop{Kind: core.LoopRepeat, Items: &core.LoopList{Expr: "<+stage.output.hosts>"}, Start: &core.LoopNumber{}, End: &core.LoopNumber{Value: 50}, Percent: true,
				PartitionSize: &core.LoopNumber{Value: 1}, MaxConcurrency: &core.LoopNumber{Expr: "<+pipeline.variables.n>"}}}},
		{"times", withStep("strategy: {repeat: {times: \"4\", unit: Count}}"), core.Node{Loop: &core.Loop{Kind: core.LoopRepeat, Times: &core.LoopNumber{Value: 4}}}},
	}
	ignore := cmpopts.IgnoreTypes(core.Position{})
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			src := Source{File: "p.yaml", Data: []byte(tc.doc)}
			runs := !slices.ContainsFunc(tc.want.Failure, func(s core.FailureStrategy) bool {
				return slices.Contains(notExecuted, s.Action.Type)
			})
			plan, diags := Compile(src, Options{})
			if !runs && (plan != nil || len(diags) != 1 || diags[0].Severity != core.SeverityUnsupported) || runs && (plan == nil || len(diags) != 0) {
				t.Errorf("it would run: %v, or more is said: %s", plan != nil, diags)
			}
			e, _ := Explain(src, Options{})
			got := e.Plan.Root.Children[0].Children[0]
			if diff := cmp.Diff(tc.want, core.Node{When: got.When, Failure: got.Failure, Loop: got.Loop}, ignore); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRollbackStepsAreInTheTree(t *testing.T) {
	doc := withRollback("timeout: 1m")
	doc = strings.Replace(doc, "identifier: undo", "identifier: a", 1) // a space of identifiers of its own
	e, diags := Explain(Source{File: "p.yaml", Data: []byte(doc)}, Options{})
	for _, d := range diags {
		if d.Severity != core.SeverityUnsupported {
			t.Error(d)
		}
	}
	var got []string
	e.Plan.Root.Walk(func(n *core.Node) { got = append(got, n.FQN) })
	want := []string{"pipeline", "pipeline.stages.s", "pipeline.stages.s.spec.execution.steps.a", "pipeline.stages.s.spec.execution.rollbackSteps.a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
