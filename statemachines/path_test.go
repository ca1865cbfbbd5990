package statemachines

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow/flowtest"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// bench runs the three machines with a test in the place of the engine.
type bench struct {
	t     *testing.T
	flow  *workflow.Workflow
	clock *clock.Manual
	calls *flowtest.Calls

	mu     sync.Mutex
	states int // entered, in all machines
}

func newBench(t *testing.T) *bench {
	t.Helper()
	definitions := map[string]*asl.Machine{}
	for name, text := range Definitions() {
		m, err := asl.Parse(name+".asl.json", text, map[string]string{AdvanceFunction: "advance", StageMachine: "stage"})
		if err != nil {
			t.Fatal(err)
		}
		definitions[name] = m
	}
	b := &bench{t: t, clock: clock.NewManual(time.UnixMilli(1e12)), calls: flowtest.NewCalls(t)}
	var err error
	b.flow, err = workflow.New(workflow.Config{
		Definitions: definitions, Functions: b.calls, Clock: b.clock, IDs: clock.Seeded(b.clock, 1), Records: flowtest.NewRecords(),
		Jitter: func() float64 { return 0.5 },
		OnTransition: func(string, string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.states++
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.flow.Close)
	return b
}

// route is ROUTE: what the engine answers.
func route(kind string, more ...string) string {
	r := map[string]any{"kind": kind, "segment": 2, "timeoutSeconds": 60, "track": "t", "name": "n", "verdict": "", "then": nil}
	for i := 0; i < len(more); i += 2 {
		r[more[i]] = json.RawMessage(more[i+1])
	}
	data, _ := json.Marshal(r)
	return string(data)
}

func (b *bench) start(machine, next string) {
	b.t.Helper()
	input := `{"account":"a","run":"r","track":"t","next":` + next + `}`
	if err := b.flow.Start(context.Background(), machine, "x", json.RawMessage(input)); err != nil {
		b.t.Fatal(err)
	}
}

// enter expects an invocation by a state, answers it and finishes its token with
// a route; "" leaves the token alone.
func (b *bench) enter(state, next string) *flowtest.Call {
	b.t.Helper()
	call := b.calls.Next()
	if call.Text("state") != state || call.Text("op") != "enter" {
		b.t.Fatalf("entered with %v, want the state %s", call.Payload, state)
	}
	call.Return(`null`)
	if next != "" {
		if err := b.flow.Finish(context.Background(), call.Token(), json.RawMessage(next)); err != nil {
			b.t.Fatal(err)
		}
	}
	return call
}

// call expects an invocation whose result is the route.
func (b *bench) call(op, next string) *flowtest.Call {
	b.t.Helper()
	call := b.calls.Next()
	if call.Text("op") != op {
		b.t.Fatalf("called with %v, want %s", call.Payload, op)
	}
	return call.Return(next)
}

// ends waits for the end of an execution and compares its way.
func (b *bench) ends(machine, name string, status core.ExecutionStatus, path string) core.Execution {
	b.t.Helper()
	var e core.Execution
	flowtest.Eventually(b.t, name+" has ended", func() bool {
		var err error
		e, err = b.flow.Describe(context.Background(), machine, name)
		return err == nil && e.Status != core.ExecutionRunning
	})
	if e.Status != status {
		b.t.Fatalf("%s ended %s: %s %s", name, e.Status, e.Error, e.Cause)
	}
	h, err := b.flow.History(context.Background(), machine, name)
	if err != nil {
		b.t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Fields(path), h.States); diff != "" {
		b.t.Error(diff)
	}
	return e
}

// TestSerialRun is the run that the budget is counted on: three stages of five
// steps, whose steps never move a machine.
func TestSerialRun(t *testing.T) {
	b := newBench(t)
	b.start("pipeline", route("RunStage", "name", `"s1"`))
	b.enter("Work", route("Leave", "then", route("RunStage", "name", `"s2"`)))
	b.enter("Work", route("Leave", "then", route("RunStage", "name", `"s3"`)))
	b.enter("Work", route("Leave", "then", route("Done", "verdict", `"Success"`)))
	e := b.ends("pipeline", "x", core.ExecutionSucceeded, "Route RunStage Route RunStage Route RunStage Route Done")
	var out struct{ Verdict string }
	if err := json.Unmarshal(e.Output, &out); err != nil || out.Verdict != "Success" {
		t.Errorf("output = %s", e.Output)
	}
	for _, name := range []string{"s1", "s2", "s3"} {
		e := b.ends("stage", name, core.ExecutionSucceeded, "Work Route Leave")
		if !strings.Contains(string(e.Input), `"AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID":"arn:`) {
			t.Errorf("input of %s = %s", name, e.Input)
		}
	}
	if b.states != 17 {
		t.Errorf("%d states entered, want 17", b.states)
	}
}

func TestHolds(t *testing.T) {
	for _, state := range []string{"Approval", "Wait", "BackOff", "Intervene", "Lock", "Pause", "Input", "Branches", "Child", "Watch"} {
		for _, machine := range []string{"stage", "branch"} {
			t.Run(machine+" "+state, func(t *testing.T) {
				b := newBench(t)
				b.start(machine, route("Work"))
				b.enter("Work", route(state))
				b.enter(state, route("Work", "segment", "3"))
				b.enter("Work", route("Leave"))
				b.ends(machine, "x", core.ExecutionSucceeded, "Work Route "+state+" Work Route Leave")
			})
		}
	}
	for _, state := range []string{"Stages", "Lock", "Pause"} {
		t.Run("pipeline "+state, func(t *testing.T) {
			b := newBench(t)
			b.start("pipeline", route(state))
			b.enter(state, route("Done"))
			b.ends("pipeline", "x", core.ExecutionSucceeded, "Route "+state+" Route Done")
		})
	}
}

func TestPayload(t *testing.T) {
	b := newBench(t)
	b.start("stage", route("Work", "segment", "7"))
	got := b.enter("Work", route("Leave")).Payload
	delete(got, "token")
	want := map[string]any{
		"op": "enter", "state": "Work", "account": "a", "run": "r", "track": "t", "segment": json.Number("7"),
		"entered": "2001-09-09T01:46:40.000Z", "retry": json.Number("0"), "execution": "x",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHoldTimesOut(t *testing.T) {
	b := newBench(t)
	b.start("stage", route("Work"))
	b.enter("Work", route("Approval", "timeoutSeconds", "90"))
	b.enter("Approval", "")
	b.clock.Advance(89 * time.Second)
	b.calls.None()
	b.clock.Advance(time.Second)
	if got := b.call("recover", route("Leave")).Text("error"); got != "States.Timeout" {
		t.Errorf("error = %q", got)
	}
	b.ends("stage", "x", core.ExecutionSucceeded, "Work Route Approval Recover Route Leave")
}

func TestHeartbeatLost(t *testing.T) {
	b := newBench(t)
	b.start("stage", route("Work"))
	token := b.enter("Work", "").Token()
	b.clock.Advance(179 * time.Second)
	if err := b.flow.Beat(context.Background(), token); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(179 * time.Second)
	b.calls.None()
	b.clock.Advance(time.Second)
	call := b.call("recover", route("Work"))
	if got := call.Text("error"); got != "States.HeartbeatTimeout" && got != "States.Timeout" {
		t.Errorf("error = %q", got)
	}
	if err := b.flow.Finish(context.Background(), token, json.RawMessage(route("Leave"))); !fault.Is(err, fault.Gone) {
		t.Errorf("a late finish: %v", err)
	}
	b.enter("Work", route("Leave"))
	b.ends("stage", "x", core.ExecutionSucceeded, "Work Recover Route Work Route Leave")
}

func TestCallAndRollback(t *testing.T) {
	for kind, op := range map[string]string{"Call": "call", "Rollback": "rollback"} {
		t.Run(kind, func(t *testing.T) {
			b := newBench(t)
			b.start("stage", route("Work"))
			b.enter("Work", route(kind))
			b.call(op, route("Work"))
			b.enter("Work", route("Leave"))
			b.ends("stage", "x", core.ExecutionSucceeded, "Work Route "+kind+" Work Route Leave")
		})
	}
}

func TestUnknownRoute(t *testing.T) {
	for machine, path := range map[string]string{"stage": "Work Route Lost", "branch": "Work Route Lost", "pipeline": "Route Lost"} {
		t.Run(machine, func(t *testing.T) {
			b := newBench(t)
			b.start(machine, route("Nowhere"))
			if machine != "pipeline" {
				b.enter("Work", route("Nowhere"))
			}
			if e := b.ends(machine, "x", core.ExecutionFailed, path); e.Error != "Slipway.UnknownRoute" {
				t.Errorf("error = %q", e.Error)
			}
		})
	}
}

func TestFailedStageRecovers(t *testing.T) {
	b := newBench(t)
	b.start("pipeline", route("RunStage", "name", `"s1"`))
	b.enter("Work", route("Nowhere"))
	if got := b.call("recover", route("Done")).Text("error"); got != "States.TaskFailed" {
		t.Errorf("error = %q", got)
	}
	b.ends("pipeline", "x", core.ExecutionSucceeded, "Route RunStage Recover Route Done")
}

func TestThrottledFunctionIsRetried(t *testing.T) {
	b := newBench(t)
	b.start("stage", route("Work"))
	b.calls.Next().Throw(fault.New(fault.Throttled, "slow down"))
	b.clock.Await(3) // sweep, heartbeat and the retry, due in half a second
	b.clock.Advance(500 * time.Millisecond)
	if got := b.enter("Work", route("Leave")).Payload["retry"]; got != json.Number("1") {
		t.Errorf("retry = %v", got)
	}
	b.ends("stage", "x", core.ExecutionSucceeded, "Work Route Leave")
}

func TestBrokenRecoverFails(t *testing.T) {
	b := newBench(t)
	b.start("stage", route("Work"))
	b.calls.Next().Throw(fault.New(fault.Invalid, "no such run"))
	for range 6 {
		b.calls.Next().Throw(fault.New(fault.Internal, "broken"))
		b.clock.Await(2) // sweep and the retry
		b.clock.Advance(15 * time.Second)
	}
	b.calls.Next().Throw(fault.New(fault.Internal, "broken"))
	if e := b.ends("stage", "x", core.ExecutionFailed, "Work Recover"); e.Error != "Slipway.Internal" {
		t.Errorf("error = %q", e.Error)
	}
}

func TestBranchIsStage(t *testing.T) {
	var machines [2]map[string]any
	for i, text := range [][]byte{stage, branch} {
		if err := json.Unmarshal(text, &machines[i]); err != nil {
			t.Fatal(err)
		}
		delete(machines[i], "Comment")
	}
	if diff := cmp.Diff(machines[0], machines[1]); diff != "" {
		t.Errorf("stage and branch differ in more than their comment:\n%s", diff)
	}
}
