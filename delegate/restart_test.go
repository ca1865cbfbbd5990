//go:build unix

package delegate_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/slipway-cd/slipway/delegate"
	"github.com/slipway-cd/slipway/delegate/delegatetest"
	"github.com/slipway-cd/slipway/delegate/httpclient"
	"github.com/slipway-cd/slipway/shared/wire"
)

// child is a delegate in a process of its own, so that it can be killed.
func child() {
	client, err := httpclient.New(os.Getenv("DELEGATE_TEST_SERVER"), func() string { return delegatetest.Token }, nil)
	if err != nil {
		panic(err)
	}
	d, err := delegate.New(delegate.Config{
		Server: client, WorkDir: os.Getenv("DELEGATE_TEST_DIR"), Name: "group", Secret: delegatetest.Token,
		Clock: delegatetest.Clock{}, IDs: delegatetest.IDs{},
	})
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, d.Run(context.Background()))
}

// startChild starts one; the function kills it with SIGKILL.
func startChild(t *testing.T, url, dir string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "DELEGATE_TEST_SERVER="+url, "DELEGATE_TEST_DIR="+dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(kill)
	return kill
}

func TestKilledInTheMiddleOfAStep(t *testing.T) {
	s := delegatetest.New(t)
	dir, work := t.TempDir(), t.TempDir()
	s.Add(delegatetest.Script("t1", `trap '' PIPE; (trap '' TERM; sleep 64) & echo $! >`+dir+`/pid
for i in 1 2 3; do echo "line $i"; done; wait`))
	kill := startChild(t, s.URL, work)
	pid := awaitPID(t, dir+"/pid")
	await(t, "line 3 in the journal", func() bool { return strings.Contains(journalLog(work), "line 3") })
	kill()
	if syscall.Kill(pid, 0) != nil {
		t.Fatal("the step did not survive its delegate, so there is nothing to test")
	}
	before := len(s.Syncs())
	start(t, config(t, s.URL, work))
	got := s.Completion("t1").Outcome
	if got.OK || got.Failure.Types[0] != "DELEGATE_RESTART" || !strings.Contains(got.Failure.Message, "its processes were ended") {
		t.Errorf("outcome = %+v", got)
	}
	awaitGone(t, pid)
	s.AwaitIdle()
	if first := s.Syncs()[before]; len(first.Holding) != 1 {
		t.Errorf("the first sync after the restart holds %v", first.Holding)
	}
	if n := len(s.Completions()); n != 1 {
		t.Errorf("%d completions, want 1", n)
	}
	if lines := s.Lines("t1"); !slices.Equal(lines, []string{"INFO line 1", "INFO line 2", "INFO line 3"}) {
		t.Errorf("lines = %q", lines)
	}
	if left := taskFolders(t, work); len(left) != 0 {
		t.Errorf("left on disk: %v", left)
	}
}

func TestProcessesAreGoneBeforeTheFirstSync(t *testing.T) {
	s := delegatetest.New(t)
	dir, work := t.TempDir(), t.TempDir()
	// A session of its own, and the leader gone: only the marks tell whose it is.
	s.Add(delegatetest.Script("t1", "setsid sh -c 'echo $$ >"+dir+"/pid; exec sleep 65' & wait"))
	kill := startChild(t, s.URL, work)
	pid := awaitPID(t, dir+"/pid")
	kill()
	before := len(s.Syncs())
	start(t, config(t, s.URL, work))
	s.AwaitSyncs(before + 1)
	if syscall.Kill(pid, 0) == nil && !zombie(pid) {
		t.Error("the orphan lives on after the first sync")
	}
}

func TestKilledBeforeTheCompletionWasAcknowledged(t *testing.T) {
	s := delegatetest.New(t)
	dir, work := t.TempDir(), t.TempDir()
	s.Fail(wire.RouteComplete, 1_000_000)
	s.Add(delegatetest.Script("t1", "echo ran >>"+dir+"/runs; echo done; v=s3cret-out", delegatetest.Variable{Name: "v", Type: "Secret"}))
	kill := startChild(t, s.URL, work)
	s.AwaitCall(wire.RouteComplete)
	kill()
	_ = filepath.WalkDir(work, func(path string, _ os.DirEntry, _ error) error {
		if b, _ := os.ReadFile(path); strings.Contains(string(b), "s3cret-out") {
			t.Errorf("%s holds a secret output in clear", path)
		}
		return nil
	})
	s.Fail(wire.RouteComplete, 0)
	start(t, config(t, s.URL, work))
	got := s.Completion("t1")
	if !got.Outcome.OK || got.Outcome.Secret["v"] != "s3cret-out" {
		t.Errorf("completion = %+v", got)
	}
	s.AwaitIdle()
	if b, _ := os.ReadFile(dir + "/runs"); string(b) != "ran\n" {
		t.Errorf("the step ran more than once: %q", b)
	}
	if lines := s.Lines("t1"); !slices.Equal(lines, []string{"INFO done"}) {
		t.Errorf("lines = %q", lines)
	}
}

func TestRestartWithAnotherToken(t *testing.T) {
	s := delegatetest.New(t)
	work := t.TempDir()
	s.Fail(wire.RouteComplete, 1_000_000)
	s.Add(delegatetest.Script("t1", "v=s3cret-out", delegatetest.Variable{Name: "v", Type: "Secret"}))
	kill := startChild(t, s.URL, work)
	s.AwaitCall(wire.RouteComplete)
	kill()
	s.Fail(wire.RouteComplete, 0)
	cfg := config(t, s.URL, work)
	cfg.Secret = "another"
	start(t, cfg)
	if got := s.Completion("t1").Outcome; got.OK || got.Failure.Types[0] != "DELEGATE_RESTART" {
		t.Errorf("outcome = %+v", got)
	}
}

func TestTaskThatHadNotBegunIsForgotten(t *testing.T) {
	s := delegatetest.New(t)
	work := t.TempDir()
	if err := os.MkdirAll(filepath.Join(work, "tasks", "t1.1", "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	start(t, config(t, s.URL, work))
	s.AwaitIdle()
	if left := taskFolders(t, work); len(left) != 0 || len(s.Completions()) != 0 {
		t.Errorf("left on disk: %v, completions %v", left, s.Completions())
	}
}

func journalLog(work string) string {
	paths, _ := filepath.Glob(work + "/tasks/*/log")
	if len(paths) == 0 {
		return ""
	}
	b, _ := os.ReadFile(paths[0])
	return string(b)
}
