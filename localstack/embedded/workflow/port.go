package workflow

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// payload checks a JSON text that comes through the port.
func payload(what string, text json.RawMessage) (asl.Data, error) {
	if len(text) > core.MaxPayloadBytes {
		return asl.Data{}, fault.New(fault.TooLarge, "the %s has %d bytes, more than %d", what, len(text), core.MaxPayloadBytes)
	}
	d, err := asl.DataOf(bytes.Clone(text))
	if err != nil {
		return d, fault.New(fault.Invalid, "the %s is not JSON: %w", what, err)
	}
	return d, nil
}

// Start implements core.Workflow. It returns once the execution is saved, standing
// at its first task.
func (w *Workflow) Start(ctx context.Context, machine, name string, input json.RawMessage) error {
	m := w.Definitions[machine]
	if m == nil {
		return fault.New(fault.NotFound, "there is no state machine %q", machine)
	}
	if !validName(name) {
		return fault.New(fault.Invalid, "%q cannot name an execution: use 1 to %d letters, digits, - and _", name, core.MaxExecutionName)
	}
	data, err := payload("input", input)
	if err != nil {
		return err
	}
	for {
		c := w.begin(&family{})
		d, other := c.create(m, machine, name, data, "")
		if d != nil {
			return w.first(ctx, c, d, data)
		}
		c.abandon()
		if r := other.standing(); r != nil {
			return again(r, data.JSON())
		}
		// Its own start failed meanwhile: the name is free again.
	}
}

// first starts a registered execution unless its name is taken by an ended one.
func (w *Workflow) first(ctx context.Context, c *change, d *draft, input asl.Data) error {
	taken, err := w.taken(d.x.key, input.JSON(), c.now)
	if err == nil && taken {
		err = fault.New(fault.AlreadyExists, "the name %q of an execution of %q is taken", d.rec.name, d.rec.machine)
	}
	if err != nil {
		c.abandon()
		return err
	}
	c.step(d, d.x.machine.Start(c.env(d), input))
	return c.commit(ctx)
}

// again is the answer to a second Start of a name.
func again(r *record, input []byte) error {
	switch {
	case !r.running():
		return fault.New(fault.AlreadyExists, "the execution %q of %q has ended", r.name, r.machine)
	case !bytes.Equal(r.input, input):
		return fault.New(fault.AlreadyExists, "the execution %q of %q runs with another input", r.name, r.machine)
	default:
		return nil
	}
}

// standing waits for the execution's first save; nil when that failed.
func (x *execution) standing() *record {
	if r := x.saved.Load(); r != nil {
		return r
	}
	x.fam.mu.Lock()
	defer x.fam.mu.Unlock()
	return x.saved.Load()
}

// taken reports whether an execution that does not run in memory has the key: one
// that ended in the last 90 days. One that runs there is left of a start whose
// save failed after all; the same start may write over it.
func (w *Workflow) taken(key string, input []byte, now time.Time) (bool, error) {
	data, ok, err := w.Records.Get(key)
	if err != nil || !ok {
		return false, err
	}
	r, err := decode(data)
	if err != nil {
		return false, fault.New(fault.Internal, "reading %s: %w", key, err)
	}
	if r.running() {
		return !bytes.Equal(r.input, input), nil
	}
	return !r.forgotten(now), nil
}

func (r *record) forgotten(now time.Time) bool {
	return !r.running() && now.Sub(time.UnixMilli(r.stopped)) > keepEnded
}

// holder finds the execution that waits for a token.
func (w *Workflow) holder(token string) (*execution, error) {
	key, ok := keyOfToken(token)
	if ok {
		if x := w.running.get(key); x != nil {
			if r := x.saved.Load(); r != nil && r.token == token {
				return x, nil
			}
		}
	}
	return nil, errGone()
}

func errGone() error {
	return fault.New(fault.Gone, "the token is unknown, finished or timed out")
}

// Finish implements core.Workflow. It returns once the step is saved: the result
// applied and the next task entered, or the execution ended.
func (w *Workflow) Finish(ctx context.Context, token string, output json.RawMessage) error {
	data, err := payload("output", output)
	if err != nil {
		return err
	}
	x, err := w.holder(token)
	if err != nil {
		return err
	}
	c := w.begin(x.fam)
	if x.saved.Load().token != token {
		c.abandon()
		return errGone()
	}
	c.complete(c.edit(x), data)
	return c.commit(ctx)
}

// Beat implements core.Workflow. It costs no save.
func (w *Workflow) Beat(_ context.Context, token string) error {
	x, err := w.holder(token)
	if err != nil {
		return err
	}
	x.beaten.Store(w.Clock.Now().UnixMilli())
	return nil
}

// Stop implements core.Workflow. An execution that waits for the stopped one gets
// States.TaskFailed.
func (w *Workflow) Stop(ctx context.Context, machine, name, cause string) error {
	x := w.running.get(executionKey(machine, name))
	if x == nil || x.standing() == nil {
		return nil
	}
	c := w.begin(x.fam)
	if !x.saved.Load().running() {
		c.abandon()
		return nil
	}
	d := c.edit(x)
	c.leave(d, cause)
	c.end(d, core.ExecutionAborted, asl.Data{}, &asl.Failure{Cause: cause})
	return c.commit(ctx)
}

// Describe implements core.Workflow.
func (w *Workflow) Describe(_ context.Context, machine, name string) (core.Execution, error) {
	r, err := w.find(machine, name)
	if err != nil {
		return core.Execution{}, err
	}
	return r.describe(), nil
}

func (w *Workflow) find(machine, name string) (*record, error) {
	key := executionKey(machine, name)
	if x := w.running.get(key); x != nil {
		if r := x.saved.Load(); r != nil {
			return r, nil
		}
	}
	data, ok, err := w.Records.Get(key)
	if err != nil {
		return nil, err
	}
	if ok {
		r, err := decode(data)
		if err != nil {
			return nil, fault.New(fault.Internal, "reading %s: %w", key, err)
		}
		if !r.forgotten(w.Clock.Now()) {
			return r, nil
		}
	}
	return nil, fault.New(fault.NotFound, "there is no execution %q of %q", name, machine)
}
