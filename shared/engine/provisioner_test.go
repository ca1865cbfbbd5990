package engine

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine/enginetest"
)

// TestProvisionerOutputs holds the names by which a stage reads what the steps before
// its own have made.
func TestProvisionerOutputs(t *testing.T) {
	s := deploying()
	stage := s.w.root
	g := enginetest.Group("provisioner", enginetest.Shell("make"), enginetest.Shell("more"))
	g.FQN = stage.FQN + core.ProvisionerPath
	for _, c := range g.Children {
		c.FQN = g.FQN + ".steps." + c.Identifier
	}
	stage.Children = append([]*core.Node{g}, stage.Children...)
	stage.Target.Infrastructures[0].Spec["zone"] = "<+provisioner.zone>"
	s.w.run = NewRun(s.w.run.Launch)
	s.n = s.w.run.Node(s.n.FQN)
	s.w.t.Nodes[g.FQN+".steps.make"] = &Node{Status: core.Succeeded, Outputs: map[string]any{"outputVariables": map[string]any{"zone": "a", "size": "9"}}}
	s.w.t.Nodes[g.FQN+".steps.more"] = &Node{Status: core.Succeeded, Outputs: map[string]any{"zone": "b"}}
	for text, want := range map[string]string{
		"<+infra.zone>":       "b",
		"<+provisioner.size>": "9",
		"<+provisioner.steps.make.output.outputVariables.zone>":                                                                "a",
		"<+env.provisioner.steps.more.output.zone>":                                                                            "b",
		"<+pipeline.stages.b.spec.infrastructure.infrastructureDefinition.provisioner.steps.make.output.outputVariables.zone>": "a",
		"<+stage.spec.environment.provisioner.steps.make.status>":                                                              "SUCCEEDED",
	} {
		if got, err := s.renderText(text, nil); got != want || err != nil {
			t.Errorf("%s = %v, %v; want %s", text, got, err, want)
		}
	}
	other := &scope{w: s.w, n: s.w.run.Node("pipeline.stages.a.spec.execution.steps.one"), secrets: map[string]bool{}}
	if got, err := other.renderText("<+provisioner.zone>", nil); err == nil {
		t.Errorf("a stage without one reads %v", got)
	}
}
