package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/localstack/embedded/weak"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
)

// deploying is a pipeline that deploys web to dev and then to prod, and writes what it does
// to a file; v is what its steps give.
func deploying(file, v string) string {
	stage := func(id, env string) string {
		return "  - stage:\n      identifier: " + id + "\n      name: " + id + "\n      type: Deployment\n      spec:\n        deploymentType: Kubernetes\n" +
			"        service: {serviceRef: web}\n        environment: {environmentRef: " + env + ", infrastructureDefinitions: [{identifier: one}]}\n" +
			"        execution:\n          steps:\n          - step: {name: put, identifier: put, type: ShellScript, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: \"v=" + v + "-" + id + "; echo $v >> " + file + "\"}}, outputVariables: [{name: v, type: String, value: v}]}}\n" +
			"          rollbackSteps:\n          - " + shellStep("back", "echo <+pipeline.executionMode> <+execution.steps.put.output.outputVariables.v> <+pipeline.stages.first.spec.execution.steps.put.output.outputVariables.v> <+env.identifier> >> "+file, "") + "\n" +
			"      failureStrategies: [{onFailure: {errors: [AllErrors], action: {type: StageRollback}}}]\n"
	}
	return "pipeline:\n  identifier: p\n  name: p\n  stages:\n" + stage("first", "dev") + stage("second", "prod")
}

// TestRollbackOfARun rolls back what the latest run has deployed, once; others are refused.
func TestRollbackOfARun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "effects")
	in := startInside(t, platform.Config{Delegate: true})
	deploy := func(v string) string {
		out, err := in.admin.Launch(t.Context(), client.Launch{YAML: deploying(file, v), File: "p.yaml", Library: []client.File{{File: "d.yaml", YAML: deployDocuments}}})
		if err != nil {
			t.Fatal(err)
		}
		if r := in.until(out.Run, ended); r.Status != "Success" {
			t.Fatal(show(r))
		}
		return out.Run
	}
	refused := func(run, says string, stages ...string) {
		t.Helper()
		if _, err := in.admin.Rollback(t.Context(), run, client.Again{Stages: stages}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	one := deploy("one")
	two := deploy("two")
	refused(one, "is not the latest successful deployment to its infrastructure: that is run "+two)
	refused(two, "has no stage other", "other")
	refused(in.run(oneStage(shellStep("x", "true", "")), nil).ID, "no Deployment stage with rollback steps")
	refused(in.run(oneStage(shellStep("x", "exit 1", "")), nil).ID, "ended as Failed")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	_, tracks, err := in.Journal().Whole(t.Context(), acct, two)
	if err != nil {
		t.Fatal(err)
	}
	_, place := core.LockParts(tracks["0.2"].Held[0].Lock)
	if got := in.harness(t, "/ng/api/rollback/check", place); !strings.Contains(got, `"isRollbackAllowed":true`) {
		t.Error(got)
	}
	if got := in.harness(t, "/ng/api/rollback/check", "nowhere"); !strings.Contains(got, "nothing is known to be deployed to nowhere") {
		t.Error(got)
	}
	out, err := in.admin.Rollback(t.Context(), two, client.Again{Key: "once"})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := in.admin.Rollback(t.Context(), two, client.Again{Key: "once"}); err != nil || again.Run != out.Run {
		t.Errorf("the same key started %s, %v", again.Run, err)
	}
	r := in.until(out.Run, ended)
	if r.Status != "Success" || r.RollbackOf != two {
		t.Error(show(r))
	}
	body, _ := os.ReadFile(file)
	if want := "POST_EXECUTION_ROLLBACK two-second two-first prod\nPOST_EXECUTION_ROLLBACK two-first two-first dev\n"; string(body) != want {
		t.Errorf("it did\n%swant\n%s", body, want)
	}
	in.foldsAgain(t, r)
	refused(two, "has been rolled back, by run "+out.Run)
	refused(out.Run, "is a rollback itself")
	if got := in.harness(t, "/ng/api/rollback/trigger", place); !strings.Contains(got, "has been rolled back") {
		t.Error(got)
	}
	if got := in.harness(t, "/ng/api/rollback/check", place); !strings.Contains(got, `"isRollbackAllowed":false`) {
		t.Error(got)
	}
	three := deploy("three")
	if got := in.harness(t, "/ng/api/rollback/trigger", place); !strings.Contains(got, `"isRollbackTriggered":true`) {
		t.Errorf("run %s: %s", three, got)
	}
	if _, err := in.admin.Rerun(t.Context(), out.Run, client.Again{}); err == nil {
		t.Error("a rollback was run again")
	}
}

// harness asks by Harness's route about what is deployed somewhere.
func (in *inside) harness(t *testing.T, path, place string) string {
	t.Helper()
	body := `{"instanceKey": "i", "infrastructureMappingId": "` + place + `"}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.URL()+path+"?accountIdentifier=default&orgIdentifier=default&projectIdentifier=default", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+in.AdminToken())
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

// TestWeakRollbackOfARun rolls a run back, asked for by several at once, while the adapters
// do all that their contracts allow: each rollback step runs once.
func TestWeakRollbackOfARun(t *testing.T) {
	seed := weak.Seed(t)
	file := filepath.Join(t.TempDir(), "effects")
	in := startInside(t, platform.Config{Delegate: true, Clock: clock.Fast(20, time.Now()),
		Weak: &workflow.Weak{Seed: seed, Duplicate: 0.3, Delay: 2 * time.Second}, Wrap: func(p core.Ports) core.Ports {
			p.Store, p.Bus = weak.Store(p.Store, weak.Usual(seed)), weak.Bus(p.Bus, weak.Usual(seed))
			return p
		}})
	run := ""
	for run == "" {
		if out, err := in.admin.Launch(t.Context(), client.Launch{YAML: deploying(file, "v"), File: "p.yaml", Key: "k", Library: []client.File{{File: "d.yaml", YAML: deployDocuments}}}); err == nil {
			run = out.Run
		}
	}
	if r := in.until(run, ended); r.Status != "Success" {
		t.Fatal(show(r))
	}
	started := make(chan string)
	for k := range 3 {
		go func() {
			for {
				out, err := in.admin.Rollback(t.Context(), run, client.Again{Key: fmt.Sprint("back", k)})
				if err == nil || strings.Contains(err.Error(), "has been rolled back") || t.Context().Err() != nil {
					started <- out.Run
					return
				}
			}
		}()
	}
	back := ""
	for range 3 {
		if id := <-started; id != "" {
			back = id
		}
	}
	if r := in.until(back, ended); r.Status != "Success" {
		t.Error(show(r))
	}
	body, _ := os.ReadFile(file)
	if got := strings.Count(string(body), core.ModePostRollback); got != 2 {
		t.Errorf("%d rollback steps ran:\n%s", got, body)
	}
}
