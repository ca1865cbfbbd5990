package workflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow/flowtest"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func TestFunctionErrors(t *testing.T) {
	tests := map[string]struct {
		err  error
		want string
	}{
		"kind":        {fault.New(fault.Conflict, "x"), "Slipway.Conflict"},
		"throttled":   {fault.New(fault.Throttled, "x"), "Lambda.TooManyRequestsException"},
		"unavailable": {fault.New(fault.Unavailable, "x"), "Lambda.ServiceException"},
		"plain":       {errors.New("x"), "Slipway.Internal"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"m": machine(callState(`,"End":true`))})
			b.start("m", "x", `{}`)
			b.calls.Next().Throw(tc.err)
			b.is(b.ends("m", "x"), "FAILED "+tc.want)
		})
	}
}

func TestFunctionResults(t *testing.T) {
	for name, tc := range map[string]struct{ result, want string }{
		"shape":    {`{"a":1.0}`, `SUCCEEDED {"ExecutedVersion":"$LATEST","Payload":{"a":1.0},"StatusCode":200}`},
		"nothing":  {``, `SUCCEEDED {"ExecutedVersion":"$LATEST","Payload":null,"StatusCode":200}`},
		"not JSON": {`{`, `FAILED Lambda.Unknown`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"m": machine(callState(`,"End":true`))})
			b.start("m", "x", `{}`)
			if call := b.calls.Next(); call.Function != "f" {
				t.Errorf("invoked %q", call.Function)
			} else {
				call.Return(tc.result)
			}
			b.is(b.ends("m", "x"), tc.want)
		})
	}
}

func TestPanicIsAnError(t *testing.T) {
	b := newBench(t, map[string]string{"m": machine(callState(`,"End":true`))}, func(c *workflow.Config) {
		c.Functions = flowtest.Func(func(context.Context, string, json.RawMessage) (json.RawMessage, error) { panic("oh") })
	})
	b.start("m", "x", `{}`)
	b.is(b.ends("m", "x"), "FAILED Lambda.Unknown")
}

func TestChildResult(t *testing.T) {
	definitions := map[string]string{"p": machine(parentState("arn:aws:states:x:1:stateMachine:c", `,"End":true`)), "c": machine(waitState(`,"End":true`))}
	b := newBench(t, definitions)
	b.start("p", "x", `{"name":"kid","input":{"i":1}}`)
	token := b.calls.Next().Token()
	b.clock.Advance(time.Second)
	b.ok(b.finish(token, `{"o":2}`))
	b.is(b.ends("p", "x"), `SUCCEEDED {"ExecutionArn":"arn:aws:states:local:000000000000:execution:c:kid","Input":{"i":1},"Name":"kid","Output":{"o":2},`+
		`"StartDate":1000000000000,"StateMachineArn":"arn:aws:states:local:000000000000:stateMachine:c","Status":"SUCCEEDED","StopDate":1000000001000}`)

	b.start("p", "y", `{"name":"kid","input":{"i":1}}`)
	b.is(b.ends("p", "y"), "FAILED StepFunctions.ExecutionAlreadyExistsException")
	b.start("p", "z", `{"name":"no name","input":null}`)
	b.is(b.ends("p", "z"), "FAILED StepFunctions.InvalidNameException")
}

func TestFailedChildTellsWhy(t *testing.T) {
	b := newBench(t, map[string]string{"p": machine(parentState("c", `,"End":true`)), "c": machine(`{"Type":"Fail","Error":"E","Cause":"C"}`)})
	b.start("p", "x", `{"name":"kid","input":"{\"text\":1}"}`)
	b.is(b.ends("p", "x"), "FAILED States.TaskFailed")
	var cause struct {
		Error, Cause, Status string
		Input                struct{ Text int }
	}
	b.ok(json.Unmarshal([]byte(b.describe("p", "x").Cause), &cause))
	if cause.Error != "E" || cause.Cause != "C" || cause.Status != "FAILED" || cause.Input.Text != 1 {
		t.Errorf("cause = %+v", cause)
	}
}

func TestRetryGetsANewToken(t *testing.T) {
	b := newBench(t, map[string]string{"m": machine(waitState(`,"End":true,"HeartbeatSeconds":10,"Retry":[{"ErrorEquals":["States.ALL"],"IntervalSeconds":5}]`))})
	b.start("m", "x", `{}`)
	first := b.calls.Next()
	first.Throw(errors.New("no"))
	b.clock.Await(3) // sweep, heartbeat, retry
	b.wants(b.finish(first.Token(), `1`), fault.Gone)
	b.restart(0) // the delay survives
	b.clock.Advance(4 * time.Second)
	b.calls.None()
	b.clock.Advance(time.Second)
	second := b.calls.Next().Return(`null`)
	if second.Payload["retry"] != json.Number("1") || second.Payload["entered"] != first.Payload["entered"] {
		t.Errorf("second attempt: %v", second.Payload)
	}
	b.clock.Advance(9 * time.Second) // the heartbeat counts from the attempt
	b.ok(b.finish(second.Token(), `1`))
	b.is(b.ends("m", "x"), "SUCCEEDED 1")
}

func TestStaleAnswersAreIgnored(t *testing.T) {
	definition := machine(callState(`,"End":true,"TimeoutSeconds":5,"Retry":[{"ErrorEquals":["States.Timeout"]}]`))
	for name, answer := range map[string]func(*flowtest.Call){
		"result": func(c *flowtest.Call) { c.Return(`"too late"`) },
		"error":  func(c *flowtest.Call) { c.Throw(errors.New("too late")) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"m": definition}, func(c *workflow.Config) { c.Concurrency = 1 })
			b.start("m", "x", `{}`)
			slow := b.calls.Next()
			b.clock.Advance(6 * time.Second) // it times out; the second attempt queues behind it
			answer(slow)
			b.calls.Next().Return(`"in time"`)
			b.is(b.ends("m", "x"), `SUCCEEDED {"ExecutedVersion":"$LATEST","Payload":"in time","StatusCode":200}`)
		})
	}
}

func TestRestart(t *testing.T) {
	b := newBench(t, map[string]string{"m": machine(waitState(`,"End":true,"HeartbeatSeconds":10,"TimeoutSeconds":60`))})
	b.start("m", "x", `{}`)
	call := b.calls.Next().Return(`null`)
	b.clock.Advance(9 * time.Second)
	b.restart(20 * time.Second)
	if next, _ := b.clock.Next(); next.Sub(b.clock.Now()) != 10*time.Second {
		t.Errorf("the heartbeat is due at %v, want its full interval from %v", next, b.clock.Now())
	}
	again := b.calls.Next().Return(`null`)
	if again.Token() != call.Token() || again.Token() == "" {
		t.Error("the attempt must keep its token over a restart")
	}
	b.clock.Advance(9 * time.Second) // 38 s: the time down is not the task's fault
	b.ok(b.Beat(context.Background(), call.Token()))
	b.clock.Advance(9 * time.Second)
	b.ok(b.Beat(context.Background(), call.Token()))
	b.clock.Advance(9 * time.Second)
	b.ok(b.Beat(context.Background(), call.Token()))
	b.clock.Advance(3 * time.Second) // 59 s
	b.is(string(b.describe("m", "x").Status), "RUNNING")
	b.clock.Advance(time.Second) // the time-out is absolute
	b.is(b.ends("m", "x"), "FAILED States.Timeout")
	b.wants(b.finish(call.Token(), `1`), fault.Gone)
}

func TestHeartbeatEndsTheTask(t *testing.T) {
	b := newBench(t, map[string]string{"m": machine(waitState(`,"End":true,"HeartbeatSeconds":10,"TimeoutSeconds":60`))})
	b.start("m", "x", `{}`)
	token := b.calls.Next().Return(`null`).Token()
	b.clock.Advance(10 * time.Second)
	if b.clock.Armed() != 1 {
		t.Errorf("%d timers are armed, want the sweep's alone", b.clock.Armed())
	}
	b.is(b.ends("m", "x"), "FAILED States.Timeout") // the name Step Functions gives an uncaught one
	b.wants(b.Beat(context.Background(), token), fault.Gone)
}

func TestMachineTimeout(t *testing.T) {
	definitions := map[string]string{
		"p": `{"TimeoutSeconds":30,"StartAt":"S","States":{"S":` + parentState("c", `,"End":true`) + `}}`,
		"c": machine(waitState(`,"End":true`)),
	}
	b := newBench(t, definitions)
	b.start("p", "x", `{"name":"kid","input":{}}`)
	token := b.calls.Next().Return(`null`).Token()
	b.restart(10 * time.Second)
	b.calls.Next().Return(`null`)
	b.clock.Advance(20 * time.Second)
	b.is(b.ends("p", "x"), "TIMED_OUT States.Timeout")
	b.is(b.ends("c", "kid"), "ABORTED")
	b.wants(b.finish(token, `1`), fault.Gone)
}

func TestParentTimeoutAbortsChild(t *testing.T) {
	definitions := map[string]string{"p": machine(parentState("c", `,"End":true,"TimeoutSeconds":5`)), "c": machine(waitState(`,"End":true`))}
	b := newBench(t, definitions)
	b.start("p", "x", `{"name":"kid","input":{}}`)
	b.calls.Next().Return(`null`)
	b.clock.Advance(5 * time.Second)
	b.is(b.ends("p", "x"), "FAILED States.Timeout")
	b.is(b.ends("c", "kid"), "ABORTED")
}

func TestNamesAreKept(t *testing.T) {
	b := newBench(t, map[string]string{"m": machine(`{"Type":"Succeed"}`)})
	b.start("m", "x", `{"a":1}`)
	b.is(b.ends("m", "x"), `SUCCEEDED {"a":1}`)
	b.restart(89 * 24 * time.Hour)
	b.wants(b.Start(context.Background(), "m", "x", json.RawMessage(`{"a":1}`)), fault.AlreadyExists)
	b.clock.Advance(2 * 24 * time.Hour) // past 90 days, and swept
	_, err := b.Describe(context.Background(), "m", "x")
	b.wants(err, fault.NotFound)
	if _, kept, _ := b.records.Get("x/m/x"); kept {
		t.Error("the record was not removed")
	}
	b.start("m", "x", `{"a":2}`)
}

func TestDefinitionChanges(t *testing.T) {
	old := `{"StartAt":"Old","States":{"Old":` + waitState(`,"Next":"Then"`) + `,"Then":{"Type":"Succeed"}}}`
	b := newBench(t, map[string]string{"m": old})
	b.start("m", "x", `{}`)
	token := b.calls.Next().Return(`null`).Token()
	for range 2 { // the old definition must survive more than one start
		b.cfg.Definitions = parseAll(t, map[string][]byte{"m": []byte(machine(`{"Type":"Succeed"}`))}, nil)
		b.restart(0)
		b.calls.Next().Return(`null`)
	}
	b.ok(b.finish(token, `"done"`))
	b.is(b.ends("m", "x"), `SUCCEEDED "done"`)
	h, err := b.History(context.Background(), "m", "x")
	b.ok(err)
	if diff := cmp.Diff([]string{"Old", "Then"}, h.States); diff != "" {
		t.Error(diff)
	}
	b.start("m", "y", `"new"`)
	b.is(b.ends("m", "y"), `SUCCEEDED "new"`)
}

func TestMissingChildMachineIsRefused(t *testing.T) {
	b := newBench(t, map[string]string{"m": machine(`{"Type":"Succeed"}`)})
	b.cfg.Definitions = parseAll(t, map[string][]byte{"p": []byte(machine(parentState("nothing", `,"End":true`)))}, nil)
	_, err := workflow.New(b.cfg)
	b.wants(err, fault.Invalid)
}

func TestEndlessExecutionFails(t *testing.T) {
	loop := `{"StartAt":"C","States":{"C":{"Type":"Choice","Choices":[{"Variable":"$","IsNull":true,"Next":"E"}],"Default":"C"},"E":{"Type":"Succeed"}}}`
	b := newBench(t, map[string]string{"m": loop})
	b.start("m", "x", `{}`)
	b.is(b.ends("m", "x"), "FAILED States.Runtime")
	h, err := b.History(context.Background(), "m", "x")
	b.ok(err)
	if len(h.States) != 512 || h.Events > core.MaxHistoryEvents+2 {
		t.Errorf("%d states kept, %d events", len(h.States), h.Events)
	}
}

func TestWeakInvokesTwiceAndLate(t *testing.T) {
	b := newBench(t, map[string]string{"m": machine(waitState(`,"End":true`))}, func(c *workflow.Config) {
		c.Weak = &workflow.Weak{Seed: 1, Duplicate: 1, Delay: time.Minute}
	})
	b.start("m", "x", `{}`)
	b.calls.None()
	b.clock.Advance(time.Minute)
	one, two := b.calls.Next(), b.calls.Next()
	if one.Token() != two.Token() {
		t.Error("both invocations carry the same token")
	}
	one.Return(`null`)
	two.Return(`null`)
}

func TestPaused(t *testing.T) {
	b := newBench(t, map[string]string{"m": machine(waitState(`,"End":true`))})
	b.start("m", "x", `{}`)
	b.calls.Next().Return(`null`)
	b.cfg.Paused = true
	b.restart(0)
	b.calls.None()
	b.Resume()
	b.ok(b.finish(b.calls.Next().Return(`null`).Token(), `1`))
}

func TestTransitionsAreCounted(t *testing.T) {
	var mu sync.Mutex
	var got []string
	definition := `{"StartAt":"C","States":{"C":{"Type":"Choice","Choices":[{"Variable":"$","IsNull":false,"Next":"S"}]},"S":` +
		callState(`,"Next":"E","Retry":[{"ErrorEquals":["States.ALL"]}]`) + `,"E":{"Type":"Succeed"}}}`
	b := newBench(t, map[string]string{"m": definition}, func(c *workflow.Config) {
		c.OnTransition = func(m, s string) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, m+"."+s)
		}
	})
	b.start("m", "x", `{}`)
	b.calls.Next().Throw(errors.New("no"))
	b.clock.Await(2)
	b.clock.Advance(time.Second)
	b.calls.Next().Return(`1`)
	b.ends("m", "x")
	h, err := b.History(context.Background(), "m", "x")
	b.ok(err)
	want := workflow.History{States: []string{"C", "S", "E"}, Transitions: 4, Events: 1 + 2 + 5 + 4 + 2 + 1}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Error(diff)
	}
	flowtest.Eventually(t, "the end is told", func() bool { mu.Lock(); defer mu.Unlock(); return len(got) == 4 })
	if diff := cmp.Diff([]string{"m.C", "m.S", "m.S", "m.E"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestNewRefusesDamage(t *testing.T) {
	b := newBench(t, map[string]string{"m": machine(`{"Type":"Succeed"}`)})
	b.ok(b.records.Save(context.Background(), map[string][]byte{"x/m/x": {9, 9}}, nil))
	_, err := workflow.New(b.cfg)
	b.wants(err, fault.Internal)
}

// FuzzFinish: whatever a token or output holds, nothing but the right one counts.
func FuzzFinish(f *testing.F) {
	f.Add("", "1")
	f.Add("eC9tL3g.x", "1")
	m, err := asl.Parse("m", []byte(machine(waitState(`,"End":true`))), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, token, output string) {
		b := newBench(t, nil, func(c *workflow.Config) { c.Definitions = map[string]*asl.Machine{"m": m} })
		b.start("m", "x", `{}`)
		call := b.calls.Next().Return(`null`)
		if err := b.finish(token, output); err == nil && token != call.Token() {
			t.Errorf("the token %q was taken", token)
		}
	})
}
