package delegate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/delegate/delegatetest"
	"github.com/slipway-cd/slipway/delegate/runner"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/wire"
)

// chain is a server in the same process: each completion hands out the next task,
// until there were n.
type chain struct {
	n, done int
	refuse  error // of the first completion
	last    wire.CompleteRequest
	lines   []wire.LogLine
	ended   chan struct{}
}

func (c *chain) task() *wire.Task {
	return &wire.Task{TaskRef: wire.TaskRef{Run: "r", ID: fmt.Sprint("t", c.done), Fence: 1}, Type: "NoOp", Spec: json.RawMessage("{}"), TimeoutMS: 60_000}
}

func (c *chain) Sync(context.Context, wire.SyncRequest) (wire.SyncResponse, error) {
	return wire.SyncResponse{NextMS: 3_600_000, Tasks: []wire.Task{*c.task()}}, nil
}

func (c *chain) Logs(_ context.Context, req wire.LogRequest) (wire.LogResponse, error) {
	c.lines = append(c.lines, req.Chunk.Lines...)
	return wire.LogResponse{}, nil
}

func (c *chain) Complete(_ context.Context, req wire.CompleteRequest) (wire.CompleteResponse, error) {
	if err := c.refuse; err != nil {
		c.refuse = nil
		return wire.CompleteResponse{}, err
	}
	c.last = req
	c.lines = append(c.lines, req.Log.Lines...)
	if c.done++; c.done == c.n {
		close(c.ended)
		return wire.CompleteResponse{}, nil
	}
	return wire.CompleteResponse{Next: c.task()}, nil
}

// noOp does what it is told, without effects unless it has some.
type noOp struct {
	effects bool
	run     func(*runner.Job) wire.Outcome
}

func (noOp) Type() string    { return "NoOp" }
func (n noOp) Effects() bool { return n.effects }
func (n noOp) Run(_ context.Context, job *runner.Job) wire.Outcome {
	if n.run != nil {
		return n.run(job)
	}
	return wire.Outcome{OK: true}
}

// runChain runs n tasks and returns the server and how many records were forced to disk.
func runChain(t testing.TB, c *chain, r runner.Runner) (synced int32) {
	t.Helper()
	var n atomic.Int32
	d, err := New(Config{
		Server: c, WorkDir: t.TempDir(), Clock: delegatetest.Clock{}, IDs: delegatetest.IDs{}, Runners: []runner.Runner{r},
		Logger: slog.New(slog.DiscardHandler), Retry: Backoff{First: time.Millisecond, Max: time.Millisecond},
		Durability: func(f *os.File) error { n.Add(1); return f.Sync() },
	})
	if err != nil {
		t.Fatal(err)
	}
	c.ended = make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	<-c.ended
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	return n.Load()
}

func TestRecordsForcedToDisk(t *testing.T) {
	const identity = 1 // the delegate's own id, once
	if got := runChain(t, &chain{n: 10}, noOp{}); got != identity {
		t.Errorf("%d records forced for tasks without effects", got-identity)
	}
	if got := runChain(t, &chain{n: 10}, noOp{effects: true}); got != identity+20 {
		t.Errorf("%d records forced for 10 tasks, want 20", got-identity)
	}
}

func TestRunnerThatPanics(t *testing.T) {
	c := &chain{n: 1}
	runChain(t, c, noOp{run: func(*runner.Job) wire.Outcome { panic("oh no") }})
	if o := c.last.Outcome; o.OK || !strings.Contains(o.Failure.Message, "oh no") {
		t.Errorf("outcome = %+v", o)
	}
}

func TestOutputsAreBounded(t *testing.T) {
	c := &chain{n: 1}
	runChain(t, c, noOp{run: func(*runner.Job) wire.Outcome {
		return wire.Outcome{OK: true, Outputs: map[string]any{"x": strings.Repeat("x", wire.MaxOutputBytes)}}
	}})
	if o := c.last.Outcome; o.OK || !strings.Contains(o.Failure.Message, "larger than 1024 KB") || o.Outputs != nil {
		t.Errorf("outcome = %+v", o.Failure)
	}
}

func TestRefusedCompletionBecomesAFailure(t *testing.T) {
	for name, refuse := range map[string]error{
		"invalid":   fault.New(fault.Invalid, "no such thing"),
		"too large": fault.New(fault.TooLarge, "no such thing"),
	} {
		t.Run(name, func(t *testing.T) {
			c := &chain{n: 1, refuse: refuse}
			runChain(t, c, noOp{})
			if o := c.last.Outcome; o.OK || !strings.Contains(o.Failure.Message, "no such thing") {
				t.Errorf("outcome = %+v", o)
			}
		})
	}
	c := &chain{n: 1, refuse: errors.New("a bug, perhaps mended soon")}
	runChain(t, c, noOp{})
	if !c.last.Outcome.OK {
		t.Errorf("outcome = %+v", c.last.Outcome)
	}
}

func TestLogLimit(t *testing.T) {
	c := &chain{n: 1}
	line := strings.Repeat("x", 20_000) + "\n"
	runChain(t, c, noOp{run: func(job *runner.Job) wire.Outcome {
		for range wire.MaxStepLogBytes/len(line) + 10 {
			job.Logf("%s", line[1:])
		}
		return wire.Outcome{OK: true}
	}})
	size, notices := 0, 0
	for _, l := range c.lines {
		size += len(l.Text) + 1
		if l.Text == limitNotice {
			notices++
		}
	}
	if size > wire.MaxStepLogBytes || size < wire.MaxStepLogBytes-2*len(line) || notices != 1 || c.lines[len(c.lines)-1].Text != limitNotice {
		t.Errorf("%d bytes, %d notices", size, notices)
	}
}

// script is a server made of functions; a nil one answers nothing.
type script struct {
	sync     func(wire.SyncRequest) wire.SyncResponse
	complete func(wire.CompleteRequest) wire.CompleteResponse
}

func (s script) Sync(_ context.Context, req wire.SyncRequest) (wire.SyncResponse, error) {
	return s.sync(req), nil
}

func (s script) Complete(ctx context.Context, req wire.CompleteRequest) (wire.CompleteResponse, error) {
	resp := s.complete(req)
	return resp, ctx.Err() // an answer that nobody waits for is lost
}

func (script) Logs(context.Context, wire.LogRequest) (wire.LogResponse, error) {
	return wire.LogResponse{}, nil
}

// runScript runs a delegate of the server until the function returned is called.
func runScript(t *testing.T, s Server, capacity int, run func(context.Context, *runner.Job) wire.Outcome) (stop func()) {
	t.Helper()
	d, err := New(Config{
		Server: s, WorkDir: t.TempDir(), Clock: delegatetest.Clock{}, IDs: delegatetest.IDs{}, Capacity: capacity,
		Runners: []runner.Runner{stoppable(run)}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// stoppable is a runner made of a function.
type stoppable func(context.Context, *runner.Job) wire.Outcome

func (stoppable) Type() string  { return "NoOp" }
func (stoppable) Effects() bool { return false }
func (f stoppable) Run(ctx context.Context, job *runner.Job) wire.Outcome {
	return f(ctx, job)
}

func noOpTask(id string) wire.Task {
	return wire.Task{TaskRef: wire.TaskRef{Run: "r", ID: id, Fence: 1}, Type: "NoOp", Spec: json.RawMessage("{}")}
}

func TestServerThatGivesTooMuch(t *testing.T) {
	var mu sync.Mutex
	left := map[string]wire.Task{"a": noOpTask("a"), "b": noOpTask("b"), "c": noOpTask("c")}
	syncs, running, most, ended := 0, 0, 0, make(chan struct{})
	release := make(chan struct{})
	s := script{
		sync: func(wire.SyncRequest) (resp wire.SyncResponse) {
			mu.Lock()
			defer mu.Unlock()
			if syncs++; syncs == 3 {
				close(release)
			}
			resp.NextMS = 5
			for _, task := range left {
				resp.Tasks = append(resp.Tasks, task)
			}
			return resp
		},
		complete: func(req wire.CompleteRequest) (resp wire.CompleteResponse) {
			mu.Lock()
			defer mu.Unlock()
			if delete(left, req.Task.ID); len(left) == 0 {
				close(ended)
			}
			return resp
		},
	}
	stop := runScript(t, s, 2, func(context.Context, *runner.Job) wire.Outcome {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		<-release
		mu.Lock()
		running--
		mu.Unlock()
		return wire.Outcome{OK: true}
	})
	<-ended
	stop()
	if most != 2 {
		t.Errorf("%d tasks at once, want 2", most)
	}
}

func TestNothingBeginsOnceStopped(t *testing.T) {
	began := make(chan string, 10)
	next := noOpTask("b")
	s := script{
		sync: func(wire.SyncRequest) wire.SyncResponse {
			return wire.SyncResponse{NextMS: 3_600_000, Tasks: []wire.Task{noOpTask("a")}}
		},
		complete: func(req wire.CompleteRequest) wire.CompleteResponse {
			if req.More || req.Outcome.OK || req.Outcome.Failure.Types[0] != runner.Restart {
				t.Errorf("completion = %+v", req)
			}
			return wire.CompleteResponse{Next: &next}
		},
	}
	stop := runScript(t, s, 2, func(ctx context.Context, job *runner.Job) wire.Outcome {
		began <- job.Task.ID
		<-ctx.Done()
		return wire.Outcome{OK: true}
	})
	<-began
	stop()
	if len(began) != 0 {
		t.Errorf("%s began after the stop", <-began)
	}
}

func TestCancelThatCrossesACompletion(t *testing.T) {
	synced, b := make(chan struct{}), noOpTask("b")
	completing, ended := make(chan struct{}), make(chan struct{})
	n := 0
	s := script{
		sync: func(req wire.SyncRequest) wire.SyncResponse {
			switch n++; n {
			case 1:
				return wire.SyncResponse{NextMS: 1, Tasks: []wire.Task{noOpTask("a")}}
			case 2:
				<-completing
				return wire.SyncResponse{NextMS: 1, Cancel: []wire.TaskRef{noOpTask("a").TaskRef}}
			case 3:
				close(synced)
			}
			return wire.SyncResponse{NextMS: 3_600_000}
		},
	}
	s.complete = func(req wire.CompleteRequest) wire.CompleteResponse {
		if req.Task.ID == "b" {
			close(ended)
			return wire.CompleteResponse{}
		}
		close(completing)
		<-synced
		return wire.CompleteResponse{Next: &b}
	}
	stop := runScript(t, s, 2, func(context.Context, *runner.Job) wire.Outcome { return wire.Outcome{OK: true} })
	<-ended
	stop()
}

func TestBackoff(t *testing.T) {
	b := Backoff{First: 100, Max: 1000}
	for failures, want := range map[int]time.Duration{1: 100, 2: 200, 4: 800, 5: 1000, 500: 1000} {
		for range 20 {
			if got := b.Delay(failures); got < want/2 || got > want {
				t.Errorf("Delay(%d) = %d, want %d to %d", failures, got, want/2, want)
			}
		}
	}
}

func TestFencesAreBounded(t *testing.T) {
	var f fences
	for i := range 3 * maxFences {
		f.add(wire.TaskRef{ID: fmt.Sprint(i), Fence: 2})
	}
	if len(f.last) != maxFences || len(f.order) != maxFences {
		t.Errorf("%d fences remembered", len(f.last))
	}
	newest := fmt.Sprint(3*maxFences - 1)
	if !f.has(wire.TaskRef{ID: newest, Fence: 1}) || !f.has(wire.TaskRef{ID: newest, Fence: 2}) || f.has(wire.TaskRef{ID: newest, Fence: 3}) {
		t.Error("a dispatch seen is one with the same or a lower fence")
	}
}

func BenchmarkNoOp(b *testing.B) {
	for name, r := range map[string]runner.Runner{
		"effectless": noOp{},
		"10 lines": noOp{run: func(job *runner.Job) wire.Outcome {
			for i := range 10 {
				job.Logf("line %d", i)
			}
			return wire.Outcome{OK: true}
		}},
		"recorded": noOp{effects: true},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			runChain(b, &chain{n: b.N}, r)
		})
	}
}
