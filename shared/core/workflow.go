package core

import (
	"context"
	"encoding/json"
	"time"
)

// Machines are the three fixed state machines.
const (
	MachinePipeline = "pipeline"
	MachineStage    = "stage"
	MachineBranch   = "branch"
)

// Workflow limits, those of Step Functions.
const (
	MaxExecutionName = 80        // characters: letters, digits, - and _
	MaxPayloadBytes  = 256 << 10 // input or output of an execution or state
	MaxHistoryEvents = 25_000    // then an execution fails
	MaxTokenBytes    = 2048      // a task token
)

// ExecutionStatus is Step Functions' word for how an execution stands.
type ExecutionStatus string

// Execution statuses.
const (
	ExecutionRunning   ExecutionStatus = "RUNNING"
	ExecutionSucceeded ExecutionStatus = "SUCCEEDED"
	ExecutionFailed    ExecutionStatus = "FAILED"
	ExecutionTimedOut  ExecutionStatus = "TIMED_OUT"
	ExecutionAborted   ExecutionStatus = "ABORTED"
)

// Execution describes one execution of a state machine.
type Execution struct {
	Machine string
	Name    string
	Status  ExecutionStatus
	Input   json.RawMessage
	Output  json.RawMessage // when succeeded
	Error   string          // when failed
	Cause   string
	Started time.Time
	Stopped time.Time // zero while running
}

// Workflow starts executions and answers their task tokens. Functions that the
// machines invoke run at least once; a token may be finished before the function
// that was given it returns.
type Workflow interface {
	// Start starts an execution. The same name with the same input again is no
	// error; with another input, or once the name's execution has ended, it fails
	// with fault.AlreadyExists.
	Start(ctx context.Context, machine, name string, input json.RawMessage) error
	// Finish ends the wait on a token with a JSON output. fault.Gone when the
	// token is unknown, already finished or timed out.
	Finish(ctx context.Context, token string, output json.RawMessage) error
	// Beat renews the token's heartbeat. fault.Gone as for Finish.
	Beat(ctx context.Context, token string) error
	// Stop aborts an execution and its synchronous children; ended or unknown is
	// no error. For repair only: a run is aborted by an event.
	Stop(ctx context.Context, machine, name, cause string) error
	// Describe returns one execution; fault.NotFound when the name is unknown.
	Describe(ctx context.Context, machine, name string) (Execution, error)
}

// Functions that machines and schedules invoke, by name.
type Functions interface {
	// Invoke runs a function with a JSON payload and returns its JSON result.
	Invoke(ctx context.Context, name string, payload json.RawMessage) (json.RawMessage, error)
}
