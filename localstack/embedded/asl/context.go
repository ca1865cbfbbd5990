package asl

import (
	"slices"
	"strings"
	"time"
)

// Context is the context object, $$, at one attempt of a state.
type Context struct {
	ExecutionID      string
	ExecutionName    string
	ExecutionInput   any
	ExecutionStarted time.Time
	MachineID        string
	MachineName      string
	StateName        string
	StateEntered     time.Time
	RetryCount       int
	Token            string // "" unless the state waits for a token
}

// contextPaths are the paths into the context object that are supported.
var contextPaths = []string{
	"Execution.Id", "Execution.Name", "Execution.Input", "Execution.StartTime",
	"State.Name", "State.EnteredTime", "State.RetryCount",
	"StateMachine.Id", "StateMachine.Name", "Task.Token",
}

// head is the first two names of a context path, "Execution.Id".
func (p *path) head() string {
	if len(p.steps) < 2 {
		return ""
	}
	return p.steps[0].name + "." + p.steps[1].name
}

// known reports whether a context path leads somewhere. Below Execution.Input it
// may go on, elsewhere not.
func (p *path) known() bool {
	h := p.head()
	return slices.Contains(contextPaths, h) && (len(p.steps) == 2 || h == "Execution.Input")
}

func contextHint() string { return "$$." + strings.Join(contextPaths, ", $$.") }

// Timestamp is how the context object and the results of child executions write
// a time.
func Timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// get returns what a context path, checked by known, points at.
func (c *Context) get(p *path) (any, bool) {
	switch p.head() {
	case "Execution.Id":
		return c.ExecutionID, true
	case "Execution.Name":
		return c.ExecutionName, true
	case "Execution.Input":
		return follow(c.ExecutionInput, p.steps[2:])
	case "Execution.StartTime":
		return Timestamp(c.ExecutionStarted), true
	case "State.Name":
		return c.StateName, true
	case "State.EnteredTime":
		return Timestamp(c.StateEntered), true
	case "State.RetryCount":
		return c.RetryCount, true
	case "StateMachine.Id":
		return c.MachineID, true
	case "StateMachine.Name":
		return c.MachineName, true
	case "Task.Token":
		return c.Token, c.Token != ""
	default:
		return nil, false
	}
}

// resolve reads a path in the input or the context object.
func (p *path) resolve(input any, c *Context) (any, bool) {
	if p.context {
		return c.get(p)
	}
	return p.get(input)
}
