package engine

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine/enginetest"
)

// deploying is a scope at a step of a Deployment stage; stage a before it was one too.
func deploying() *scope {
	inner := enginetest.Group("inner", enginetest.Shell("x"))
	inner.Variables = []core.Variable{{Name: "level", Type: "String", Value: "debug"}}
	before, b := enginetest.Stage("a", enginetest.Shell("one")), enginetest.Stage("b", enginetest.Group("outer", inner))
	before.Type, before.Name, before.Target = "Deployment", "First", enginetest.Website()
	before.Target.Environments[0].Name = "First prod"
	b.Type, b.Name, b.Target = "Deployment", "Second", enginetest.Website()
	p := enginetest.Plan(before, b, enginetest.Stage("never", enginetest.Shell("two")))
	p.Root.Children[2].Target = enginetest.Website()
	p.Root.Name, p.Connectors = "Demo", enginetest.Connectors()
	p.Root.Variables = []core.Variable{{Name: "service", Type: "String", Value: "web"}, {Name: "source", Type: "String", Value: "gcr"}}
	run := NewRun(core.Launch{Run: "R1", Plan: p})
	w := &walk{run: run, t: &Track{ID: b.Track, Status: core.Running, Nodes: map[string]*Node{}}, root: b, ev: &core.Event{},
		facts: map[string]core.Fact{NodeRef("pipeline.stages.a"): {Found: true, Status: core.Succeeded}, NodeRef("pipeline.stages.never"): {}}}
	return &scope{w: w, n: run.Node("pipeline.stages.b.spec.execution.steps.outer.steps.inner.steps.x"), secrets: map[string]bool{}}
}

// TestTargetContexts is the golden table of what a Deployment stage gives.
func TestTargetContexts(t *testing.T) {
	data, err := os.ReadFile("testdata/target.txt")
	if err != nil {
		t.Fatal(err)
	}
	contexts(t, string(data), 60, deploying)
}

// TestSecretsOfServicesStayOpaque holds that a secret variable is handed on by its
// reference.
func TestSecretsOfServicesStayOpaque(t *testing.T) {
	s := deploying()
	v, err := s.renderText("<+serviceVariables.token>", nil)
	if err != nil || !s.secrets["account.t"] || strings.Contains(v.(string), "secret value") {
		t.Errorf("%v, %v, %v", v, err, s.secrets)
	}
}

// TestConditionOfTheStageKnowsNoTarget holds that what a stage deploys is null while
// it is decided whether the stage runs (BEHAVIOUR §5.6).
func TestConditionOfTheStageKnowsNoTarget(t *testing.T) {
	s := deploying()
	stage := s.w.root
	for condition, want := range map[string]bool{`<+env.name> == null`: true, `<+service.identifier> == "web"`: false} {
		got, err := s.w.condition(stage, condition)
		if err != nil || got != want {
			t.Errorf("%s = %v, %v", condition, got, err)
		}
	}
}

// TestPrefetchOfTargets holds that all that a stage's variables name is asked for at
// once: how often may be asked is bounded.
func TestPrefetchOfTargets(t *testing.T) {
	s := deploying()
	target := s.w.root.Target
	for _, id := range []string{"p", "q"} {
		target.Services[1].Variables = append(target.Services[1].Variables, enginetest.Variable(id, "String", "<+pipeline.stages.a.spec.execution.steps.one.output.outputVariables."+id+">"))
	}
	s.w.run.byFQN["pipeline.stages.never.x"] = s.w.run.Node("pipeline.stages.never")
	target.Infrastructures[0].Spec["zone"] = "<+pipeline.stages.never.spec.execution.steps.two.status>"
	_, err := s.renderText("<+serviceVariables.p>", nil)
	need, ok := errors.AsType[*Need](err)
	if !ok {
		t.Fatalf("%v", err)
	}
	want := []string{NodeRef("pipeline.stages.a.spec.execution.steps.one"), NodeRef("pipeline.stages.never.spec.execution.steps.two")}
	if !slices.Equal(need.Refs, want) {
		t.Errorf("asked for %v, want %v", need.Refs, want)
	}
}
