package engine

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// A run that rolls back another walks its stages backwards, their rollback steps alone,
// as a pipeline's rollback does; every other node of the plan was walked by that run.

// startRollback begins such a run.
func (w *walk) startRollback(b *core.Rollback) {
	w.t.Undo = &Undo{Of: w.root.FQN, Turned: true}
	for fqn, its := range b.Loops {
		if w.t.Loops == nil {
			w.t.Loops = map[string]*Loop{}
		}
		w.t.Loops[fqn] = &Loop{Iterations: its}
	}
	w.run = w.base.From(w.t)
}

// toRollBack are those of the stages that the run is to roll back.
func (w *walk) toRollBack(b *core.Rollback, stages []*core.Node) []*core.Node {
	return slices.DeleteFunc(slices.Clone(stages), func(s *core.Node) bool {
		return len(s.Rollback) == 0 || !slices.Contains(b.Stages, s.Track) || w.t.Children[s.Track] != nil
	})
}

// wasRun reports whether a node is not this run's but that of the one it rolls back.
func (r *Run) wasRun(n *core.Node) bool {
	return r.Launch.Rollback != nil && n.Kind != core.KindPipeline && !undoes(n.FQN)
}

// undoes reports whether a node is a rollback step, or in one.
func undoes(fqn string) bool { return strings.Contains(fqn, ".rollbackSteps.") }

// OfRolledBack reports whether a reference is answered by the run that this one rolls
// back.
func (r *Run) OfRolledBack(ref string) bool {
	kind, name, _ := strings.Cut(ref, ":")
	return r.Launch.Rollback != nil && slices.Contains([]string{"node", "in", "given", "export", "iteration"}, kind) && !undoes(name)
}

// mode is how the run is executed, where the track is.
func (w *walk) mode() string {
	switch {
	case w.run.Launch.Rollback != nil:
		return core.ModePostRollback
	case w.t.Round.Rollback:
		return core.ModePipelineRollback
	default:
		return core.ModeNormal
	}
}

// rolledBackAll is what the stages that were rolled back amount to.
func (w *walk) rolledBackAll() core.Status {
	var ends []core.Status
	for _, s := range w.t.Nodes {
		ends = append(ends, s.Status)
	}
	return core.Aggregate(ends...)
}

// deployed notes what a Deployment stage that has succeeded has deployed to.
func (w *walk) deployed(status core.Status) {
	if status != core.Succeeded || w.root.Kind != core.KindStage || w.t.Round.Rollback {
		return
	}
	for _, c := range w.t.Held {
		if kind, _ := core.LockParts(c.Lock); kind == core.LockInfra && w.owns(c) {
			w.do(core.Command{Do: core.DoDeployed, Claim: &core.Claim{ID: c.ID, Lock: c.Lock, Run: c.Run, Track: c.Track}})
		}
	}
}
