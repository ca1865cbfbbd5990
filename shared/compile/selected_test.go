package compile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

func stageOf(id, script string) string {
	return "- stage:\n    identifier: " + id + "\n    name: " + id + "\n    type: Custom\n    spec:\n      execution:\n        steps:\n" +
		"        - step: {identifier: x, name: x, type: ShellScript, spec: {shell: Bash, source: {type: Inline, spec: {script: '" + script + "'}}}}\n"
}

// TestSelectedStages holds what is left of a pipeline when some of its stages are run.
func TestSelectedStages(t *testing.T) {
	stages := "allowStageExecutions: true\nstages:\n" + stageOf("a", "<+input>") +
		"- parallel:\n" + indent(2, stageOf("b", "echo <+pipeline.stages.a.spec.execution.steps.x.output.outputVariables.v>")+stageOf("c", "echo")) +
		stageOf("d", "echo") + "- stage: {identifier: e, name: e, type: CI, spec: {}}\n"
	reads := "<+pipeline.stages.a.spec.execution.steps.x.output.outputVariables.v>"
	template := inPipeline("template: {templateRef: pt}")
	for name, c := range map[string]struct {
		doc  string
		opt  Options
		want string // stages, and "b: script"; or what is wrong
	}{
		"one":                     {inPipeline(stages), Options{Stages: []string{"d"}}, "d"},
		"of a parallel":           {inPipeline(stages), Options{Stages: []string{"c", "d"}}, "(c) d"},
		"with a value":            {inPipeline(stages), Options{Stages: []string{"b"}, Expressions: map[string]string{reads: "7"}}, "(b: echo 7)"},
		"reading one left out":    {inPipeline(stages), Options{Stages: []string{"b"}}, "error: " + reads + " reads stage a, which is not among the stages that run"},
		"of a template":           {template, Options{Stages: []string{"d"}}, "d"},
		"unknown":                 {inPipeline(stages), Options{Stages: []string{"f"}}, `error: the pipeline has no stage "f" to run (its stages: a, b, c, d, e)`},
		"not allowed":             {inPipeline(strings.TrimPrefix(stages, "allowStageExecutions: true\n")), Options{Stages: []string{"d"}}, "error: the pipeline does not allow single stages to be run"},
		"a condition that reads":  {strings.Replace(inPipeline(stages), "identifier: d\n", "identifier: d\n      when: {pipelineStatus: All, condition: stages.a.status == \"x\"}\n", 1), Options{Stages: []string{"d"}}, "error: <+stages.a.status> reads stage a"},
		"one that nothing runs":   {inPipeline(stages), Options{Stages: []string{"e"}}, "unsupported: not supported yet: stage type CI"},
		"all, which one does not": {inPipeline(stages), Options{}, "unsupported: not supported yet: stage type CI"},
	} {
		t.Run(name, func(t *testing.T) {
			c.opt.Library = shelfOf(t, templateOf("Pipeline", "pt", "1", stages))
			plan, diags := Compile(Source{File: "p.yaml", Data: []byte(c.doc)}, c.opt)
			if plan == nil {
				if !strings.Contains(diags.String(), c.want) {
					t.Errorf("want %s in\n%s", c.want, diags)
				}
				return
			}
			if diff := cmp.Diff(c.want, chosen(plan.Root.Children)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func chosen(nodes []*core.Node) string {
	var out []string
	for _, n := range nodes {
		text := n.Identifier
		if n.Kind == core.KindParallel {
			text = "(" + chosen(n.Children) + ")"
		} else if s := n.Children[0].Spec["source"].(map[string]any)["spec"].(map[string]any)["script"]; s != "echo" {
			text += ": " + s.(string)
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}
