package flowtest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
)

// Func is core.Functions in one function.
type Func func(ctx context.Context, name string, payload json.RawMessage) (json.RawMessage, error)

// Invoke implements core.Functions.
func (f Func) Invoke(ctx context.Context, name string, payload json.RawMessage) (json.RawMessage, error) {
	return f(ctx, name, payload)
}

// Calls is core.Functions that hands every invocation to the test.
type Calls struct {
	t  *testing.T
	ch chan *Call
}

// Call is an invocation that waits for its answer.
type Call struct {
	Function string
	Payload  map[string]any
	answer   chan answer
}

type answer struct {
	out json.RawMessage
	err error
}

// patience is how long a test waits for what must come.
const patience = 10 * time.Second

// NewCalls returns functions without invocations yet.
func NewCalls(t *testing.T) *Calls { return &Calls{t, make(chan *Call, 1000)} }

// Invoke implements core.Functions.
func (c *Calls) Invoke(ctx context.Context, name string, payload json.RawMessage) (json.RawMessage, error) {
	v, err := asl.Decode(payload)
	if err != nil {
		return nil, err
	}
	members, _ := v.(map[string]any)
	call := &Call{Function: name, Payload: members, answer: make(chan answer, 1)}
	c.ch <- call
	select {
	case a := <-call.answer:
		return a.out, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Next waits for the next invocation.
func (c *Calls) Next() *Call {
	c.t.Helper()
	select {
	case call := <-c.ch:
		return call
	case <-time.After(patience):
		c.t.Fatal("no function was invoked")
		return nil
	}
}

// None fails the test when an invocation waits to be looked at.
func (c *Calls) None() {
	c.t.Helper()
	select {
	case call := <-c.ch:
		c.t.Fatalf("an invocation too many: %v", call.Payload)
	default:
	}
}

// Return answers with JSON.
func (c *Call) Return(out string) *Call {
	c.answer <- answer{out: json.RawMessage(out)}
	return c
}

// Throw answers with an error.
func (c *Call) Throw(err error) { c.answer <- answer{err: err} }

// Text is a string of the payload, "" when absent.
func (c *Call) Text(name string) string {
	s, _ := c.Payload[name].(string)
	return s
}

// Token is the task token in the payload.
func (c *Call) Token() string { return c.Text("token") }

// Eventually waits until a condition holds.
func Eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not so: %s", what)
		}
	}
}
