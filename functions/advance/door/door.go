// Package door is the engine's door for Step Functions and schedules: tokens in,
// routes out.
package door

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/dispatch"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
)

// Request is what the machines' Tasks and the deadline timer send.
type Request struct {
	Op        string `json:"op"` // enter, recover, call, rollback, deadline
	Account   string `json:"account"`
	Run       string `json:"run"`
	Track     string `json:"track"`
	Segment   int    `json:"segment"`
	Token     string `json:"token"`
	Entered   string `json:"entered"` // $$.State.EnteredTime, ISO 8601
	Retry     int    `json:"retry"`
	State     string `json:"state"`
	Execution string `json:"execution"`
	Error     string `json:"error"`

	// Of EventBridge's "Step Functions Execution Status Change" alone.
	DetailType string `json:"detail-type"`
	Detail     Ended  `json:"detail"`
}

// StatusChange is the detail-type of Ended.
const StatusChange = "Step Functions Execution Status Change"

// Ended says that an execution has ended by itself, as EventBridge does.
type Ended struct {
	Machine string               `json:"stateMachineArn"`
	Name    string               `json:"name"`
	Status  core.ExecutionStatus `json:"status"`
	Input   string               `json:"input"` // JSON
}

// Door is safe for concurrent use.
type Door struct {
	journal  *journal.Journal
	dispatch *dispatch.Dispatch
}

// New returns the door.
func New(j *journal.Journal, d *dispatch.Dispatch) *Door { return &Door{j, d} }

// Handle is the function: a Request in, for recover a core.Route out.
func (d *Door) Handle(ctx context.Context, payload json.RawMessage) (json.RawMessage, error) {
	var r Request
	if err := json.Unmarshal(payload, &r); err != nil {
		return nil, fault.New(fault.Invalid, "advance takes a JSON request: %w", err)
	}
	out, err := d.handle(ctx, r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

func (d *Door) handle(ctx context.Context, r Request) (any, error) {
	if r.DetailType == StatusChange {
		return d.reconcile(core.WithCause(ctx, "reconcile"), r.Detail)
	}
	ctx = core.WithCause(ctx, r.Op)
	ref := journal.Ref{Account: r.Account, Run: r.Run, Track: r.Track}
	x := core.ParseExecution(r.Execution)
	switch r.Op {
	case "enter":
		at, err := time.Parse(time.RFC3339Nano, r.Entered)
		if err != nil {
			return nil, fault.New(fault.Invalid, "entered is not a time: %w", err)
		}
		e := core.Entered{Segment: r.Segment, Token: r.Token, At: core.Millis(at), Retry: r.Retry, Round: x.Round}
		if !x.First() {
			e.State, e.Generation, e.Continued = r.State, x.Generation, x.Continued
		}
		_, err = d.journal.Apply(ctx, ref, core.Event{Type: core.EventEntered, Entered: &e})
		return struct{}{}, err
	case "recover":
		return d.dispatch.Recover(ctx, ref, x, r.Segment, r.Error)
	case "rollback":
		return d.dispatch.TurnRound(ctx, ref, x, r.Segment)
	case "deadline":
		core.Count(core.WithRun(ctx, r.Account, r.Run), core.Use{core.Timers: 1})
		_, err := d.journal.Apply(ctx, journal.Ref{Account: r.Account, Run: r.Run, Track: "0"}, core.Event{
			Type: core.EventStop, Stop: &core.Stop{Status: core.Expired, Reason: "the pipeline's timeout has passed"}})
		return struct{}{}, err
	default:
		return nil, fault.New(fault.Unsupported, "not supported yet: operation %s of advance", strconv.Quote(r.Op))
	}
}

// reconcile puts a new execution in the place of one that has failed, timed out or
// was stopped by hand.
func (d *Door) reconcile(ctx context.Context, e Ended) (any, error) {
	if e.Status == core.ExecutionSucceeded || e.Status == core.ExecutionRunning {
		return struct{}{}, nil
	}
	var in core.ExecutionInput
	if err := json.Unmarshal([]byte(e.Input), &in); err != nil {
		return nil, fault.New(fault.Invalid, "the input of execution %s is not one of ours: %w", e.Name, err)
	}
	machine := e.Machine[strings.LastIndexAny(e.Machine, ":-")+1:]
	return struct{}{}, d.dispatch.Reconcile(ctx, machine, e.Name, in)
}
