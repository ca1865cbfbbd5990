package workflow

import (
	"context"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Workflow is core.Workflow over Records. Its methods may be called concurrently.
type Workflow struct {
	Config
	running register
	pool    pool
	weak    *unkind
	untold  []*record       // failed executions found by New
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
}

var _ core.Workflow = (*Workflow)(nil)

// New opens the workflow over what Records hold: executions that had not ended go
// on, and functions whose answer is missing are invoked again.
func New(cfg Config) (*Workflow, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	w := &Workflow{Config: cfg.withDefaults(), running: register{all: map[string]*execution{}}}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.pool = pool{limit: w.Concurrency, work: w.run}
	w.weak = newUnkind(w.Weak)
	if err := w.load(); err != nil {
		w.cancel()
		return nil, err
	}
	if !w.Paused {
		w.Resume()
	}
	return w, nil
}

// Resume sets going what New found. Only for Config.Paused; once.
func (w *Workflow) Resume() {
	for _, x := range w.running.list() {
		w.resume(x)
	}
	for _, r := range w.untold {
		w.tell(r, firstRetry)
	}
	w.untold = nil
	w.sweepLater()
}

// Close stops timers, cancels the functions' contexts and waits for them to
// return. Nothing is lost: New goes on from there.
func (w *Workflow) Close() {
	w.cancel()
	w.pool.close()
	for _, x := range w.running.list() {
		x.fam.mu.Lock()
		x.stopTimers()
		if x.end != nil {
			x.end()
		}
		x.fam.mu.Unlock()
	}
}

// tell lets OnFailed know of an execution, again after a while when it fails.
func (w *Workflow) tell(r *record, pause time.Duration) {
	w.Clock.AfterFunc(0, func() {
		if w.ctx.Err() != nil || w.OnFailed(w.ctx, r.describe()) == nil {
			return
		}
		w.Clock.AfterFunc(pause, func() { w.tell(r, min(2*pause, lastRetry)) })
	})
}

func (c Config) check() error {
	if c.Functions == nil || c.Clock == nil || c.IDs == nil || c.Records == nil {
		return fault.New(fault.Invalid, "workflow: Functions, Clock, IDs and Records are all needed")
	}
	for name, m := range c.Definitions {
		if !validName(name) {
			return fault.New(fault.Invalid, "workflow: %q cannot name a state machine: use letters, digits, - and _", name)
		}
		for _, target := range m.Targets(asl.StartSync) {
			if c.Definitions[machineOf(target)] == nil {
				return fault.New(fault.Invalid, "workflow: the machine %q starts %q, which has no definition", name, target)
			}
		}
	}
	return nil
}
