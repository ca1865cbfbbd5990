package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/dispatch"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/view"
	"github.com/slipway-cd/slipway/shared/wire"
)

const acct = core.DefaultAccount

// shellStep is a step with this script, as YAML in flow style.
func shellStep(id, script, more string) string {
	return fmt.Sprintf(`step: {name: %[1]s, identifier: %[1]s, type: ShellScript%[3]s, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: %[2]q}}}}`, id, script, more)
}

// oneStage is a pipeline of one stage with these items as its steps.
func oneStage(items ...string) string {
	var b strings.Builder
	b.WriteString("pipeline:\n  name: test\n  identifier: test\n  stages:\n    - stage:\n        name: only\n        identifier: only\n        type: Custom\n        spec:\n          execution:\n            steps:\n")
	for _, it := range items {
		b.WriteString("              - " + it + "\n")
	}
	return b.String()
}

// hands is a delegate played by the test, talking to a control plane process of
// its own: another journal with another cache over the same store.
type hands struct {
	*dispatch.Dispatch
	id wire.Identity
}

func (in *inside) hands(name string) *hands {
	j := journal.New(in.Ports())
	return &hands{dispatch.New(j, dispatch.LocalPace()), wire.Identity{ID: name, Name: name, Boot: "1", Version: "test"}}
}

func (h *hands) sync(t *testing.T, free int, holding ...wire.TaskRef) wire.SyncResponse {
	t.Helper()
	resp, err := h.Sync(t.Context(), acct, wire.SyncRequest{Delegate: h.id, Free: free, Holding: holding})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// take syncs until there is a task.
func (h *hands) take(t *testing.T) wire.Task {
	t.Helper()
	for range 2000 {
		if resp := h.sync(t, 1); len(resp.Tasks) > 0 {
			return resp.Tasks[0]
		}
		wait(2 * time.Millisecond)
	}
	t.Fatal("no task came")
	return wire.Task{}
}

func (h *hands) complete(t *testing.T, task wire.TaskRef, more bool) wire.CompleteResponse {
	t.Helper()
	resp, err := h.Complete(t.Context(), acct, wire.CompleteRequest{Delegate: h.id.ID, Task: task, Outcome: wire.Outcome{OK: true}, More: more})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// TestClaimRaces lets two delegates, each behind a control plane process of its
// own, claim the same task at once, a thousand times: one wins each, and what the
// loser says afterwards is refused.
func TestClaimRaces(t *testing.T) {
	const branches = 250
	in := startInside(t, platform.Config{})
	var items []string
	for i := range branches {
		items = append(items, "    - "+shellStep(fmt.Sprintf("b%d", i), "true", ""))
	}
	yaml := oneStage("parallel:\n                  " + strings.Join(items, "\n                  "))
	races := 0
	for range rounds {
		run := in.launch(yaml, nil)
		in.until(run, func(r view.Run) bool { return queued(r) == branches })
		races += in.race(run, branches)
		if r := in.until(run, ended); r.Status != "Success" {
			t.Fatal(show(r))
		}
	}
	if races != rounds*branches {
		t.Errorf("%d races, want %d", races, rounds*branches)
	}
}

func queued(r view.Run) int {
	n := 0
	for _, x := range r.Nodes {
		if x.Kind == core.KindStep && x.Task != "" {
			n++
		}
	}
	return n
}

// race claims every branch's task from two sides at once and completes it.
func (in *inside) race(run string, branches int) int {
	in.t.Helper()
	a, b := in.hands("a"), in.hands("b")
	sides := []*journal.Journal{journal.New(in.Ports()), journal.New(in.Ports())}
	races := 0
	for i := 1; i <= branches; i++ {
		ref := journal.Ref{Account: acct, Run: run, Track: fmt.Sprintf("0.1.%d", i)}
		_, tr, err := sides[0].Load(in.t.Context(), ref)
		if err != nil {
			in.t.Fatal(err)
		}
		var wg sync.WaitGroup
		errs := make([]error, 2)
		for k, h := range []*hands{a, b} {
			wg.Go(func() {
				_, errs[k] = sides[k].Apply(in.t.Context(), ref, core.Event{Type: core.EventClaimed,
					Claimed: &core.Claimed{Task: tr.Task.ID, Delegate: core.DelegateRef{ID: h.id.ID, Name: h.id.Name}}})
			})
		}
		wg.Wait()
		winner, loser, lost := a, b, errs[1]
		if errs[0] != nil {
			winner, loser, lost = b, a, errs[0]
		}
		if (errs[0] == nil) == (errs[1] == nil) || !fault.Is(lost, fault.Gone) {
			in.t.Fatalf("branch %d: one must win and the other be told: %v, %v", i, errs[0], errs[1])
		}
		task := wire.TaskRef{Run: run, Track: ref.Track, ID: tr.Task.ID, Fence: tr.N + 1}
		if !loser.complete(in.t, task, false).Stale {
			in.t.Fatalf("branch %d: the loser's completion was taken", i)
		}
		if winner.complete(in.t, task, false).Stale {
			in.t.Fatalf("branch %d: the winner's completion was refused", i)
		}
		races++
	}
	return races
}

// TestCompleteTwice repeats a completion, through another process: the same
// answer, one event.
func TestCompleteTwice(t *testing.T) {
	in := startInside(t, platform.Config{})
	run := in.launch(oneStage(shellStep("x", "true", ""), shellStep("y", "true", "")), nil)
	h := in.hands("a")
	first := h.take(t)
	one := h.complete(t, first.TaskRef, true)
	two := in.hands("a").complete(t, first.TaskRef, true)
	if one.Next == nil || two.Next == nil || one.Next.TaskRef != two.Next.TaskRef || one.Stale || two.Stale {
		t.Fatalf("the answers differ: %+v, %+v", one, two)
	}
	h.complete(t, one.Next.TaskRef, true)
	if again := h.complete(t, first.TaskRef, true); again.Stale || again.Next != nil {
		t.Errorf("the old completion again: %+v", again)
	}
	in.until(run, func(r view.Run) bool { return r.Status == "Success" })
}

// TestLeaseLost takes a task and falls silent: the step fails as DelegateRestart
// once the lease is over, and the late completion and log are refused.
func TestLeaseLost(t *testing.T) {
	in := startInside(t, platform.Config{Clock: clock.Fast(200, time.Now())})
	run := in.launch(oneStage(shellStep("x", "true", "")), nil)
	h := in.hands("a")
	task := h.take(t)
	r := in.until(run, ended)
	if r.Status != "Failed" || r.Failure == nil || r.Failure.Types[0] != "DELEGATE_RESTART" {
		t.Fatal(show(r))
	}
	if !h.complete(t, task.TaskRef, true).Stale {
		t.Error("a completion after the lease was lost must be stale")
	}
	logs, err := h.Logs(t.Context(), acct, wire.LogRequest{Delegate: "a", Task: wire.TaskRef{Run: run, Track: task.Track, ID: task.ID, Fence: task.Fence - 1},
		Chunk: wire.LogChunk{Seq: 1, Lines: []wire.LogLine{{Text: "late"}}}})
	if err != nil || !logs.Cancel {
		t.Errorf("a log under an old fence must be refused: %+v, %v", logs, err)
	}
}

// TestNobody fails a step that no delegate takes within the window.
func TestNobody(t *testing.T) {
	in := startInside(t, platform.Config{Clock: clock.Fast(200, time.Now())})
	run := in.launch(oneStage(shellStep("x", "true", "")), nil)
	r := in.until(run, ended)
	if r.Status != "Failed" || r.Failure == nil || r.Failure.Types[0] != "DELEGATE_PROVISIONING" {
		t.Fatal(show(r))
	}
}

// TestBuiltInYields starts a delegate beside the built-in one: it gets the work.
func TestBuiltInYields(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	h := in.Dispatch()
	me := wire.Identity{ID: "a", Name: "a", Boot: "1", Version: "test"}
	sync := func(holding ...wire.TaskRef) wire.SyncResponse {
		resp, err := h.Sync(t.Context(), acct, wire.SyncRequest{Delegate: me, Free: 1, Holding: holding})
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	sync()
	run := in.launch(oneStage(shellStep("x", "true", "")), nil)
	var task wire.Task
	in.until(run, func(view.Run) bool {
		resp := sync()
		for _, task = range resp.Tasks {
			return true
		}
		return false
	})
	if _, err := h.Complete(t.Context(), acct, wire.CompleteRequest{Delegate: "a", Task: task.TaskRef, Outcome: wire.Outcome{OK: true}}); err != nil {
		t.Fatal(err)
	}
	if r := in.until(run, ended); r.Status != "Success" || node(r, "x").Delegate != "a" {
		t.Fatal(show(r))
	}
}

// TestHandOverLost loses the answer that carried a task: the next sync repeats it.
func TestHandOverLost(t *testing.T) {
	in := startInside(t, platform.Config{})
	in.launch(oneStage(shellStep("x", "true", "")), nil)
	h := in.hands("a")
	task := h.take(t)
	h.id.Boot = "2" // the process died before it could write the task down
	resp := h.sync(t, 1)
	if len(resp.Tasks) != 1 || resp.Tasks[0].TaskRef != task.TaskRef {
		t.Fatalf("got %+v, want %+v again", resp.Tasks, task.TaskRef)
	}
	if resp = h.sync(t, 1, task.TaskRef); len(resp.Tasks) != 0 || len(resp.Cancel) != 0 {
		t.Errorf("once held it must be neither repeated nor cancelled: %+v", resp)
	}
}

// TestLaunchKey starts twenty runs at once with one idempotency key: it is one.
func TestLaunchKey(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	l := client.Launch{YAML: oneStage(shellStep("x", "true", "")), File: "x.yaml", Key: "k"}
	var wg sync.WaitGroup
	runs := make([]string, 20)
	for i := range runs {
		wg.Go(func() {
			out, err := in.admin.Launch(t.Context(), l)
			if err != nil {
				t.Error(err)
			}
			runs[i] = out.Run
		})
	}
	wg.Wait()
	in.until(runs[0], ended)
	list, err := in.admin.Runs(t.Context(), "", "", 0, "")
	if err != nil || len(list.Runs) != 1 {
		t.Errorf("%d runs, %v", len(list.Runs), err)
	}
	for _, r := range runs {
		if r != runs[0] {
			t.Errorf("run %s beside %s", r, runs[0])
		}
	}
}
