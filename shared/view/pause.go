package view

import (
	"cmp"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// Paused says who has paused a run, or a stage of it.
type Paused struct {
	Node string     `json:"node,omitempty"` // FQN of the stage, "" for the run
	By   core.Actor `json:"by"`
	At   int64      `json:"at"` // ms
}

// pauses lists what is paused in a run, the run first.
func pauses(r *engine.Run, tracks map[string]*engine.Track) (list []Paused) {
	for id, t := range tracks {
		if !t.PausedHere() {
			continue
		}
		at := t.Pauses[id]
		p := Paused{By: at.By, At: at.At}
		if n := r.TrackRoot(id); n.Kind != core.KindPipeline {
			p.Node = n.FQN
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Paused) int { return cmp.Compare(a.Node, b.Node) })
	return list
}

// pausedBefore reports whether the walk of the track stands in front of the node.
func pausedBefore(t *engine.Track, n *core.Node) bool {
	return t.Hold.IsPaused() && t.Hold.Node == n.FQN
}
