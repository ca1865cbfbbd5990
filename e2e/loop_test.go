package e2e

import (
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
)

// TestLoops runs loops over stages, groups, steps and branches, in each other and over
// what a step printed, once on adapters that behave and once on weak ones.
func TestLoops(t *testing.T) {
	yaml := stages(
		aStage("a", "strategy: {matrix: {os: [linux, mac], n: [1, 2], exclude: [{os: mac, n: 1}], maxConcurrency: 2}}",
			shellStep("x", "echo <+matrix.os> <+matrix.n> <+strategy.iteration>/<+strategy.iterations>", "")),
		aStage("b", "", outputStep("list", 3),
			shellStep("each", "echo <+repeat.item>", ", strategy: {repeat: {items: '<+execution.steps.list.output.outputVariables.v.split(\"\")>', maxConcurrency: 1}}"),
			aGroup("g", "strategy: {repeat: {items: [p, q, r], partitionSize: 2}}",
				shellStep("in", "echo <+repeat.item> <+strategy.node.g.iteration>", ", strategy: {repeat: {items: <+repeat.partition>}}")),
			"parallel:\n                  - "+shellStep("l", "exit <+strategy.iteration>", ", strategy: {parallelism: 2, onFailure: SkipQueued}")+
				"\n                  - "+shellStep("m", "true", ""),
			shellStep("after", "true", "")),
		aStage("c", "when: {pipelineStatus: All}", shellStep("end", "echo <+pipeline.stages.a_0_1.status> <+pipeline.stages.b.spec.execution.steps.l_1.status> <+stages.a.a_1_1.status>", "")),
	)
	const want = "a=Success a_0_0=Success x=Success a_0_1=Success x=Success a_1_1=Success x=Success " +
		"b=Failed list=Success each=Success each_0=Success each_1=Success each_2=Success " +
		"g=Success g_0=Success in=Success in_0=Success in_1=Success g_1=Success in=Success in_0=Success " +
		"l=Failed l_0=Success l_1=Failed m=Success after=NotStarted c=Success end=Success"
	for name, cfg := range map[string]platform.Config{"strong": {Delegate: true}, "weak": weakly(t), "apart": {Delegate: true, Apart: true}} {
		t.Run(name, func(t *testing.T) {
			in := startInside(t, cfg)
			r := in.finish(in.launchWeakly(yaml, name))
			if got := standings(r); r.Status != "Failed" || got != want {
				t.Errorf("the run ended %s:\n got %s\nwant %s", r.Status, got, want)
			}
			if got := in.logs(r)["end"]; got != "SUCCEEDED FAILED SUCCEEDED\n" {
				t.Errorf("what became of iterations was printed as %q", got)
			}
			in.foldsAgain(t, r)
		})
	}
}
