package view

import (
	"context"
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
)

// maxOutputs is how many bytes of outputs a view of a run carries in all: a
// function answers 6 MB, in which they may take twice the room.
const maxOutputs = 2 << 20

// room is what is left in a view for outputs.
type room struct {
	journal *journal.Journal
	run     string
	left    int
	only    string // id of the one node whose outputs are wanted, "" for all
}

// Outputs returns the outputs of one node, by its id, secret ones masked; fault.NotFound
// when the run has no such node or it has none.
func (v *Views) Outputs(ctx context.Context, account, run, node string) (map[string]any, error) {
	r, err := v.see(ctx, account, run, &room{journal: v.journal, run: run, left: maxOutputs, only: node})
	if err != nil {
		return nil, err
	}
	for _, n := range r.Nodes {
		if n.ID == node && n.Outputs != nil {
			return n.Outputs, nil
		}
	}
	return nil, fault.New(fault.NotFound, "run %s has no outputs of a node %q: nodes[].id of the run says which there are", run, node)
}

// take gives a node its outputs while there is room, and else says where they are.
func (r *room) take(ctx context.Context, n *Node, s *engine.Node) {
	if r.only != "" && r.only != n.ID || s.OutputsRef == nil && len(s.Outputs) == 0 {
		return
	}
	bytes := bytesOf(s)
	if bytes > r.left {
		n.OutputsAt = "/slipway/v1/runs/" + r.run + "/outputs/" + n.ID
		return
	}
	r.left -= bytes
	if outputs, err := r.journal.Outputs(ctx, s); err == nil {
		n.Outputs, _ = masked(outputs).(map[string]any)
	}
}

func bytesOf(s *engine.Node) int {
	if s.OutputsRef != nil {
		return s.OutputsRef.Bytes
	}
	body, err := json.Marshal(s.Outputs)
	if err != nil {
		return core.MaxInlineOutputs
	}
	return len(body)
}
