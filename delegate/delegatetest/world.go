package delegatetest

import (
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/slipway-cd/slipway/shared/wire"
)

// Clock is the machine's own.
type Clock struct{}

// Now returns the time.
func (Clock) Now() time.Time { return time.Now() }

// AfterFunc calls f later.
func (Clock) AfterFunc(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// IDs makes random identifiers.
type IDs struct{}

// New returns 26 characters.
func (IDs) New() string { return rand.Text() }

// Token returns 52 characters.
func (IDs) Token() string { return rand.Text() + rand.Text() }

// Variable is an environment or output variable of Script.
type Variable struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Value any    `json:"value,omitempty"`
}

// Script is a ShellScript task with output variables.
func Script(id, script string, outputs ...Variable) wire.Task {
	return Task(id, "ShellScript", map[string]any{
		"shell":           "Bash",
		"source":          map[string]any{"type": "Inline", "spec": map[string]any{"script": script}},
		"outputVariables": outputs,
	})
}

// Task is a task of fence 1 with a minute of time.
func Task(id, stepType string, spec any) wire.Task {
	b, err := json.Marshal(spec)
	if err != nil {
		panic(err)
	}
	return wire.Task{
		TaskRef: wire.TaskRef{Run: "run", Track: "0.1", ID: id, Fence: 1},
		Node:    "pipeline.stages.s.spec.execution.steps." + id, Name: id, Type: stepType, Attempt: 1,
		Spec: b, TimeoutMS: time.Minute.Milliseconds(),
	}
}
