package compile

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// TestImpossible: what can never work is said before the run, with its place and a way
// out (BEHAVIOUR §8.4, §8.8, §11.1). « stands where it is said.
func TestImpossible(t *testing.T) {
	on := func(action string) string {
		return "failureStrategies: [{onFailure: {errors: [AllErrors], action: " + action + "}}]\n"
	}
	rollback := func(step string) string {
		return inPipeline(oneStage + indent(8, oneStep) + indent(6, "  rollbackSteps:\n"+indent(4, step)))
	}
	ask := "{type: ManualIntervention, spec: {timeout: 1h, onTimeout: {action: «{type: ManualIntervention, spec: {timeout: 1h, onTimeout: {action: {type: Abort}}}}}}}"
	m, n := in(barrierStep("m", "k", "")), in(barrierStep("n", "«k", ""))
	mark := func(step string) string { return strings.Replace(step, "barrierRef: ", "barrierRef: «", 1) }
	queue := func(id, key string) string {
		return "{step: {identifier: " + id + ", name: " + id + ", type: Queue, spec: {key: " + key + ", scope: Stage}}}"
	}
	tests := map[string]struct {
		doc  string
		sev  core.Severity
		want string
		help string
	}{
		"a Retry behind a Retry": {withStep(on("{type: Retry, spec: {retryCount: 1, retryIntervals: [10s], onRetryFailure: {action: «{type: Retry, spec: {retryCount: 1, retryIntervals: [10s], onRetryFailure: {action: {type: Abort}}}}}}}")),
			core.SeverityError, "cannot be another Retry", "choose another action"},
		"an intervention behind an intervention": {withStep(on(ask)), core.SeverityError, "cannot wait for a person again", "choose another action"},
		"StageRollback in a rollback": {rollback(oneStep + "    " + on("{type: «StageRollback}")),
			core.SeverityWarning, "acts as MarkAsFailure", "write MarkAsFailure"},
		"PipelineRollback in a rollback": {rollback(oneStep + "    " + on("{type: «PipelineRollback}")),
			core.SeverityWarning, "acts as MarkAsFailure", "write MarkAsFailure"},
		"a barrier in the loop of its step":  {flow(flowStage("a", "", in(mark(barrierStep("m", "k", ", strategy: {parallelism: 2}"))))), core.SeverityError, "inside the loop of m", "take it out of the loop"},
		"a barrier in the loop of its stage": {flow(flowStage("a", ", strategy: {repeat: {times: 2}}", in(mark(barrierStep("m", "k", ""))))), core.SeverityError, "inside the loop of a", "take it out of the loop"},
		"a barrier that never fills":         {flow(flowStage("a", "", m, n)), core.SeverityError, "can never be reached", "run in parallel"},
		"a barrier that nobody declares":     {flow(flowStage("a", "", in(mark(barrierStep("m", "j", ""))))), core.SeverityError, `there is no barrier "j"`, "flowControl.barriers"},
		"a barrier nobody else waits at":     {flow(flowStage("a", "", in(mark(barrierStep("m", "k", ""))))), core.SeverityWarning, "nobody else waits", "let a parallel stage"},
		"a barrier in a rollback":            {strings.Replace(rollback("- "+strings.Replace(barrierStep("m", "k", ""), "{", "«{", 1)), "name: p\n", "name: p\n  flowControl: {barriers: [{name: K, identifier: k}]}\n", 1), core.SeverityUnsupported, "a Barrier step among rollback steps", ""},
		"a barrier behind one key": {flow("- parallel:\n" + indent(2, flowStage("a", "", queue("x", "j"), m)+flowStage("b", "", queue("y", "j"), in(barrierStep("n", "k", ""))))),
			core.SeverityError, "can never meet", "meet before waiting in line"},
		"two keys in two orders": {flow(flowStage("a", "", queue("x", "i"), queue("y", "j")) + flowStage("b", "", queue("z", "j"), queue("w", "i"))),
			core.SeverityWarning, "wait for each other", "in the same order"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			doc := strings.Replace(tc.doc, "«", "", 1)
			_, diags := Compile(Source{File: "p.yaml", Data: []byte(doc)}, Options{})
			for _, d := range diags {
				if d.Severity != tc.sev || !strings.Contains(d.Message, tc.want) {
					continue
				}
				if before, _, marked := strings.Cut(tc.doc, "«"); marked {
					line := strings.Count(before, "\n") + 1
					if column := len(before) - strings.LastIndex(before, "\n"); d.Line != line || d.Column != column {
						t.Errorf("said at %d:%d, want %d:%d", d.Line, d.Column, line, column)
					}
				}
				if d.File != "p.yaml" || d.Line == 0 || !strings.Contains(d.Help, tc.help) || tc.help != "" && d.Help == "" {
					t.Errorf("%+v", d)
				}
				return
			}
			t.Errorf("want %s %q, got %v", tc.sev, tc.want, diags)
		})
	}
}
