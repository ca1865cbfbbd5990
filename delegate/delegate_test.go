//go:build unix

package delegate_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/delegate"
	"github.com/slipway-cd/slipway/delegate/delegatetest"
	"github.com/slipway-cd/slipway/delegate/httpclient"
	"github.com/slipway-cd/slipway/delegate/redact"
	"github.com/slipway-cd/slipway/shared/wire"
)

func TestMain(m *testing.M) {
	if os.Getenv("DELEGATE_TEST_SERVER") != "" {
		child()
		return
	}
	os.Exit(m.Run())
}

// config is that of a delegate of the server, quick to try again.
func config(t testing.TB, url, dir string) delegate.Config {
	client, err := httpclient.New(url, func() string { return delegatetest.Token }, nil)
	if err != nil {
		t.Fatal(err)
	}
	logger := slog.New(slog.DiscardHandler)
	if testing.Verbose() {
		logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return delegate.Config{
		Server: client, WorkDir: dir, Name: "group", Clock: delegatetest.Clock{}, IDs: delegatetest.IDs{},
		Secret: delegatetest.Token, Grace: 300 * time.Millisecond, Logger: logger,
		Retry: delegate.Backoff{First: 5 * time.Millisecond, Max: 20 * time.Millisecond},
	}
}

// start runs a delegate until the test ends or stop is called.
func start(t testing.TB, cfg delegate.Config) (stop func()) {
	t.Helper()
	d, err := delegate.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func TestRunsTasks(t *testing.T) {
	s := delegatetest.New(t)
	s.Add(delegatetest.Script("t1", "echo hello; echo oops >&2; v=1", delegatetest.Variable{Name: "v", Type: "String"}))
	start(t, config(t, s.URL, t.TempDir()))
	got := s.Completion("t1")
	want := wire.Outcome{OK: true, Outputs: map[string]any{"outputVariables": map[string]any{"v": "1"}, "exitCode": 0.0}}
	got.Outcome.DurationMS = 0
	if diff := cmp.Diff(want, got.Outcome); diff != "" {
		t.Error(diff)
	}
	lines := s.Lines("t1")
	slices.Sort(lines)
	if diff := cmp.Diff([]string{"ERROR oops", "INFO hello"}, lines); diff != "" {
		t.Error(diff)
	}
}

func TestNextTaskNeedsNoPoll(t *testing.T) {
	s := delegatetest.New(t)
	s.Interval(time.Hour.Milliseconds())
	s.Add(delegatetest.Script("t1", "echo its log comes with it"))
	s.Then("t1", delegatetest.Script("t2", "echo too"))
	s.Then("t2", delegatetest.Script("t3", "echo too"))
	start(t, config(t, s.URL, t.TempDir()))
	s.Completion("t3")
	want := []string{wire.RouteSync, wire.RouteComplete, wire.RouteComplete, wire.RouteComplete}
	if diff := cmp.Diff(want, s.Calls()); diff != "" {
		t.Error(diff)
	}
}

func TestCapacity(t *testing.T) {
	s := delegatetest.New(t)
	dir := t.TempDir()
	for i := range 5 {
		s.Add(delegatetest.Script(fmt.Sprint("t", i), "until [ -e "+dir+"/go ]; do sleep 0.02; done"))
	}
	cfg := config(t, s.URL, t.TempDir())
	cfg.Capacity = 2
	start(t, cfg)
	s.AwaitSync("a full delegate", func(r wire.SyncRequest) bool { return len(r.Holding) == 2 })
	if err := os.WriteFile(dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		s.Completion(fmt.Sprint("t", i))
	}
	for _, sync := range s.Syncs() {
		if len(sync.Holding)+sync.Free != 2 {
			t.Errorf("free %d, holding %d of 2", sync.Free, len(sync.Holding))
		}
	}
}

func TestSameTaskTwice(t *testing.T) {
	s := delegatetest.New(t)
	out := t.TempDir() + "/runs"
	task := delegatetest.Script("t1", "echo ran >>"+out+"; sleep 0.3")
	s.Add(task, task, task)
	start(t, config(t, s.URL, t.TempDir()))
	s.Completion("t1")
	s.Add(delegatetest.Script("t2", "true"), task)
	s.Completion("t2")
	if b, _ := os.ReadFile(out); string(b) != "ran\n" {
		t.Errorf("the task ran more than once: %q", b)
	}
}

func TestHigherFenceReplaces(t *testing.T) {
	s := delegatetest.New(t)
	dir := t.TempDir()
	task := delegatetest.Script("t1", "trap 'sleep 0.2; echo ended >>"+dir+"/old; exit' TERM; echo up; while :; do sleep 0.02; done")
	s.Add(task)
	cfg := config(t, s.URL, t.TempDir())
	cfg.Grace = 20 * time.Second
	start(t, cfg)
	s.AwaitLine("t1", "up")
	again := delegatetest.Script("t1", "cat "+dir+"/old; echo fence=$SLIPWAY_FENCE")
	again.Fence = 7
	s.Add(again)
	if got := s.Completion("t1"); got.Task.Fence != 7 || !got.Outcome.OK {
		t.Errorf("completion = %+v", got)
	}
	if b, _ := os.ReadFile(dir + "/old"); string(b) != "ended\n" {
		t.Errorf("the older dispatch did not end first: %q", b)
	}
}

func TestCancelEndsProcesses(t *testing.T) {
	s := delegatetest.New(t)
	dir := t.TempDir()
	task := delegatetest.Script("t1", "sh -c 'sleep 61 & echo $! >"+dir+"/pid; wait' & wait")
	s.Add(task)
	work := t.TempDir()
	start(t, config(t, s.URL, work))
	pid := awaitPID(t, dir+"/pid")
	s.Cancel(task.TaskRef)
	awaitGone(t, pid)
	s.AwaitIdle()
	if got := s.Completions(); len(got) != 0 {
		t.Errorf("a canceled task was completed: %+v", got)
	}
	if left := taskFolders(t, work); len(left) != 0 {
		t.Errorf("left on disk: %v", left)
	}
}

func TestTimeout(t *testing.T) {
	s := delegatetest.New(t)
	dir := t.TempDir()
	task := delegatetest.Script("t1", "trap '' TERM; (trap '' TERM; sleep 62) & echo $! >"+dir+"/pid; echo begun; wait")
	task.TimeoutMS = 300
	s.Add(task)
	start(t, config(t, s.URL, t.TempDir()))
	got := s.Completion("t1").Outcome
	if got.OK || got.Failure.Types[0] != "TIMEOUT_FAILURE" || !strings.Contains(got.Failure.Message, "300ms") {
		t.Errorf("outcome = %+v", got)
	}
	awaitGone(t, awaitPID(t, dir+"/pid"))
}

func TestCompleteIsRetried(t *testing.T) {
	s := delegatetest.New(t)
	s.Fail(wire.RouteComplete, 5)
	s.Fail(wire.RouteSync, 2)
	s.Add(delegatetest.Script("t1", "true"))
	work := t.TempDir()
	start(t, config(t, s.URL, work))
	s.Completion("t1")
	s.AwaitIdle()
	if left := taskFolders(t, work); len(left) != 0 {
		t.Errorf("left on disk: %v", left)
	}
}

func TestStaleIsDropped(t *testing.T) {
	s := delegatetest.New(t)
	s.Stale("t1")
	s.Add(delegatetest.Script("t1", "true"), delegatetest.Script("t2", "true"))
	work := t.TempDir()
	start(t, config(t, s.URL, work))
	s.Completion("t1")
	s.Completion("t2")
	s.AwaitIdle()
	if n := len(s.Completions()); n != 2 {
		t.Errorf("%d completions, want 2", n)
	}
	if left := taskFolders(t, work); len(left) != 0 {
		t.Errorf("left on disk: %v", left)
	}
}

func TestLiveLogIsMasked(t *testing.T) {
	s := delegatetest.New(t)
	task := delegatetest.Script("t1", `x='${ngSecretManager.obtain("pw")}'; printf 'pw %s' "${x:0:3}"; sleep 0.1; echo "${x:3}"; echo next; echo "$x" | base64 >&2
read -r _ < <(sleep 63)`, delegatetest.Variable{Name: "x", Type: "String"})
	task.Secrets = map[string]string{"pw": "hunter2!"}
	s.Add(task)
	stop := start(t, config(t, s.URL, t.TempDir()))
	s.AwaitLine("t1", "next")
	s.AwaitLine("t1", redact.Mask)
	stop()
	for _, line := range s.Lines("t1") {
		if strings.Contains(line, "hun") || strings.Contains(line, "er2") || strings.Contains(line, "aHVudGVyMi") {
			t.Errorf("a secret is in the log: %s", line)
		}
	}
}

func TestOutcomeIsMasked(t *testing.T) {
	s := delegatetest.New(t)
	task := delegatetest.Script("t1", `a="see ${ngSecretManager.obtain("pw", "x")}"; b=token-9; c="b is $b"`,
		delegatetest.Variable{Name: "a", Type: "String"}, delegatetest.Variable{Name: "b", Type: "Secret"}, delegatetest.Variable{Name: "c", Type: "String"})
	task.Secrets = map[string]string{"pw": "hunter2!"}
	s.Add(task)
	start(t, config(t, s.URL, t.TempDir()))
	got := s.Completion("t1").Outcome
	want := map[string]any{"a": "see " + redact.Mask, "c": "b is " + redact.Mask}
	if diff := cmp.Diff(want, got.Outputs["outputVariables"]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"b": "token-9"}, got.Secret); diff != "" {
		t.Error(diff)
	}
}

func TestBurstKeepsItsOrder(t *testing.T) {
	s := delegatetest.New(t)
	s.Fail(wire.RouteLogs, 3)
	s.Add(delegatetest.Script("t1", `for i in $(seq 1 200); do echo "line $i $(printf '%01000d' 0)"; done`))
	start(t, config(t, s.URL, t.TempDir()))
	s.Completion("t1")
	lines := s.Lines("t1")
	if len(lines) != 200 {
		t.Fatalf("%d lines, want 200", len(lines))
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, fmt.Sprintf("INFO line %d ", i+1)) {
			t.Fatalf("line %d is %.20q", i+1, line)
		}
	}
}

func TestLongLineIsCut(t *testing.T) {
	s := delegatetest.New(t)
	s.Add(delegatetest.Script("long", `head -c 40000 /dev/zero | tr '\0' x; echo; echo after`))
	start(t, config(t, s.URL, t.TempDir()))
	s.Completion("long")
	long := s.Lines("long")
	if len(long) != 2 || len(long[0]) != len("INFO ")+wire.MaxLogLineBytes || !strings.HasSuffix(long[0], "... line cut at 25 KB") || long[1] != "INFO after" {
		t.Errorf("%d lines, the first of %d bytes", len(long), len(long[0]))
	}
}

func TestUnknownType(t *testing.T) {
	s := delegatetest.New(t)
	s.Add(delegatetest.Task("t1", "Terraform", map[string]any{}))
	start(t, config(t, s.URL, t.TempDir()))
	if got := s.Completion("t1").Outcome; got.OK || !strings.Contains(got.Failure.Message, "Terraform") {
		t.Errorf("outcome = %+v", got)
	}
}

func TestWakeSyncsAtOnce(t *testing.T) {
	s := delegatetest.New(t)
	s.Interval(time.Hour.Milliseconds())
	wake := make(chan struct{})
	cfg := config(t, s.URL, t.TempDir())
	cfg.Wake = wake
	start(t, cfg)
	s.AwaitSyncs(1)
	s.Add(delegatetest.Script("t1", "true"))
	wake <- struct{}{}
	s.Completion("t1")
}

func TestWorkFolderIsTaken(t *testing.T) {
	s := delegatetest.New(t)
	dir := t.TempDir()
	start(t, config(t, s.URL, dir))
	s.AwaitSyncs(1)
	d, err := delegate.New(config(t, s.URL, dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "in use by another delegate") {
		t.Errorf("Run = %v", err)
	}
}

func TestIdentityStays(t *testing.T) {
	s := delegatetest.New(t)
	dir := t.TempDir()
	boot := ""
	for range 2 {
		stop := start(t, config(t, s.URL, dir))
		s.AwaitSync("a new boot", func(r wire.SyncRequest) bool { return r.Delegate.Boot != boot })
		boot = s.Syncs()[0].Delegate.Boot
		stop()
	}
	syncs := s.Syncs()
	first, last := syncs[0].Delegate, syncs[len(syncs)-1].Delegate
	if first.ID == "" || first.ID != last.ID || first.Boot == last.Boot {
		t.Errorf("identities %+v and %+v", first, last)
	}
}

func TestDrain(t *testing.T) {
	tests := map[string]struct {
		grace   time.Duration
		wantOK  bool
		failure string
	}{
		"tasks end":      {time.Minute, true, ""},
		"grace is over":  {50 * time.Millisecond, false, "DELEGATE_RESTART"},
		"no grace given": {0, false, "DELEGATE_RESTART"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := delegatetest.New(t)
			dir := t.TempDir()
			s.Add(delegatetest.Script("t1", "echo up; until [ -e "+dir+"/go ]; do sleep 0.02; done"))
			cfg := config(t, s.URL, t.TempDir())
			cfg.DrainGrace = tc.grace
			stop := start(t, cfg)
			s.AwaitLine("t1", "up")
			stopped := make(chan struct{})
			go func() { stop(); close(stopped) }()
			if tc.wantOK {
				s.AwaitSync("a draining delegate", func(r wire.SyncRequest) bool { return r.Free == 0 })
				s.Add(delegatetest.Script("t2", "true"))
				_ = os.WriteFile(dir+"/go", nil, 0o600)
			}
			got := s.Completion("t1").Outcome
			<-stopped
			if got.OK != tc.wantOK || !tc.wantOK && got.Failure.Types[0] != tc.failure {
				t.Errorf("outcome = %+v", got)
			}
			if n := len(s.Completions()); n != 1 {
				t.Errorf("%d completions, want 1", n)
			}
		})
	}
}
