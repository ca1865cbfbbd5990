package view

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// pipelineRollback is the node that a pipeline's rollback is shown as: a stage behind
// the others, with a group for each stage that is rolled back, the last one first.
const pipelineRollback = "pipelineRollback"

// undone moves the steps of a pipeline's rollback behind all others.
func undone(r *engine.Run, tracks map[string]*engine.Track, list []Node) []Node {
	root := Node{FQN: r.Plan.Root.FQN + "." + pipelineRollback, Parent: r.Plan.Root.FQN, Kind: core.KindStage,
		Identifier: pipelineRollback, Name: "Pipeline Rollback", Type: "PipelineRollback", Attempt: 1}
	root.ID = engine.NodeExecutionID(r.Launch.Run, root.FQN)
	var below []Node
	var ends []core.Status
	r.Walk(func(n *core.Node) {
		t := tracks[n.Track]
		if n.Kind != core.KindStage || t == nil || !t.Round.Rollback {
			return
		}
		var group []Node
		list, group = cut(list, n, root)
		group[0].Status, group[0].Started, group[0].Finished = statusOf(tracks, t).API(), t.Started, t.Ended
		group[0].ID, group[0].Failure = engine.NodeExecutionID(r.Launch.Run, group[0].FQN), t.Failure
		below = append(group, below...)
		ends = append(ends, t.Status)
		if t.Started > 0 && (root.Started == 0 || t.Started < root.Started) {
			root.Started = t.Started
		}
		root.Finished = max(root.Finished, t.Ended)
	})
	if len(below) == 0 {
		return list
	}
	root.Status = core.Aggregate(ends...).API()
	if !tracks[r.Plan.Root.Track].Status.Terminal() {
		root.Status, root.Finished = core.Running.API(), 0
	}
	return append(append(list, root), below...)
}

// cut takes a stage's rollback steps out of the list and puts them into a group.
func cut(list []Node, stage *core.Node, root Node) (rest, group []Node) {
	inside := map[string]bool{}
	for _, c := range stage.Rollback {
		c.Walk(func(n *core.Node) { inside[n.FQN] = true })
	}
	group = []Node{{FQN: root.FQN + "." + stage.Identifier, Parent: root.FQN, Kind: core.KindGroup, Identifier: stage.Identifier,
		Name: stage.Name, Attempt: 1}}
	for _, n := range list {
		if inside[n.FQN] {
			if n.Parent == stage.FQN {
				n.Parent = group[0].FQN
			}
			group = append(group, n)
		}
	}
	return slices.DeleteFunc(list, func(n Node) bool { return inside[n.FQN] }), group
}

// renewed puts what is to be walked again, and does not know yet, in the place of tracks.
func renewed(tracks map[string]*engine.Track) {
	for id, t := range tracks {
		above := tracks[core.ParentTrack(id)]
		if above == nil {
			continue
		}
		if c := above.Children[id]; c != nil && (c.Status == core.NotStarted || c.Round.N > t.Round.N) {
			tracks[id] = t.Renewed(c.Round)
		}
	}
}
