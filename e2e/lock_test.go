package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

func queueStep(id, key, scope, more string) string {
	return fmt.Sprintf(`step: {name: %[1]s, identifier: %[1]s, type: Queue%[4]s, spec: {key: %[2]q, scope: %[3]s}}`, id, key, scope, more)
}

const askStep = `step: {name: ask, identifier: ask, type: HarnessApproval, timeout: 1d, spec: {approvalMessage: ok?, includePipelineExecutionHistory: false, approvers: {userGroups: [approvers], minimumCount: 1, disallowPipelineExecutor: false}}}`

// stands is how a node of a run stands.
func stands(r view.Run, id string) string {
	for _, n := range r.Nodes {
		if n.Identifier == id {
			return n.Status
		}
	}
	return ""
}

func reaches(id, status string) func(view.Run) bool {
	return func(r view.Run) bool { return stands(r, id) == status }
}

// free waits until nobody holds the lock or waits for it.
func (in *inside) free(kind, key string) {
	in.t.Helper()
	for range 5000 {
		it, err := in.Ports().Store.Get(in.t.Context(), core.LockKey(acct, core.LockName(kind, key)), true)
		if err == nil && !strings.Contains(string(it.Body), `"run"`) {
			return
		}
		wait(2 * time.Millisecond)
	}
	in.t.Fatalf("%s %s is still held", kind, key)
}

// TestQueue lets runs want the same key: they have it one after the other, in the
// order in which they asked, whatever becomes of those before them.
func TestQueue(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	holds := oneStage(queueStep("q", "<+pipeline.name>-db", "Pipeline", ""), askStep)
	first := in.launch(holds, nil)
	in.until(first, reaches("ask", "ApprovalWaiting"))
	var rest []string
	for range 4 {
		run := in.launch(holds, nil)
		rest = append(rest, run)
		if r := in.until(run, reaches("q", "ResourceWaiting")); r.Status != "ResourceWaiting" {
			t.Errorf("a run that waits in line is %s", r.Status)
		}
	}
	in.line(t, first, rest)
	if _, err := in.admin.Abort(t.Context(), rest[1], "not any more"); err != nil { // leaves the line
		t.Fatal(err)
	}
	in.until(rest[1], ended)
	if _, err := in.admin.Abort(t.Context(), first, "enough"); err != nil { // lets go
		t.Fatal(err)
	}
	for _, run := range []string{rest[0], rest[2], rest[3]} {
		in.until(run, reaches("ask", "ApprovalWaiting"))
		for _, other := range rest {
			if r, _ := in.Views().Run(t.Context(), acct, other); other > run && !r.Ended && stands(r, "q") != "ResourceWaiting" {
				t.Errorf("%s is %s while %s has the key", other, stands(r, "q"), run)
			}
		}
		if r := in.finish(run); r.Status != "Success" {
			t.Error(show(r))
		}
		in.foldsAgain(t, in.until(run, ended))
	}
	in.free(core.LockQueue, "test-db")
}

// line checks what people are shown of the key's line.
func (in *inside) line(t *testing.T, first string, rest []string) {
	t.Helper()
	all, err := in.admin.Locks(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%d locks, %v", len(all), err)
	}
	l, err := in.admin.Lock(t.Context(), core.LockQueue, "test-db")
	if err != nil || len(l.Holders) != 1 || l.Holders[0].Run != first || l.Holders[0].Scope != core.ScopePipeline || l.Holders[0].Since == 0 {
		t.Fatalf("%+v, %v", l, err)
	}
	var waiting []string
	for _, w := range l.Waiters {
		waiting = append(waiting, w.Run)
	}
	if !slices.Equal(waiting, rest) {
		t.Errorf("%v wait, want %v", waiting, rest)
	}
	if l, err = in.admin.Lock(t.Context(), core.LockQueue, "nobody's"); err != nil || len(l.Holders)+len(l.Waiters) > 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestQueueTimesOut waits for a key no longer than the step may; its failure strategy
// decides, and the line goes on without it.
func TestQueueTimesOut(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true, Clock: clock.Fast(60, time.Now())})
	first := in.launch(oneStage(queueStep("q", "k", "Stage", ""), askStep), nil)
	in.until(first, reaches("ask", "ApprovalWaiting"))
	impatient := `step: {name: q, identifier: q, type: Queue, timeout: 30s, spec: {key: k, scope: Stage}, failureStrategies: [{onFailure: {errors: [Timeout], action: {type: Ignore}}}]}`
	r := in.until(in.launch(oneStage(impatient, shellStep("x", "true", "")), nil), ended)
	if r.Status != "IgnoreFailed" || stands(r, "x") != "Success" {
		t.Error(show(r))
	}
	if r := in.finish(first); r.Status != "Success" {
		t.Error(show(r))
	}
	in.free(core.LockQueue, "k")
}

// criticalYAML is a run that writes to a file when it enters and leaves what only one
// may be in.
func criticalYAML(file string) string {
	return oneStage(queueStep("q", "door", "Stage", ", timeout: 1d"),
		shellStep("in", "echo in >> "+file, ""), shellStep("out", "echo out >> "+file, ""))
}

// alternates checks that nobody was in while somebody else was.
func alternates(t *testing.T, file string, runs int) {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(body); got != strings.Repeat("in\nout\n", runs) {
		t.Errorf("not one after the other, %d times:\n%s", runs, got)
	}
}

// TestWeakQueue has runs want one key while the adapters do all that their contracts
// allow.
func TestWeakQueue(t *testing.T) {
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "door")
			in := startInside(t, weakly(t))
			const runs = 6
			var started []string
			for k := range runs {
				for len(started) == k { // a call may fail; its key makes it safe to repeat
					out, err := in.admin.Launch(t.Context(), client.Launch{YAML: criticalYAML(file), File: "q.yaml", Key: fmt.Sprint("weak", k)})
					if err == nil {
						started = append(started, out.Run)
					}
				}
			}
			for _, run := range started {
				if r := in.finish(run); r.Status != "Success" {
					t.Error(show(r))
				}
			}
			alternates(t, file, runs)
			in.free(core.LockQueue, "door")
		})
	}
}

// deployCritical is criticalYAML for who deploys: nobody writes a Queue step.
func deployCritical(file string) string {
	return "pipeline:\n  identifier: p\n  name: p\n  stages:\n  - stage:\n      identifier: only\n      name: only\n      type: Deployment\n      spec:\n        deploymentType: Kubernetes\n" +
		"        service: {serviceRef: web}\n        environment: {environmentRef: dev, infrastructureDefinitions: [{identifier: one}]}\n" +
		"        execution:\n          steps:\n          - " + shellStep("in", "echo in >> "+file, "") + "\n          - " + shellStep("out", "echo out >> "+file, "") + "\n" +
		"      failureStrategies: [{onFailure: {errors: [AllErrors], action: {type: StageRollback}}}]\n"
}

// TestInfrastructureLock deploys one service to one place by several runs at once: one
// after the other, with adapters that do all that their contracts allow.
func TestInfrastructureLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "door")
	in := startInside(t, weakly(t))
	const runs = 5
	var started []string
	for k := range runs {
		for len(started) == k { // a call may fail; its key makes it safe to repeat
			out, err := in.admin.Launch(t.Context(), client.Launch{YAML: deployCritical(file), File: "d.yaml", Key: fmt.Sprint("deploy", k),
				Library: []client.File{{File: "w.yaml", YAML: deployDocuments}}})
			if err == nil {
				started = append(started, out.Run)
			}
		}
	}
	key := ""
	for _, run := range started {
		r := in.finish(run)
		if r.Status != "Success" || stands(r, "infrastructure-lock") != "Success" {
			t.Error(show(r))
		}
		for _, n := range r.Nodes {
			if n.Type == "ResourceConstraint" && n.Name != "Infrastructure lock" {
				t.Errorf("%+v", n)
			}
		}
		_, tracks, err := in.Journal().Whole(t.Context(), acct, run)
		if err != nil || len(tracks["0.1"].Held) != 1 {
			t.Fatal(tracks["0.1"], err)
		}
		key = tracks["0.1"].Held[0].Lock
	}
	if !strings.HasPrefix(key, "infra#default/default/") {
		t.Error(key)
	}
	alternates(t, file, runs)
	in.free(core.LockParts(key))
}

func barrierStep(id string) string {
	return fmt.Sprintf(`step: {name: %[1]s, identifier: %[1]s, type: Barrier, spec: {barrierRef: both}}`, id)
}

// meeting is a pipeline of two parallel stages that meet at a barrier.
func meeting(one, other []string) string {
	a, b := oneStage(one...), strings.ReplaceAll(oneStage(other...), ": only", ": other")
	cut := func(s string) string { return strings.ReplaceAll(s[strings.Index(s, "    - stage:"):], "\n", "\n    ") }
	return a[:strings.Index(a, "  stages:")] + "  flowControl: {barriers: [{name: both, identifier: both}]}\n  stages:\n    - parallel:\n    " + strings.TrimRight(cut(a), " ") + "    " + strings.TrimRight(cut(b), " ")
}

// TestBarrier has two stages meet: neither goes on before both are there, and when one
// fails first the other fails at once.
func TestBarrier(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	run := in.launch(meeting([]string{barrierStep("m"), shellStep("x", "true", "")}, []string{askStep, barrierStep("n")}), nil)
	r := in.until(run, func(r view.Run) bool {
		return stands(r, "m") == "AsyncWaiting" && stands(r, "ask") == "ApprovalWaiting"
	})
	if stands(r, "x") != "NotStarted" || r.Status != "Running" {
		t.Error(show(r))
	}
	if r := in.finish(run); r.Status != "Success" || stands(r, "n") != "Success" {
		t.Error(show(r))
	}
	in.foldsAgain(t, r)
	r = in.run(meeting([]string{barrierStep("m"), shellStep("x", "true", "")}, []string{shellStep("no", "exit 1", ""), barrierStep("n")}), nil)
	if r.Status != "Failed" || stands(r, "m") != "Failed" || stands(r, "x") != "NotStarted" {
		t.Error(show(r))
	}
}
