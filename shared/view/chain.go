package view

import (
	"context"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Chained is the run that a stage has started, of another pipeline.
type Chained struct {
	Run      string     `json:"run,omitempty"` // the last, when the stage was tried again; "" before it starts
	Scope    core.Scope `json:"scope"`
	Pipeline string     `json:"pipeline"`
	Name     string     `json:"name"`
}

// chained shows the run of a stage that has started one, and its tries.
func (out *Node) chained(n *core.Node, s *engine.Node) {
	out.Attempt = s.Attempt
	out.tried(s)
	if n.Chain.Plan == nil {
		return
	}
	out.Chained = &Chained{Scope: n.Chain.Plan.Scope, Pipeline: n.Chain.Plan.Identifier, Name: n.Chain.Plan.Name}
	if s.Chained != nil {
		out.Chained.Run = s.Chained.Run
	}
}

// innerApprovals are those that wait in the runs that a run's stages have started.
func (v *Views) innerApprovals(ctx context.Context, account string, r Run) (found []Approval, err error) {
	for _, n := range r.Nodes {
		if n.Chained == nil || n.Chained.Run == "" || n.Finished != 0 {
			continue
		}
		inner, err := v.Approvals(ctx, account, n.Chained.Run)
		if err != nil && !fault.Is(err, fault.NotFound) { // it may be about to begin
			return nil, err
		}
		found = append(found, inner...)
	}
	return found, nil
}

// parentOf is the stage that has started a run, without what it gave.
func parentOf(r *engine.Run) *core.Parent {
	if r.Launch.Parent == nil {
		return nil
	}
	p := *r.Launch.Parent
	p.Inputs, p.Outputs = nil, nil
	return &p
}
