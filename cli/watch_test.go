package cli

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/steps"
	"github.com/slipway-cd/slipway/shared/view"
)

// fake is a platform with one run, which waits for an approval that step decides.
type fake struct {
	mu       sync.Mutex
	run      view.Run
	broken   int // requests still to fail
	requests []string
	posted   func(path string, f *fake) int // status of a POST
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken > 0 {
		f.broken--
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	if r.Method == http.MethodPost {
		f.requests = append(f.requests, r.URL.Path)
		w.WriteHeader(f.posted(r.URL.Path, f))
		_, _ = io.WriteString(w, `{"message":"so says the server"}`)
		return
	}
	_ = json.NewEncoder(w).Encode(f.run)
}

// end ends the run.
func (f *fake) end(status core.Status) int {
	f.run.Status, f.run.Ended, f.run.Finished = status.API(), true, 20
	f.run.Approvals[0].Approval.Status = "DECIDED"
	return http.StatusOK
}

// screens is what a watch shows.
type screens struct{ out, err strings.Builder }

// watched is a watch of a run that waits for an approval.
func watched(t *testing.T) (*watch, *fake, *screens) {
	t.Helper()
	f := &fake{run: view.Run{
		ID: "R", Status: "ApprovalWaiting", Started: 10,
		Nodes: []view.Node{{FQN: "pipeline.stages.a.spec.execution.steps.ok", Kind: core.KindStep, Name: "Sign off", Started: 10, Status: "ApprovalWaiting"}},
		Approvals: []view.Approval{{ID: "R.0.1.x", Run: "R", Node: "pipeline.stages.a.spec.execution.steps.ok", Name: "Sign off",
			Approval: engine.Approval{Status: "WAITING", Spec: steps.Approval{MinimumCount: 1, UserGroups: []string{"g"}}}}},
	}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, "", "")
	if err != nil {
		t.Fatal(err)
	}
	s := &screens{}
	to := target{url: server.URL, args: []string{"--data", "d"}}
	return &watch{client: c, target: to, run: "R", poll: time.Millisecond, printer: &progress{out: &s.out, err: &s.err, target: to}, err: &s.err}, f, s
}

func TestApprovesByItself(t *testing.T) {
	for _, name := range []string{"all", "ok", "Sign off", "pipeline.stages.a.spec.execution.steps.ok"} {
		w, f, s := watched(t)
		f.posted = func(_ string, f *fake) int { return f.end(core.Succeeded) }
		w.approve = []string{"other", name}
		run, err := w.follow(t.Context())
		if err != nil || run.Status != "Success" {
			t.Fatalf("--approve %s: run %s, %v", name, run.Status, err)
		}
		if diff := cmp.Diff([]string{"/pipeline/api/approvals/R.0.1.x/harness/activity"}, f.requests); diff != "" {
			t.Errorf("--approve %s (-want +got):\n%s", name, diff)
		}
		if strings.Contains(s.out.String(), "approve it with") {
			t.Errorf("--approve %s still says how to approve", name)
		}
	}
}

func TestRefusedToApprove(t *testing.T) {
	w, f, s := watched(t)
	w.approve = []string{"all"}
	f.posted = func(string, *fake) int { return http.StatusForbidden }
	signals := make(chan os.Signal, 2)
	w.signals = signals
	signals <- os.Interrupt
	signals <- os.Interrupt
	_, err := w.follow(t.Context())
	if e, ok := errors.AsType[*ended](err); !ok || e.status != exitInterrupted {
		t.Errorf("after two interrupts: %v", err)
	}
	want := []string{"/pipeline/api/approvals/R.0.1.x/harness/activity", "/slipway/v1/runs/R/abort"}
	if diff := cmp.Diff(want, f.requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	for _, text := range []string{"Sign off could not be approved: so says the server", "could not be aborted"} {
		if !strings.Contains(s.err.String(), text) {
			t.Errorf("nothing says %q: %s", text, s.err.String())
		}
	}
	if !strings.Contains(s.out.String(), "slipway approve R.0.1.x --data d") {
		t.Errorf("nothing says how to approve: %s", s.out.String())
	}
}

func TestAsks(t *testing.T) {
	w, f, s := watched(t)
	f.posted = func(_ string, f *fake) int {
		if len(f.requests) == 1 {
			return http.StatusBadRequest // asked once more
		}
		return f.end(core.Succeeded)
	}
	w.terminal, w.in = true, strings.NewReader("a\nfirst\na\nsecond\n")
	run, err := w.follow(t.Context())
	if err != nil || run.Status != "Success" || len(f.requests) != 2 {
		t.Errorf("run %s, %v after %v: %s", run.Status, err, f.requests, s.err.String())
	}
}

func TestQuestionIsDroppedWhenOthersDecide(t *testing.T) {
	w, f, s := watched(t)
	typed, keyboard := io.Pipe()
	defer keyboard.Close()
	w.terminal, w.in = true, typed
	go func() {
		_, _ = keyboard.Write([]byte("nonsense\n")) // once it is read, the question is open
		f.mu.Lock()
		defer f.mu.Unlock()
		f.end(core.Succeeded)
	}()
	run, err := w.follow(t.Context())
	if err != nil || run.Status != "Success" {
		t.Errorf("run %s, %v", run.Status, err)
	}
	if !strings.Contains(s.err.String(), "does not wait any more") {
		t.Errorf("said %q", s.err.String())
	}
}

func TestPatience(t *testing.T) {
	w, f, _ := watched(t)
	f.broken = 5
	f.end(core.Failed)
	if run, err := w.follow(t.Context()); err != nil || run.Status != "Failed" {
		t.Errorf("after a few failures: %s, %v", run.Status, err)
	}
	w, f, s := watched(t)
	w.poll = time.Microsecond
	f.broken = 1000
	if _, err := w.follow(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("after many failures: %v", err)
	}
	if !strings.Contains(s.err.String(), "logs -f R --data d") {
		t.Errorf("nothing says how to go on watching: %s", s.err.String())
	}
}

func TestPlatformFails(t *testing.T) {
	w, f, _ := watched(t)
	failed := make(chan error, 1)
	failed <- errors.New("disk full")
	w.failed, f.posted = failed, func(string, *fake) int { return http.StatusOK }
	if _, err := w.follow(t.Context()); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error = %v", err)
	}
}
