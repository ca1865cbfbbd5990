package workflow

import (
	"context"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
)

// History is the way of an execution so far.
type History struct {
	States      []string // entered, in order; the newest 512
	Transitions int      // states entered and retries: what Step Functions bills
	Events      int      // estimate of Step Functions' history events
}

// History returns the way of an execution; fault.NotFound when it is unknown.
func (w *Workflow) History(_ context.Context, machine, name string) (History, error) {
	r, err := w.find(machine, name)
	if err != nil {
		return History{}, err
	}
	m, err := w.definition(r.machine, r.digest, nil)
	if err != nil {
		return History{}, err
	}
	h := History{Transitions: r.transitions, Events: r.events}
	states := m.States()
	for _, i := range r.history {
		h.States = append(h.States, states[i])
	}
	return h, nil
}

// definition returns the definition an execution runs, which may be older than
// the one new executions get. stored is its text when at hand.
func (w *Workflow) definition(machine, digest string, stored []byte) (*asl.Machine, error) {
	if m := w.Definitions[machine]; m != nil && m.Digest() == digest {
		return m, nil
	}
	if stored == nil {
		var err error
		if stored, _, err = w.Records.Get(definitionPrefix + digest); err != nil {
			return nil, err
		}
	}
	return asl.Parse(machine+"@"+digest, stored, nil)
}
