package workflow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow/flowtest"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/statemachines"
)

func route(kind, name string, then any) map[string]any {
	return map[string]any{"kind": kind, "segment": 2, "timeoutSeconds": 6000, "track": "t", "name": name, "verdict": "", "then": then}
}

// engine stands in for functions/advance: three stages, the second of which holds
// for an approval and calls. It decides by the run's history alone, so it may be
// asked twice, and it finishes tokens before it returns.
type engine struct{ flow *workflow.Workflow }

func (e *engine) Invoke(ctx context.Context, _ string, payload json.RawMessage) (json.RawMessage, error) {
	var p struct{ Op, State, Token, Execution string }
	if err := json.Unmarshal(payload, &p); err != nil {
		return nil, err
	}
	h, err := e.flow.History(ctx, core.MachineStage, p.Execution)
	if err != nil {
		return nil, err
	}
	visit := strings.Count(strings.Join(h.States, " "), p.State)
	next := map[string]any{
		"s1 Work 1":     route("Leave", "", route("RunStage", "s2", nil)),
		"s2 Work 1":     route("Approval", "", nil),
		"s2 Approval 1": route("Work", "", nil),
		"s2 Work 2":     route("Call", "", nil),
		"s2 Call 1":     route("Work", "", nil),
		"s2 Work 3":     route("Leave", "", route("RunStage", "s3", nil)),
		"s3 Work 1":     route("Leave", "", route("Done", "", nil)),
	}[fmt.Sprint(p.Execution, " ", p.State, " ", visit)]
	if next == nil {
		return nil, fault.New(fault.Invalid, "unexpected: %s", payload)
	}
	out, _ := json.Marshal(next)
	if p.Op != "enter" {
		return out, nil
	}
	if err := e.flow.Finish(ctx, p.Token, out); err != nil && !fault.Is(err, fault.Gone) {
		return nil, err
	}
	return nil, nil
}

func stages(t testing.TB) map[string]*asl.Machine {
	return parseAll(t, statemachines.Definitions(), map[string]string{statemachines.AdvanceFunction: "advance", statemachines.StageMachine: "stage"})
}

// life runs a workflow on records until it is closed.
func life(t testing.TB, definitions map[string]*asl.Machine, records *flowtest.Records) *workflow.Workflow {
	t.Helper()
	e := &engine{}
	quick := clock.Fast(100, time.UnixMilli(1e12))
	w, err := workflow.New(workflow.Config{
		Definitions: definitions, Functions: e, Clock: quick, IDs: clock.NewIDs(quick), Records: records,
		Log: slog.New(slog.DiscardHandler), Paused: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	e.flow = w
	w.Resume()
	return w
}

const pipelineInput = `{"account":"a","run":"r","track":"t","next":{"kind":"RunStage","segment":1,"timeoutSeconds":0,"track":"t","name":"s1","verdict":"","then":null}}`

// startUntil starts the run as a caller does who may not know whether he has.
func startUntil(w *workflow.Workflow, alive func() bool) error {
	for {
		err := w.Start(context.Background(), core.MachinePipeline, "x", json.RawMessage(pipelineInput))
		if err == nil || !fault.Retryable(err) || !alive() {
			return err
		}
	}
}

// ways are the paths that the run must take, whatever happens.
var ways = map[string]string{
	"pipeline/x": "Route RunStage Route RunStage Route RunStage Route Done",
	"stage/s1":   "Work Route Leave",
	"stage/s2":   "Work Route Approval Work Route Call Work Route Leave",
	"stage/s3":   "Work Route Leave",
}

func checkWays(t *testing.T, w *workflow.Workflow) {
	t.Helper()
	ctx := context.Background()
	for key, way := range ways {
		machine, name, _ := strings.Cut(key, "/")
		flowtest.Eventually(t, key+" has ended", func() bool {
			e, err := w.Describe(ctx, machine, name)
			return err == nil && e.Status != core.ExecutionRunning
		})
		e, _ := w.Describe(ctx, machine, name)
		h, err := w.History(ctx, machine, name)
		if err != nil || e.Status != core.ExecutionSucceeded {
			t.Fatalf("%s ended %s: %s %s (%v)", key, e.Status, e.Error, e.Cause, err)
		}
		if diff := cmp.Diff(strings.Fields(way), h.States); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
}

// TestOneSaveAStep counts what the run writes.
func TestOneSaveAStep(t *testing.T) {
	records := flowtest.NewRecords()
	w := life(t, stages(t), records)
	defer w.Close()
	records.Decide(nil)
	if err := startUntil(w, func() bool { return true }); err != nil {
		t.Fatal(err)
	}
	checkWays(t, w)
	// The start with s1; s1's end with s2's start; s2's five moves, the last of which
	// starts s3; s3's end with the run's.
	if got := records.Saves(); got != 8 {
		t.Errorf("%d saves, want 8", got)
	}
}

// TestCrashAtEverySave kills the process at each save in turn, with and without
// the save having been made, and starts it anew.
func TestCrashAtEverySave(t *testing.T) {
	definitions := stages(t)
	for _, fate := range []flowtest.Fate{flowtest.Failed, flowtest.Torn} {
		for n := 1; ; n++ {
			records := flowtest.NewRecords()
			w := life(t, definitions, records)
			died := make(chan struct{})
			records.Decide(func(i int) flowtest.Fate {
				switch {
				case i < n:
					return flowtest.Saved
				case i == n:
					close(died)
					return fate
				default:
					return flowtest.Failed // dead men write nothing
				}
			})
			_ = startUntil(w, func() bool { return records.Saves() < n })
			ended := make(chan struct{})
			go func() {
				for {
					e, err := w.Describe(context.Background(), core.MachinePipeline, "x")
					if err == nil && e.Status != core.ExecutionRunning {
						close(ended)
						return
					}
					select {
					case <-died:
						return
					case <-time.After(time.Millisecond):
					}
				}
			}()
			crashed := false
			select {
			case <-died:
				crashed = true
			case <-ended:
			}
			left := records.Crash()
			w.Close()
			if !crashed {
				t.Logf("fate %d: %d saves survived", fate, n-1)
				if n != 9 {
					t.Errorf("%d saves were tried, want 8", n-1)
				}
				break
			}
			t.Run(fmt.Sprint("fate ", fate, " save ", n), func(t *testing.T) {
				w := life(t, definitions, left)
				defer w.Close()
				// The starter may not know; to start again is no harm while it runs.
				if err := startUntil(w, func() bool { return true }); err != nil && !fault.Is(err, fault.AlreadyExists) {
					t.Fatal(err)
				}
				checkWays(t, w)
			})
		}
	}
}

// TestDiskHiccups lets each save in turn fail once, and the process lives on.
func TestDiskHiccups(t *testing.T) {
	definitions := stages(t)
	for _, fate := range []flowtest.Fate{flowtest.Failed, flowtest.Torn} {
		for n := 1; n <= 8; n++ {
			t.Run(fmt.Sprint("fate ", fate, " save ", n), func(t *testing.T) {
				t.Parallel()
				records := flowtest.NewRecords()
				w := life(t, definitions, records)
				defer w.Close()
				records.Decide(func(i int) flowtest.Fate {
					if i == n {
						return fate
					}
					return flowtest.Saved
				})
				if err := startUntil(w, func() bool { return true }); err != nil {
					t.Fatal(err)
				}
				checkWays(t, w)
				left := life(t, definitions, records.Crash())
				defer left.Close()
				checkWays(t, left) // nothing was left behind that runs
			})
		}
	}
}

// TestTornStart: a start that was saved though it failed may be made again, and
// its name is taken for others.
func TestTornStart(t *testing.T) {
	b := newBench(t, map[string]string{"m": machine(waitState(`,"End":true`))})
	b.records.Decide(func(n int) flowtest.Fate { return []flowtest.Fate{flowtest.Torn, flowtest.Saved}[min(n-1, 1)] })
	ctx := context.Background()
	b.wants(b.Start(ctx, "m", "x", json.RawMessage(`1`)), fault.Unavailable)
	b.wants(b.Start(ctx, "m", "x", json.RawMessage(`2`)), fault.AlreadyExists)
	b.calls.None()
	b.start("m", "x", `1`)
	b.ok(b.finish(b.calls.Next().Return(`null`).Token(), `3`))
	b.is(b.ends("m", "x"), "SUCCEEDED 3")
}

// TestFailedSaveChangesNothing: the token stays good, and the child that a torn
// save left behind does not come to life.
func TestFailedSaveChangesNothing(t *testing.T) {
	definitions := map[string]string{
		"p": `{"StartAt":"Hold","States":{"Hold":` + waitState(`,"Next":"Which"`) + `,
			"Which":{"Type":"Choice","Choices":[{"Variable":"$.name","IsPresent":true,"Next":"Run"}],"Default":"Done"},
			"Run":` + parentState("c", `,"End":true`) + `,"Done":{"Type":"Succeed"}}}`,
		"c": machine(waitState(`,"End":true`)),
	}
	b := newBench(t, definitions)
	b.start("p", "x", `{}`)
	token := b.calls.Next().Return(`null`).Token()
	b.records.Decide(func(n int) flowtest.Fate { return []flowtest.Fate{flowtest.Torn, flowtest.Saved}[min(n-1, 1)] })
	b.wants(b.finish(token, `{"name":"kid","input":{}}`), fault.Unavailable)
	b.is(string(b.describe("p", "x").Status), "RUNNING")
	b.ok(b.finish(token, `{}`))
	b.is(b.ends("p", "x"), "SUCCEEDED {}")
	b.restart(0)
	b.calls.None()
	_, err := b.Describe(context.Background(), "c", "kid")
	b.wants(err, fault.NotFound)
}
