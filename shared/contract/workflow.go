package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// WorkflowFunction is the one function that the suite's definitions invoke, as
// ${Work}. ${Wait} stands for the machine "wait".
const WorkflowFunction = "work"

// Definitions of the suite. "wait" waits for a token for as long as its input
// says; "call" returns what the function returns; "parent" runs "wait" as a child.
const (
	waitDefinition = `{
  "StartAt": "Hold",
  "States": {
    "Hold": {
      "Type": "Task",
      "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken",
      "TimeoutSecondsPath": "$.timeout",
      "HeartbeatSecondsPath": "$.heartbeat",
      "Parameters": { "FunctionName": "${Work}", "Payload": { "token.$": "$$.Task.Token", "execution.$": "$$.Execution.Name", "input.$": "$" } },
      "Catch": [
        { "ErrorEquals": ["States.HeartbeatTimeout"], "Next": "Silent" },
        { "ErrorEquals": ["States.Timeout"], "Next": "Late" },
        { "ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": "Caught" }
      ],
      "End": true
    },
    "Silent": { "Type": "Fail", "Error": "Silent", "Cause": "no heartbeat" },
    "Late": { "Type": "Fail", "Error": "Late", "Cause": "no result" },
    "Caught": { "Type": "Succeed", "OutputPath": "$.error.Error" }
  }
}`
	callDefinition = `{
  "StartAt": "Call",
  "States": {
    "Call": {
      "Type": "Task",
      "Resource": "arn:aws:states:::lambda:invoke",
      "Parameters": { "FunctionName": "${Work}", "Payload": { "execution.$": "$$.Execution.Name", "input.$": "$" } },
      "ResultSelector": { "payload.$": "$.Payload", "status.$": "$.StatusCode" },
      "Retry": [{ "ErrorEquals": ["Lambda.TooManyRequestsException", "Slipway.Throttled"], "IntervalSeconds": 1, "MaxAttempts": 1 }],
      "End": true
    }
  }
}`
	parentDefinition = `{
  "StartAt": "Run",
  "States": {
    "Run": {
      "Type": "Task",
      "Resource": "arn:aws:states:::states:startExecution.sync:2",
      "Parameters": { "StateMachineArn": "${Wait}", "Name.$": "$.name", "Input": { "timeout": 600, "heartbeat": 500, "from.$": "$$.Execution.Name" } },
      "ResultSelector": { "name.$": "$.Name", "status.$": "$.Status", "from.$": "$.Input.from", "output.$": "$.Output.deep" },
      "Catch": [{ "ErrorEquals": ["States.TaskFailed"], "ResultPath": "$.error", "Next": "Failed" }],
      "End": true
    },
    "Failed": { "Type": "Succeed", "OutputPath": "$.error.Error" }
  }
}`
)

// patientInput lets "wait" wait longer than any test.
const patientInput = `{"timeout":600,"heartbeat":500}`

// Workflow is the contract of core.Workflow, that of Step Functions. open is given
// definitions by machine in which ${Work} and ${Wait} stand for the ARNs of the
// function WorkflowFunction, which is fns, and of the machine "wait". It returns a
// workflow without executions, to be closed by t.Cleanup.
func Workflow(t *testing.T, open func(t *testing.T, definitions map[string][]byte, fns core.Functions) core.Workflow) {
	definitions := map[string][]byte{"wait": []byte(waitDefinition), "call": []byte(callDefinition), "parent": []byte(parentDefinition)}
	tests := []struct {
		name string
		run  func(*workflowSuite)
	}{
		{"start is idempotent while running", (*workflowSuite).startTwice},
		{"start refuses", (*workflowSuite).startRefuses},
		{"one of many starts with different inputs", (*workflowSuite).startRace},
		{"a token is finished once", (*workflowSuite).finishOnce},
		{"one of many finishes", (*workflowSuite).finishRace},
		{"a token may be finished before its function returns", (*workflowSuite).finishFirst},
		{"a function's error fails the task", (*workflowSuite).functionError},
		{"a function's error after the token is ignored", (*workflowSuite).lateError},
		{"a function's result", (*workflowSuite).functionResult},
		{"a throttled function is tried again", (*workflowSuite).functionRetry},
		{"beats keep a task alive", (*workflowSuite).beats},
		{"a lost heartbeat is caught", (*workflowSuite).silence},
		{"a time-out is caught", (*workflowSuite).late},
		{"a child's result", (*workflowSuite).child},
		{"a failed child", (*workflowSuite).failedChild},
		{"describe", (*workflowSuite).describe},
		{"stop", (*workflowSuite).stop},
		{"stop takes children along", (*workflowSuite).stopParent},
		{"bounds of payloads", (*workflowSuite).bounds},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			s := &workflowSuite{T: t, answer: func(invocation) (string, error) { return "null", nil }}
			s.flow = open(t, definitions, s)
			tc.run(s)
		})
	}
}

// workflowSuite is one test: an adapter, and the function it invokes.
type workflowSuite struct {
	*testing.T
	flow core.Workflow

	mu     sync.Mutex
	answer func(invocation) (string, error)
	tokens map[string]string // newest by execution
}

type invocation struct {
	Token, Execution string
	Input            json.RawMessage
}

// Invoke is the function: it keeps the token and answers as the test wishes.
func (s *workflowSuite) Invoke(_ context.Context, name string, payload json.RawMessage) (json.RawMessage, error) {
	var i invocation
	if err := json.Unmarshal(payload, &i); err != nil || name != WorkflowFunction {
		return nil, fmt.Errorf("%s was invoked with %s", name, payload)
	}
	s.mu.Lock()
	if s.tokens == nil {
		s.tokens = map[string]string{}
	}
	if i.Token != "" {
		s.tokens[i.Execution] = i.Token
	}
	answer := s.answer
	s.mu.Unlock()
	out, err := answer(i)
	return json.RawMessage(out), err
}

func (s *workflowSuite) answers(f func(invocation) (string, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

func (s *workflowSuite) start(machine, name, input string) {
	s.Helper()
	if err := s.flow.Start(s.Context(), machine, name, json.RawMessage(input)); err != nil {
		s.Fatalf("Start: %v", err)
	}
}

// token waits until an execution's token was handed on.
func (s *workflowSuite) token(name string) string {
	s.Helper()
	var token string
	eventually(s.T, "a token of "+name, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		token = s.tokens[name]
		return token != ""
	})
	return token
}

func (s *workflowSuite) finish(token, output string) error {
	return s.flow.Finish(s.Context(), token, json.RawMessage(output))
}

func (s *workflowSuite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *workflowSuite) wants(what string, err error, kind fault.Kind) {
	s.Helper()
	wantKind(s.T, what, err, kind)
}

// ends waits for the end of an execution.
func (s *workflowSuite) ends(machine, name string, status core.ExecutionStatus) core.Execution {
	s.Helper()
	var e core.Execution
	eventually(s.T, name+" ended", func() bool {
		var err error
		e, err = s.flow.Describe(s.Context(), machine, name)
		s.must(err)
		return e.Status != core.ExecutionRunning
	})
	if e.Status != status {
		s.Fatalf("%s ended %s (%s: %s), want %s", name, e.Status, e.Error, e.Cause, status)
	}
	return e
}

func (s *workflowSuite) outputs(e core.Execution, want string) {
	s.Helper()
	if got := string(e.Output); !sameJSON(got, want) {
		s.Errorf("output = %s, want %s", got, want)
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
