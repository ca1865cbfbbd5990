package workflow

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/shared/core"
)

// startChild starts the execution that a startExecution.sync:2 task asks for, in
// the same save as the step that entered the task.
func (c *change) startChild(d *draft) {
	machine, name := machineOf(d.task.Target), d.task.Name
	if name == "" {
		name = c.w.IDs.New()
	}
	m := c.w.Definitions[machine]
	if m == nil {
		c.fail(d, refused("StateMachineDoesNotExist", "there is no state machine %q", d.task.Target))
		return
	}
	if !validName(name) {
		c.fail(d, refused("InvalidName", "%q cannot name an execution", name))
		return
	}
	input, err := asl.DataOf(d.task.Payload)
	if err != nil {
		c.fail(d, refused("InvalidExecutionInput", "the input of %q is not JSON: %v", name, err))
		return
	}
	taken, err := c.w.taken(executionKey(machine, name), input.JSON(), c.now)
	if err != nil {
		c.fail(d, refused("AWSStepFunctions", "reading the execution %q: %v", name, err))
		return
	}
	child, other := (*draft)(nil), (*execution)(nil)
	if !taken {
		child, other = c.create(m, machine, name, input, d.x.key)
	}
	if taken || other != nil {
		c.fail(d, refused("ExecutionAlreadyExists", "the name %q of %q is taken", name, machine))
		return
	}
	d.rec.child = child.x.key
	c.step(child, m.Start(c.env(child), input))
}

// refused is an error of Step Functions' own API.
func refused(name, format string, args ...any) *asl.Failure {
	return &asl.Failure{Error: "StepFunctions." + name + "Exception", Cause: fmt.Sprintf(format, args...)}
}

// childEnded answers a startExecution.sync:2 task: input and output come parsed,
// and any end but success is States.TaskFailed with the description as its cause.
func (c *change) childEnded(p, d *draft, output asl.Data) {
	child := &d.rec
	v := map[string]any{
		"ExecutionArn":    executionARN(child.machine, child.name),
		"Input":           d.x.input,
		"Name":            child.name,
		"StartDate":       number(child.started),
		"StateMachineArn": machineARN(child.machine),
		"Status":          string(child.status),
		"StopDate":        number(child.stopped),
	}
	if child.status == core.ExecutionSucceeded {
		v["Output"] = output.Value
		c.complete(p, asl.Data{Value: v})
		return
	}
	v["Error"], v["Cause"] = child.failure, child.cause
	c.fail(p, &asl.Failure{Error: asl.ErrTaskFailed, Cause: string(asl.Encode(v))})
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }
