package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// TestFailure ends a run at its first failed step.
func TestFailure(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	r := in.run(oneStage(shellStep("x", "echo before; exit 3", ""), shellStep("y", "echo never", "")), nil)
	if r.Status != "Failed" || status(r, "x") != "Failed" || status(r, "y") != "NotStarted" {
		t.Fatal(show(r))
	}
	if f := node(r, "x").Failure; f == nil || !strings.Contains(f.Message, "3") {
		t.Errorf("the failure does not tell the exit status: %+v", f)
	}
	if got := in.logs(r)["x"]; !strings.HasPrefix(got, "before\n") {
		t.Errorf("the log is %q", got)
	}
}

func node(r view.Run, id string) view.Node {
	for _, n := range r.Nodes {
		if n.Identifier == id {
			return n
		}
	}
	return view.Node{}
}

func status(r view.Run, id string) string { return node(r, id).Status }

// pidFile makes a script that says its process group and sleeps on, with a child.
func pidFile(path string) string { return fmt.Sprintf("echo $$ > %s; sleep 300 & wait", path) }

// TestStepTimeout kills the whole process group of a step that takes too long.
func TestStepTimeout(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true, KillGrace: 100 * time.Millisecond})
	pid := filepath.Join(t.TempDir(), "pid")
	r := in.run(oneStage(shellStep("x", pidFile(pid), ", timeout: 10s")), nil)
	if r.Status != "Expired" || node(r, "x").Failure.Types[0] != "TIMEOUT_FAILURE" {
		t.Fatal(show(r))
	}
	gone(t, pid)
}

// TestAbort ends a run at once: the step's processes, an approval beside it, the
// run itself.
func TestAbort(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true, KillGrace: 100 * time.Millisecond})
	pid := filepath.Join(t.TempDir(), "pid")
	ask := `step: {name: ask, identifier: ask, type: HarnessApproval, timeout: 1d, spec: {approvalMessage: ok?, includePipelineExecutionHistory: true, approvers: {userGroups: [approvers], minimumCount: 1, disallowPipelineExecutor: false}}}`
	run := in.launch(oneStage("parallel:\n                  - "+shellStep("x", pidFile(pid), "")+"\n                  - "+ask), nil)
	in.until(run, func(r view.Run) bool {
		_, err := os.Stat(pid)
		return err == nil && len(r.Approvals) == 1
	})
	if _, err := in.admin.Abort(t.Context(), run, "enough"); err != nil {
		t.Fatal(err)
	}
	r := in.until(run, ended)
	if r.Status != "Aborted" || status(r, "x") != "Aborted" || status(r, "ask") != "Aborted" {
		t.Fatal(show(r))
	}
	gone(t, pid)
	if err := in.alice.Decide(t.Context(), r.Approvals[0].ID, client.Decision{Action: client.Approve}); err == nil {
		t.Error("an aborted approval was taken")
	}
}

// gone waits until the process that wrote its id into the file has ended.
func gone(t *testing.T, pidFile string) {
	t.Helper()
	body, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if !alive(strings.TrimSpace(string(body))) {
			return
		}
		wait(5 * time.Millisecond)
	}
	t.Errorf("process %s is still there", body)
}

// TestApprovers asks two people and takes nobody twice and nobody else.
func TestApprovers(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	ask := `step: {name: ask, identifier: ask, type: HarnessApproval, timeout: 1d, spec: {approvalMessage: ok?, includePipelineExecutionHistory: true, approvers: {userGroups: [approvers], minimumCount: 2, disallowPipelineExecutor: true}}}`
	run := in.launch(oneStage(ask, shellStep("x", "echo by <+execution.steps.ask.output.approvalActivities[1].user.name>", "")), nil)
	r := in.until(run, func(r view.Run) bool { return len(r.Approvals) == 1 })
	id := r.Approvals[0].ID
	as := func(user string) error {
		c, err := client.New(in.URL(), in.AdminToken(), user)
		if err != nil {
			t.Fatal(err)
		}
		return c.Decide(t.Context(), id, client.Decision{Action: client.Approve})
	}
	for _, who := range []struct {
		user string
		ok   bool
	}{{"admin", false}, {"carol", false}, {"alice", true}, {"alice", false}, {"bob", true}} {
		if err := as(who.user); (err == nil) != who.ok {
			t.Errorf("%s: %v", who.user, err)
		}
	}
	if r = in.until(run, ended); r.Status != "Success" || in.logs(r)["x"] != "by Bob\n" {
		t.Fatal(show(r), in.logs(r))
	}
}

// TestSecrets gives secrets to scripts without showing them anywhere.
func TestSecrets(t *testing.T) {
	const value = "s3cr3t-v4lue"
	in := startInside(t, platform.Config{Delegate: true})
	if err := in.Ports().Secrets.Put(t.Context(), core.SecretName(core.Scope{Account: acct, Org: core.DefaultOrg, Project: core.DefaultProject}, "token"), []byte(value)); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	r := in.run(oneStage(
		`step: {name: x, identifier: x, type: ShellScript, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: 'echo "in the log: <+secrets.getValue("token")>"; made=$(printf %s-made "<+secrets.getValue("token")>"); echo "made: $made"'}}, outputVariables: [{name: made, type: Secret, value: made}]}}`,
		shellStep("y", "printf %s '<+execution.steps.x.output.outputVariables.made>' > "+out+"; echo '<+execution.steps.x.output.outputVariables.made>'", "")), nil)
	if r.Status != "Success" {
		t.Fatal(show(r))
	}
	if got, _ := os.ReadFile(out); string(got) != value+"-made" {
		t.Errorf("the second script got %q", got)
	}
	for step, log := range in.logs(r) {
		if strings.Contains(log, value) || !strings.Contains(log, "**************") {
			t.Errorf("the log of %s is %q", step, log)
		}
	}
	holdsNot(t, in.Dir(), value)
	if text := fmt.Sprint(r); strings.Contains(text, value) {
		t.Error("the run shows the secret")
	}
}

// holdsNot fails when a file below the folder holds the text.
func holdsNot(t *testing.T, dir, text string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var body []byte
			body, err = os.ReadFile(path)
			if strings.Contains(string(body), text) {
				t.Errorf("%s holds the secret", path)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the delegate is tidying up behind the step
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestUnknownSecret fails the step that wants it, in words.
func TestUnknownSecret(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	r := in.run(oneStage(shellStep("x", `echo <+secrets.getValue("nobody")>`, "")), nil)
	if f := node(r, "x").Failure; r.Status != "Failed" || f == nil || !strings.Contains(f.Message, `"nobody"`) {
		t.Fatal(show(r))
	}
}

// TestLiveTail sees a line while the step still runs; how soon it comes is logged.
func TestLiveTail(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	dir := t.TempDir()
	written, stop := filepath.Join(dir, "written"), filepath.Join(dir, "stop")
	run := in.launch(oneStage(shellStep("x", fmt.Sprintf("echo one; touch %s; while [ ! -e %s ]; do sleep 0.05; done; echo two", written, stop), "")), nil)
	in.until(run, func(view.Run) bool { _, err := os.Stat(written); return err == nil })
	begin := time.Now()
	r := in.until(run, func(r view.Run) bool { return in.logs(r)["x"] == "one\n" })
	t.Logf("the line took %v", time.Since(begin))
	if r.Ended {
		t.Error("the step had ended: nothing was live")
	}
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r = in.until(run, ended); in.logs(r)["x"] != "one\ntwo\n" {
		t.Errorf("the log is %q", in.logs(r)["x"])
	}
}
