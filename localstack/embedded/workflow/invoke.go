package workflow

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/shared/fault"
)

// job is one invocation of a function for an attempt.
type job struct {
	x    *execution
	seq  uint64
	task *asl.Task
}

// newJob is the invocation for where x stands; its lock is held.
func newJob(x *execution) job { return job{x, x.saved.Load().seq, x.task} }

// pool runs jobs in the order they came, a bounded number at once. push never waits.
type pool struct {
	mu     sync.Mutex
	queue  []job
	active int
	closed bool
	limit  int
	work   func(job)
	wg     sync.WaitGroup
}

func (p *pool) push(j job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.queue = append(p.queue, j)
	if p.active < p.limit {
		p.active++
		p.wg.Go(p.worker)
	}
}

func (p *pool) worker() {
	for {
		p.mu.Lock()
		if len(p.queue) == 0 {
			p.active--
			p.queue = nil
			p.mu.Unlock()
			return
		}
		j := p.queue[0]
		p.queue = p.queue[1:]
		p.mu.Unlock()
		p.work(j)
	}
}

func (p *pool) close() {
	p.mu.Lock()
	p.queue, p.closed = nil, true
	p.mu.Unlock()
	p.wg.Wait()
}

// run invokes the function and applies its answer.
func (w *Workflow) run(j job) {
	if w.ctx.Err() != nil || j.x.attempt.Load() != j.seq {
		return // closed, or the attempt is over
	}
	out, f := w.invoke(j)
	if w.ctx.Err() != nil {
		return // cut short: New will invoke it again
	}
	switch {
	case f != nil:
		w.happen(j.x, j.seq, func(c *change, d *draft) { c.fail(d, f) })
	case j.task.Kind == asl.Invoke:
		w.happen(j.x, j.seq, func(c *change, d *draft) { c.complete(d, out) })
	}
}

// invoke calls the function. The result is shaped as lambda:invoke's.
func (w *Workflow) invoke(j job) (out asl.Data, f *asl.Failure) {
	defer func() {
		if r := recover(); r != nil {
			f = &asl.Failure{Error: "Lambda.Unknown", Cause: fmt.Sprintf("the function %s panicked: %v", functionOf(j.task.Target), r)}
		}
	}()
	answer, err := w.Functions.Invoke(w.ctx, functionOf(j.task.Target), j.task.Payload)
	if err != nil {
		return out, failureOf(err)
	}
	if j.task.Kind == asl.InvokeWait {
		return out, nil // the token brings the result
	}
	if len(answer) == 0 {
		answer = json.RawMessage("null")
	}
	payload, err := asl.DataOf(answer)
	if err != nil {
		return out, &asl.Failure{Error: "Lambda.Unknown", Cause: "the function's result is not JSON: " + err.Error()}
	}
	return asl.Data{Value: map[string]any{
		"ExecutedVersion": "$LATEST", "Payload": payload.Value, "StatusCode": json.Number("200"),
	}}, nil
}

// failureOf names a function's error as Lambda would: what its service refuses by
// the service's names, what the function returns by its kind.
func failureOf(err error) *asl.Failure {
	switch fault.KindOf(err) {
	case fault.Throttled:
		return &asl.Failure{Error: "Lambda.TooManyRequestsException", Cause: err.Error()}
	case fault.Unavailable:
		return &asl.Failure{Error: "Lambda.ServiceException", Cause: err.Error()}
	default:
		name := fault.ClassOf(err).ASL
		return &asl.Failure{Error: name, Cause: string(asl.Encode(map[string]any{"errorMessage": err.Error(), "errorType": name}))}
	}
}
