// Package sfn is the Workflow port on Step Functions.
package sfn

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"github.com/slipway-cd/slipway/shared/aws/call"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// maxCause is Step Functions' bound of the cause of a stop, in characters.
const maxCause = 32768

var kinds = call.Kinds{
	"ExecutionAlreadyExists":   fault.AlreadyExists,
	"ExecutionLimitExceeded":   fault.Throttled,
	"ExecutionDoesNotExist":    fault.NotFound,
	"StateMachineDoesNotExist": fault.NotFound,
	"StateMachineDeleting":     fault.NotFound,
	"InvalidExecutionInput":    fault.Invalid,
	"InvalidName":              fault.Invalid,
	"InvalidOutput":            fault.Invalid,
	"TaskDoesNotExist":         fault.Gone,
	"TaskTimedOut":             fault.Gone,
	"InvalidToken":             fault.Gone,
	"KmsThrottlingException":   fault.Throttled,
}

// Workflow implements core.Workflow.
type Workflow struct {
	machines map[string]string
	client   func() *sfn.Client
}

// New returns the workflow of state machines, given as ARNs by machine (plain or
// of a version).
func New(cfg aws.Config, machines map[string]string) *Workflow {
	return &Workflow{machines: machines, client: call.Lazy(cfg, func(c aws.Config) *sfn.Client { return sfn.NewFromConfig(c) })}
}

// Start implements core.Workflow. Step Functions itself takes the same start twice
// while the execution runs; ExecutionAlreadyExists is for another input or a past
// one. It is not looked into further: DescribeExecution lags behind.
func (w *Workflow) Start(ctx context.Context, machine, name string, input json.RawMessage) error {
	arn, ok := w.machines[machine]
	if !ok {
		return fault.New(fault.NotFound, "there is no state machine %q", machine)
	}
	if !validName(name) {
		return fault.New(fault.Invalid, "%q cannot name an execution: use 1 to %d letters, digits, - and _", name, core.MaxExecutionName)
	}
	if err := checkPayload("input", input); err != nil {
		return err
	}
	core.Count(ctx, core.Use{core.Workflows: 1})
	_, err := w.client().StartExecution(ctx, &sfn.StartExecutionInput{
		StateMachineArn: &arn, Name: &name, Input: aws.String(string(input)),
	})
	return call.Fault(ctx, "starting an execution", err, kinds)
}

// Finish implements core.Workflow.
func (w *Workflow) Finish(ctx context.Context, token string, output json.RawMessage) error {
	if err := checkPayload("output", output); err != nil {
		return err
	}
	if err := checkToken(token); err != nil {
		return err
	}
	core.Count(ctx, core.Use{core.Workflows: 1})
	_, err := w.client().SendTaskSuccess(ctx, &sfn.SendTaskSuccessInput{TaskToken: &token, Output: aws.String(string(output))})
	return call.Fault(ctx, "finishing a token", err, kinds)
}

// Beat implements core.Workflow.
func (w *Workflow) Beat(ctx context.Context, token string) error {
	if err := checkToken(token); err != nil {
		return err
	}
	core.Count(ctx, core.Use{core.Workflows: 1})
	_, err := w.client().SendTaskHeartbeat(ctx, &sfn.SendTaskHeartbeatInput{TaskToken: &token})
	return call.Fault(ctx, "renewing a token", err, kinds)
}

// Stop implements core.Workflow.
func (w *Workflow) Stop(ctx context.Context, machine, name, cause string) error {
	arn, ok := w.machines[machine]
	if !ok || !validName(name) {
		return nil
	}
	_, err := w.client().StopExecution(ctx, &sfn.StopExecutionInput{
		ExecutionArn: aws.String(executionARN(arn, name)), Cause: aws.String(causeOf(cause)),
	})
	if call.Code(err) == "ExecutionDoesNotExist" {
		return nil
	}
	return call.Fault(ctx, "stopping an execution", err, kinds)
}

// Describe implements core.Workflow.
func (w *Workflow) Describe(ctx context.Context, machine, name string) (core.Execution, error) {
	arn, ok := w.machines[machine]
	if !ok || !validName(name) {
		return core.Execution{}, fault.New(fault.NotFound, "there is no execution %q of %q", name, machine)
	}
	out, err := w.client().DescribeExecution(ctx, &sfn.DescribeExecutionInput{ExecutionArn: aws.String(executionARN(arn, name))})
	if err != nil {
		return core.Execution{}, call.Fault(ctx, "describing an execution", err, kinds)
	}
	e := core.Execution{
		Machine: machine, Name: name, Status: statusOf(out.Status),
		Error: aws.ToString(out.Error), Cause: aws.ToString(out.Cause),
		Started: aws.ToTime(out.StartDate), Stopped: aws.ToTime(out.StopDate),
	}
	if out.Input != nil {
		e.Input = json.RawMessage(*out.Input)
	}
	if out.Output != nil && e.Status == core.ExecutionSucceeded {
		e.Output = json.RawMessage(*out.Output)
	}
	return e, nil
}

// statusOf: an execution that waits to be redriven has not ended.
func statusOf(s types.ExecutionStatus) core.ExecutionStatus {
	if s == types.ExecutionStatusPendingRedrive {
		return core.ExecutionRunning
	}
	return core.ExecutionStatus(s)
}

// executionARN is where an execution of a machine is; the version of the machine
// is no part of it.
func executionARN(machine, name string) string {
	head, rest, _ := strings.Cut(machine, ":stateMachine:")
	rest, _, _ = strings.Cut(rest, ":")
	return head + ":execution:" + rest + ":" + name
}

// causeOf is a cause within its bound.
func causeOf(s string) string {
	if len(s) > maxCause {
		return strings.ToValidUTF8(s[:maxCause], "")
	}
	return s
}

func checkToken(token string) error {
	if token == "" || len(token) > core.MaxTokenBytes {
		return fault.New(fault.Gone, "the token is unknown, finished or timed out")
	}
	return nil
}

func checkPayload(what string, text json.RawMessage) error {
	switch {
	case len(text) > core.MaxPayloadBytes:
		return fault.New(fault.TooLarge, "the %s has %d bytes, more than %d", what, len(text), core.MaxPayloadBytes)
	case !json.Valid(text):
		return fault.New(fault.Invalid, "the %s is not JSON", what)
	}
	return nil
}

func validName(s string) bool {
	if s == "" || len(s) > core.MaxExecutionName {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}
