package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
)

// TestRollbackOfAChainedRun rolls back what a run has deployed that a stage has started:
// it reads what it was given then, and the stage hears nothing of it.
func TestRollbackOfAChainedRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "effects")
	in := startInside(t, platform.Config{Delegate: true})
	child := strings.NewReplacer("  identifier: p\n  name: p\n", "  identifier: child\n  name: child\n  variables: [{name: word, type: String, value: <+input>}]\n",
		"echo <+pipeline.executionMode>", "echo <+pipeline.variables.word> <+pipeline.executionMode>").Replace(deploying(file, "one"))
	yaml := stages(aStage("before", "", say("say", "given")), aChain("call",
		"          inputs: {identifier: child, variables: [{name: word, type: String, value: <+pipeline.stages.before.spec.execution.steps.say.output.outputVariables.v>}]}\n"))
	out, err := in.admin.Launch(t.Context(), client.Launch{YAML: yaml, File: "p.yaml", Library: []client.File{{File: "d.yaml", YAML: deployDocuments}, {File: "child.yaml", YAML: child}}})
	if err != nil {
		t.Fatal(err)
	}
	r := in.until(out.Run, ended)
	inner := in.chainsOf(r)[0]
	if r.Status != "Success" || inner.Status != "Success" {
		t.Fatal(show(r), show(inner))
	}
	if _, err := in.admin.Rollback(t.Context(), r.ID, client.Again{}); err == nil || !strings.Contains(err.Error(), "no Deployment stage with rollback steps") {
		t.Errorf("the outer run: %v", err)
	}
	back, err := in.admin.Rollback(t.Context(), inner.ID, client.Again{})
	if err != nil {
		t.Fatal(err)
	}
	if b := in.until(back.Run, ended); b.Status != "Success" || b.Parent != nil {
		t.Error(show(b))
	}
	if got := countLines(t, file); got["given POST_EXECUTION_ROLLBACK one-first one-first dev"] != 1 || got["given POST_EXECUTION_ROLLBACK one-second one-first prod"] != 1 {
		t.Errorf("the effects are %v", got)
	}
	if again := in.until(r.ID, ended); len(in.chainsOf(again)) != 1 || again.Finished != r.Finished {
		t.Error(show(again))
	}
}
