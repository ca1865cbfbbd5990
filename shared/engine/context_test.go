package engine

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine/enginetest"
	"github.com/slipway-cd/slipway/shared/expr"
)

// standing is a scope at stage b's step x: stage a has ended, b's y has failed.
func standing() *scope {
	inner := enginetest.Group("inner", enginetest.Shell("x"), enginetest.Shell("y"), enginetest.Shell("z"))
	inner.Variables = []core.Variable{{Name: "own", Type: "String", Value: "of inner"}}
	outer := enginetest.Group("outer", inner)
	outer.Name = "Outer <+pipeline.name>"
	outer.Variables = []core.Variable{{Name: "own", Type: "String", Value: "of outer"}}
	a, b := enginetest.Stage("a", enginetest.Shell("one"), enginetest.Shell("two")), enginetest.Stage("b", outer)
	b.Name, b.Tags, b.Selectors = "Stage B", map[string]string{"tier": "<+stage.identifier>"}, []string{"linux", "fast"}
	b.Variables = []core.Variable{{Name: "token", Type: "Secret", Value: "account.t"}, {Name: "deep", Type: "String", Value: "<+pipeline.variables.greeting>!"}}
	p := enginetest.Plan(a, b)
	p.Scope.Org, p.Scope.Project, p.Tags = "acme", "web", map[string]string{"team": "blue"}
	p.Inputs = map[string]any{"pipeline": map[string]any{"variables": []any{map[string]any{"name": "tag", "value": "1.2"}}}}
	p.Root.Name = "Demo"
	p.Root.Variables = []core.Variable{{Name: "greeting", Type: "String", Value: "hello <+pipeline.name>"}, {Name: "list", Type: "String", Value: []any{"q", "<+pipeline.name>"}}}
	run := NewRun(core.Launch{Run: "R1", At: 1000, Plan: p, Started: core.Started{Sequence: 7, Trigger: "MANUAL", URL: "http://slipway/run/R1",
		By: core.Actor{ID: "u1", Name: "Ann", Email: "ann@example.com"}}})
	in := "pipeline.stages.b.spec.execution.steps.outer.steps.inner"
	t := &Track{ID: b.Track, Status: core.Running, Started: 2000, Nodes: map[string]*Node{
		"pipeline.stages.b.spec.execution.steps.outer": {Status: core.Running, Started: 2100, Attempt: 1},
		in:              {Status: core.Running, Started: 2200, Attempt: 1},
		in + ".steps.x": {Status: core.Running, Started: 2300, Attempt: 3},
		in + ".steps.y": {Status: core.Failed, Started: 2400, Ended: 2500, Attempt: 1, Outputs: map[string]any{
			"outputVariables": map[string]any{"v": "<+not.read>", "s": map[string]any{core.SecretKey: "R1/y/s"}}}},
	}}
	facts := map[string]core.Fact{
		NodeRef("pipeline"):          {Found: true, Status: core.Running, Started: 1000, Attempt: 1},
		NodeRef("pipeline.stages.a"): {Found: true, Status: core.Succeeded, Started: 1100, Ended: 1900, Attempt: 1},
		NodeRef("pipeline.stages.a.spec.execution.steps.one"): {Found: true, Status: core.Succeeded, Started: 1200, Ended: 1300, Attempt: 1,
			Outputs: map[string]any{"outputVariables": map[string]any{"v": "from a"}}},
		ExportRef("pipeline", "shared"): {Found: true, Outputs: map[string]any{"k": "exported"}},
	}
	ev := &core.Event{At: 1750938900790}
	w := &walk{run: run, t: t, root: b, ev: ev, facts: facts}
	return &scope{w: w, n: run.Node(in + ".steps.x"), secrets: map[string]bool{}}
}

// TestContexts is the golden table of BEHAVIOUR §13.6: every name, with its value
// here or what is missing.
func TestContexts(t *testing.T) {
	data, err := os.ReadFile("testdata/contexts.txt")
	if err != nil {
		t.Fatal(err)
	}
	contexts(t, string(data), 140, standing)
}

// TestPage runs the examples of the reference that stand in a run.
func TestPage(t *testing.T) {
	data, err := os.ReadFile("../../docs/reference/expressions.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(data), "```run\n")
	block, _, _ = strings.Cut(block, "```")
	contexts(t, block, 30, standing)
}

func contexts(t *testing.T, table string, least int, standing func() *scope) {
	ran := 0
	for i, line := range strings.Split(table, "\n") {
		text, want, ok := strings.Cut(line, " => ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		ran++
		t.Run(fmt.Sprintf("line %d", i+1), func(t *testing.T) {
			v, err := expr.Render("<+"+text+">", standing())
			if words, ok := strings.CutPrefix(want, "! "); ok {
				if err == nil || !strings.Contains(err.Error(), words) {
					t.Fatalf("%s = %v, %v; want an error with %q", text, v, err, words)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			got, err := expr.RenderString("<+"+text+">", standing())
			if err != nil || got != want {
				t.Errorf("%s\n got %s, %v\nwant %s", text, got, err, want)
			}
		})
	}
	if ran < least {
		t.Errorf("the table has %d rows only", ran)
	}
}

// A condition on what nobody supplies is false; on what is not supported it is an
// error, since it would be false for the wrong reason.
func TestConditionOnMissingContexts(t *testing.T) {
	tests := map[string]struct {
		condition string
		want      bool
		fails     bool
	}{
		"trigger of a run without one": {`<+trigger.payload.ref> == "main"`, false, false},
		"unknown":                      {`<+nobody.x> == "main"`, false, false},
		"artifact of no deployment":    {`<+artifact.tag> == "1"`, false, false},
		"artifact of the last one":     {`<+rollbackArtifact.tag> == "1"`, false, true},
		"project's description":        {`<+project.description> == "1"`, false, true},
		"node of the run":              {`<+stage.currentStatus> == "FAILED"`, true, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := expr.Condition(tc.condition, standing())
			if got != tc.want || (err != nil) != tc.fails {
				t.Errorf("%s = %v, %v", tc.condition, got, err)
			}
		})
	}
}

func TestTriggeredRunsSayThatTriggersAreNotSupported(t *testing.T) {
	s := standing()
	s.w.run.Launch.Started.Trigger = "WEBHOOK"
	if v, err := expr.Render("<+trigger.payload.ref>", s); err == nil || !strings.Contains(err.Error(), "not supported yet") {
		t.Errorf("%v, %v", v, err)
	}
}

// What a spec names in other tracks is asked for at once.
func TestNeedsAreAskedForTogether(t *testing.T) {
	s := standing()
	s.w.facts = nil
	s.n.Spec = map[string]any{"script": "<+pipeline.stages.a.spec.execution.steps.one.output.outputVariables.v> <+stages.a.status>",
		"more": []any{"<+pipeline.stages.a.spec.execution.steps.two.status> <+stage.status> <+nobody.x>"}}
	_, err := expr.Render(s.n.Spec["script"].(string), s)
	need, ok := errors.AsType[*Need](err)
	if !ok {
		t.Fatalf("error = %v", err)
	}
	want := []string{"node:pipeline.stages.a", "node:pipeline.stages.a.spec.execution.steps.one", "node:pipeline.stages.a.spec.execution.steps.two"}
	if diff := cmp.Diff(want, need.Refs); diff != "" {
		t.Error(diff)
	}
	_, err = expr.Render("<+pipeline.currentStatus>", standing())
	if err != nil {
		t.Error(err)
	}
}

func TestSecretsAreRemembered(t *testing.T) {
	s := standing()
	got, err := expr.RenderString(`<+secrets.getValue("org.k")> <+ngSecretManager.obtain("m", 5)> <+stage.variables.token>`, s)
	want := `${ngSecretManager.obtain("org.k")} ${ngSecretManager.obtain("m")} ${ngSecretManager.obtain("account.t")}`
	if err != nil || got != want {
		t.Fatalf("%s, %v", got, err)
	}
	var refs []string
	for r := range s.secrets {
		refs = append(refs, r)
	}
	slices.Sort(refs)
	if diff := cmp.Diff([]string{"account.t", "m", "org.k"}, refs); diff != "" {
		t.Error(diff)
	}
}
