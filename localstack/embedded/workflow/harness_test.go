package workflow_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow/flowtest"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// bench is a workflow that a test holds by hand: its clock, its functions, its disk.
type bench struct {
	*workflow.Workflow
	t       *testing.T
	cfg     workflow.Config
	clock   *clock.Manual
	calls   *flowtest.Calls
	records *flowtest.Records
}

func newBench(t *testing.T, definitions map[string]string, more ...func(*workflow.Config)) *bench {
	t.Helper()
	texts := map[string][]byte{}
	for name, text := range definitions {
		texts[name] = []byte(text)
	}
	b := &bench{t: t, clock: clock.NewManual(time.UnixMilli(1e12)), calls: flowtest.NewCalls(t), records: flowtest.NewRecords()}
	b.cfg = workflow.Config{
		Definitions: parseAll(t, texts, nil), Functions: b.calls, Clock: b.clock, IDs: clock.Seeded(b.clock, 1),
		Jitter: func() float64 { return 1 }, Log: slog.New(slog.DiscardHandler),
	}
	for _, f := range more {
		f(&b.cfg)
	}
	b.open()
	t.Cleanup(func() { b.Close() })
	return b
}

func (b *bench) open() {
	b.t.Helper()
	b.cfg.Records = b.records
	var err error
	if b.Workflow, err = workflow.New(b.cfg); err != nil {
		b.t.Fatal(err)
	}
}

// restart is kill -9 and a new start after a while.
func (b *bench) restart(after time.Duration) {
	b.t.Helper()
	crashed := b.records.Crash()
	b.Close()
	b.clock.Advance(after)
	b.records = crashed
	b.open()
}

func (b *bench) start(machine, name, input string) {
	b.t.Helper()
	b.ok(b.Start(context.Background(), machine, name, json.RawMessage(input)))
}

func (b *bench) finish(token, output string) error {
	return b.Finish(context.Background(), token, json.RawMessage(output))
}

func (b *bench) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) wants(err error, kind fault.Kind) {
	b.t.Helper()
	if !fault.Is(err, kind) {
		b.t.Fatalf("err = %v, want kind %d", err, kind)
	}
}

func (b *bench) describe(machine, name string) core.Execution {
	b.t.Helper()
	e, err := b.Describe(context.Background(), machine, name)
	b.ok(err)
	return e
}

// ends waits for an end and returns its status, error and output in one line.
func (b *bench) ends(machine, name string) string {
	b.t.Helper()
	flowtest.Eventually(b.t, name+" has ended", func() bool { return b.describe(machine, name).Status != core.ExecutionRunning })
	e := b.describe(machine, name)
	line := string(e.Status)
	if e.Error != "" {
		line += " " + e.Error
	}
	if len(e.Output) > 0 {
		line += " " + string(e.Output)
	}
	return line
}

func (b *bench) is(got, want string) {
	b.t.Helper()
	if got != want {
		b.t.Errorf("got  %s\nwant %s", got, want)
	}
}

// token waits on the function f with its token; more is added to the state.
func waitState(more string) string {
	return `{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken","Parameters":{"FunctionName":"f","Payload":{"token.$":"$$.Task.Token","retry.$":"$$.State.RetryCount","entered.$":"$$.State.EnteredTime"}}` + more + `}`
}

func machine(state string) string { return `{"StartAt":"S","States":{"S":` + state + `}}` }

func callState(more string) string {
	return `{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"arn:aws:lambda:x:1:function:f:live","Payload":{"name.$":"$$.Execution.Name"}}` + more + `}`
}

func parentState(target, more string) string {
	return `{"Type":"Task","Resource":"arn:aws:states:::states:startExecution.sync:2","Parameters":{"StateMachineArn":"` + target + `","Name.$":"$.name","Input.$":"$.input"}` + more + `}`
}
