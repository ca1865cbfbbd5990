package aws

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	relay "github.com/slipway-cd/slipway/functions/relay/door"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/delegate/httpclient"
	"github.com/slipway-cd/slipway/e2e/parity"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/view"
	"github.com/slipway-cd/slipway/shared/wire"
)

// each runs a test on every runtime, all at once.
func each(t *testing.T, test func(*testing.T, *world)) {
	for _, w := range worlds(t) {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			test(t, w)
		})
	}
}

// TestManyAtOnce starts twenty runs together; each step runs once.
func TestManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const n = 20
		left := newEffects(t)
		runs := make([]string, n)
		var wg sync.WaitGroup
		for i := range runs {
			wg.Go(func() { runs[i] = w.launch(t, w.small(left, strconv.Itoa(i)), "many") })
		}
		wg.Wait()
		for _, run := range runs {
			if r := w.await(t, run, "ends", ended); r.Status != "Success" {
				t.Error(w.name, show(r))
			}
		}
		once(t, left, 3*n)
	})
}

// small is a pipeline of three steps, two of them beside each other.
func (w *world) small(left effects, key string) string {
	return oneStage([]string{
		script("a", left.leave("a"+key), ""),
		parallel(script("b", left.leave("b"+key), ""), script("c", left.leave("c"+key), "")),
	})
}

// once demands that n lines were left, each once.
func once(t *testing.T, left effects, n int) {
	t.Helper()
	count := left.count(t)
	if len(count) != n {
		t.Errorf("%d steps have run, want %d: %v", len(count), n, count)
	}
	for line, times := range count {
		if times != 1 {
			t.Errorf("%s ran %d times", line, times)
		}
	}
}

// TestDelegateKilled kills a delegate with kill -9 in the middle of a step and
// starts it again: it reports the step as interrupted, which is not run twice, and
// the step beside it, which has ended, is not touched.
func TestDelegateKilled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		left, tag := newEffects(t), "victim-"+newID()
		victim, err := w.delegate(tag)
		if err != nil {
			t.Fatal(err)
		}
		run := w.launch(t, oneStage([]string{
			parallel(script("long", left.leave("long")+"sleep 300", tag), script("beside", left.leave("beside"), "")),
			script("after", left.leave("after"), tag),
		}), "killed")
		w.await(t, run, "runs only the long step", func(r view.Run) bool {
			return left.count(t)["long"] == 1 && node(r, "beside").Status == "Success"
		})
		victim.kill()
		again, err := w.delegate(tag)
		if err != nil {
			t.Fatal(err)
		}
		defer again.kill()
		r := w.await(t, run, "ends", ended)
		interrupted(t, w, r)
		if diff := cmp.Diff(map[string]int{"long": 1, "beside": 1}, left.count(t)); diff != "" {
			t.Errorf("%s: %s", w.name, diff)
		}
	})
}

// interrupted demands that the run has failed because its delegate restarted.
func interrupted(t *testing.T, w *world, r view.Run) {
	t.Helper()
	f := node(r, "long").Failure
	if r.Status != "Failed" || f == nil || !slices.Contains(f.Types, "DELEGATE_RESTART") || node(r, "beside").Status != "Success" {
		t.Errorf("%s: %s", w.name, show(r))
	}
}

// TestDelegateLost kills a delegate that does not come back. Its machine hears no
// heartbeat for 180 s, and then the step fails as DELEGATE_RESTART.
func TestDelegateLost(t *testing.T) {
	w := deployed(t)
	if w == nil {
		t.Skip("takes three minutes; the embedded suites do it on a fast clock")
	}
	left, tag := newEffects(t), "lost-"+newID()
	victim, err := w.delegate(tag)
	if err != nil {
		t.Fatal(err)
	}
	run := w.launch(t, oneStage([]string{parallel(script("long", left.leave("long")+"sleep 900", tag), script("beside", left.leave("beside"), ""))}), "lost")
	w.await(t, run, "runs only the long step", func(r view.Run) bool {
		return left.count(t)["long"] == 1 && node(r, "beside").Status == "Success"
	})
	victim.kill()
	t.Parallel() // only now: until here it could have taken the steps of others with it
	interrupted(t, w, w.await(t, run, "ends", ended))
	once(t, left, 2)
}

// TestFunctionsKilled kills the processes of functions while they serve: every
// run ends well all the same, and no step runs twice.
func TestFunctionsKilled(t *testing.T) {
	w := deployed(t)
	if w == nil {
		t.Skip("the embedded platform has no functions of their own; the crash suite kills it at every call")
	}
	left := newEffects(t)
	var runs []string
	for i := range 6 {
		runs = append(runs, w.launch(t, w.small(left, strconv.Itoa(i)), "functions"))
	}
	killed := 0
	for _, run := range runs {
		w.await(t, run, "ends", func(r view.Run) bool {
			if !r.Ended && killed < 12 {
				killed += w.killOne([]string{"advance", "delegate", "relay"}[killed%3])
			}
			return r.Ended
		})
	}
	for _, run := range runs {
		if r := w.await(t, run, "ended", ended); r.Status != "Success" {
			t.Error(show(r))
		}
	}
	if once(t, left, 3*len(runs)); killed < 3 {
		t.Errorf("only %d processes were killed: nothing was tested", killed)
	}
	t.Logf("%d processes killed", killed)
}

// killOne kills one process of a function and says how many that was.
func (w *world) killOne(function string) int {
	for _, pid := range w.stack.Processes(function) {
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			return 1
		}
	}
	return 0
}

// TestRedelivery repeats what arrives at least once: a completion, by two at once
// and later, and every record of the run on the table's stream. Nothing changes.
func TestRedelivery(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		tag := "hands-" + newID()
		run := w.launch(t, oneStage([]string{script("x", "true", tag), script("y", "true", tag)}), "again")
		h := w.hands(t, tag)
		first := h.take(t)
		answers := make([]wire.CompleteResponse, 3)
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() { answers[i] = h.complete(t, first.TaskRef) })
		}
		wg.Wait()
		answers[2] = h.complete(t, first.TaskRef)
		for _, a := range answers {
			if a.Stale || a.Next == nil || a.Next.Node == first.Node || a.Next.Fence != answers[0].Next.Fence {
				t.Fatalf("%s: answers %+v", w.name, answers)
			}
		}
		if last := h.complete(t, answers[0].Next.TaskRef); last.Stale || last.Next != nil {
			t.Errorf("%s: the last answer is %+v", w.name, last)
		}
		if late := h.complete(t, first.TaskRef); late.Stale || late.Next != nil {
			t.Errorf("%s: a late repetition is answered %+v", w.name, late)
		}
		w.await(t, run, "ends", ended)
		before := w.record(t, run)
		if err := w.redeliver(t, run); err != nil {
			t.Fatal(w.name, err)
		}
		if diff := parity.Diff(before, w.record(t, run)); diff != "" {
			t.Errorf("%s: redelivery has changed the records:\n%s", w.name, diff)
		}
		if resp, err := h.Sync(t.Context(), wire.SyncRequest{Delegate: h.id, Free: 1}); err != nil || len(resp.Tasks) > 0 {
			t.Errorf("%s: after redelivery there is work: %+v %v", w.name, resp, err)
		}
	})
}

// TestLostOffer: who was to offer a task has died, and the machine was sent back
// before the relay came to it. The relay offers the task all the same.
func TestLostOffer(t *testing.T) {
	w, tag := embedded(t), "offer-"+newID()
	run := w.launch(t, oneStage([]string{script("x", "true", tag)}), "offer")
	var offer *core.QueuedTask
	until(t, "the offer", func() (bool, error) {
		tracks, err := parity.Read(t.Context(), w.ports.Store, core.DefaultAccount, run)
		if e := tracks["0.1"]; len(e) > 0 && len(e[0].Commands) > 0 {
			offer = e[0].Commands[0].Task
		}
		return offer != nil, err
	})
	key := core.QueueKey(core.DefaultAccount, *offer)
	until(t, "the offer's item", func() (bool, error) { _, err := w.ports.Store.Get(t.Context(), key, true); return err == nil, nil })
	if err := w.ports.Store.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	_, err := journal.New(w.ports).Apply(t.Context(), journal.Ref{Account: core.DefaultAccount, Run: run, Track: "0.1"}, core.Event{
		Type: core.EventRecovered, Recovered: &core.Recovered{Segment: 1, Error: "Runtime.ExitError", Eligible: true}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.redeliver(t, run); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ports.Store.Get(t.Context(), key, true); err != nil {
		t.Errorf("the task is not on offer: %v", err)
	}
	if _, err := w.user["admin"].Abort(t.Context(), run, "enough"); err != nil {
		t.Error(err)
	}
}

// redeliver brings all that is pending of a run to the relay once more.
func (w *world) redeliver(t *testing.T, run string) error {
	t.Helper()
	if w.stack != nil {
		n, err := w.stack.Redeliver(t.Context(), core.DefaultAccount, run)
		if err == nil && n == 0 {
			err = errors.New("there was nothing to deliver")
		}
		return err
	}
	var items []core.Item
	page, err := w.ports.Store.Query(t.Context(), core.Query{PK: core.RunKey(core.DefaultAccount, run).PK, SKPrefix: "T#", Strong: true})
	for _, it := range page.Items {
		if it.Pending {
			items = append(items, it)
		}
	}
	if err == nil && len(items) == 0 {
		err = errors.New("there was nothing to deliver")
	}
	return errors.Join(err, relay.New(journal.New(w.ports)).Handle(t.Context(), items))
}

// hands is a delegate played by the test.
type hands struct {
	*httpclient.Client
	id wire.Identity
}

func (w *world) hands(t *testing.T, name string) *hands {
	t.Helper()
	c, err := httpclient.New(w.url, func() string { return w.join }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &hands{c, wire.Identity{ID: newID(), Name: name, Boot: "1", Version: "test"}}
}

func (h *hands) take(t *testing.T) (task wire.Task) {
	t.Helper()
	until(t, "a task", func() (bool, error) {
		resp, err := h.Sync(t.Context(), wire.SyncRequest{Delegate: h.id, Free: 1})
		if err != nil || len(resp.Tasks) == 0 {
			return false, err
		}
		task = resp.Tasks[0]
		return true, nil
	})
	return task
}

func (h *hands) complete(t *testing.T, task wire.TaskRef) wire.CompleteResponse {
	t.Helper()
	resp, err := h.Complete(t.Context(), wire.CompleteRequest{Delegate: h.id.ID, Task: task, Outcome: wire.Outcome{OK: true}, More: true})
	if err != nil {
		t.Error(err)
	}
	return resp
}

// TestAbort ends everything that is open: a step's processes, a question beside
// it, the run; and no step behind them starts.
func TestAbort(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		left := newEffects(t)
		pid := t.TempDir() + "/pid"
		run := w.launch(t, oneStage([]string{
			parallel(script("x", left.leave("x")+fmt.Sprintf("echo $$ > %s; sleep 300 & wait", pid), ""), asks), script("after", left.leave("after"), ""),
		}), "abort")
		r := w.await(t, run, "is under way", func(r view.Run) bool { return left.count(t)["x"] == 1 && len(r.Approvals) == 1 })
		if ok, err := w.user["admin"].Abort(t.Context(), run, "enough"); err != nil || !ok {
			t.Fatal(w.name, ok, err)
		}
		r = w.await(t, r.ID, "ends", ended)
		if r.Status != "Aborted" || node(r, "x").Status != "Aborted" || node(r, "ask").Status != "Aborted" || node(r, "after").Status != "NotStarted" {
			t.Error(w.name, show(r))
		}
		if err := w.user["alice"].Decide(t.Context(), r.Approvals[0].ID, client.Decision{Action: client.Approve}); !fault.Is(err, fault.Gone) {
			t.Errorf("%s: a decision after the abort: %v", w.name, err)
		}
		until(t, w.name+": the processes to end", func() (bool, error) {
			body, err := os.ReadFile(pid)
			id, _ := strconv.Atoi(strings.TrimSpace(string(body)))
			return id > 0 && syscall.Kill(id, 0) != nil, err
		})
		if l := w.record(t, run); !strings.Contains(string(l.Bus[0]), "ABORTED") {
			t.Errorf("%s: on the bus: %s", w.name, l.Bus)
		}
	})
}

// TestIdempotencyKey starts one run however often it is asked for.
func TestIdempotencyKey(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		left, key := newEffects(t), newID()
		runs := make([]string, 6)
		var wg sync.WaitGroup
		ask := func(i int) {
			out, err := w.user["admin"].Launch(t.Context(), client.Launch{YAML: w.small(left, ""), Project: "key", Key: key})
			if runs[i] = out.Run; err != nil {
				t.Error(w.name, err)
			}
		}
		for i := range len(runs) - 1 {
			wg.Go(func() { ask(i) })
		}
		wg.Wait()
		w.await(t, runs[0], "ends", ended)
		ask(len(runs) - 1)
		if same := slices.Compact(runs); len(same) != 1 {
			t.Errorf("%s: one key has started %v", w.name, same)
		}
		once(t, left, 3)
	})
}

// TestTimeouts ends what takes too long: a stage with branches of which one waits
// for people and one works. A step's, an approval's and a Wait's are in the
// generated pipelines; a pipeline's needs schedules, which LocalStack never fires.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		begin := time.Now()
		run := w.launch(t, oneStage([]string{parallel(script("x", "sleep 300", ""), asks)}, "timeout: 10s"), "late")
		r := w.await(t, run, "ends", ended)
		if r.Status != "Expired" || node(r, "x").Status != "Expired" || node(r, "ask").Status != "Expired" {
			t.Error(w.name, show(r))
		}
		if took := time.Since(begin); took < 10*time.Second {
			t.Errorf("%s: it has expired after %v", w.name, took)
		}
	})
}
