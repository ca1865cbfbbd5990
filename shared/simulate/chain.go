package simulate

import (
	"fmt"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// top is the world that time, dice and what may happen are of: that of the run which
// no other has started.
func (w *World) top() *World {
	if w.starter != nil {
		return w.starter
	}
	return w
}

// of is the world of a run, nil when there is none.
func (w *World) of(run string) *World {
	w = w.top()
	if run == "" || run == w.Run.Launch.Run {
		return w
	}
	return w.Chains[run]
}

// chain has a stage's pipeline run, or stops that, as shared/launch and shared/journal do.
func (w *World) chain(c core.Command) {
	child := w.Chains[c.Run]
	if child == nil {
		child = w.chained(c)
		w.Chains[c.Run] = child
	}
	ev := core.Event{Type: core.EventStarted}
	if c.Event != nil {
		ev = *c.Event
	}
	child.must("0", ev)
}

// chained is the world of a chained run: all its own but time and chance.
func (w *World) chained(c core.Command) *World {
	n := w.Run.ChainStage(c.Track)
	l := w.Run.Launch
	child := NewWorld(core.Launch{Run: c.Run, At: w.Now, Plan: n.Chain.Plan, Started: l.Started,
		Parent: &core.Parent{Run: l.Run, Track: c.Track, Stage: n.Identifier, Pipeline: l.Plan.Identifier, ChainCall: *c.Chain, Outputs: n.Chain.Outputs}})
	child.Work, child.Held, child.Lasts, child.Decide, child.Decided = w.Work, w.Held, w.Lasts, w.Decide, w.Decided
	child.Dice, child.Timed, child.Twice, child.starter = w.Dice, w.Timed, w.Twice, w
	if w.Chained != nil {
		w.Chained(c, child)
	}
	return child
}

// deliver gives an event to a track, of another run when the command says so.
func (w *World) deliver(c core.Command) {
	to := w
	if c.Run != "" {
		to = w.of(c.Run)
	}
	if err := to.Apply(c.Track, *c.Event); err != nil {
		w.fail(fmt.Errorf("delivering to %s: %w", c.Track, err))
	}
}

// ChainOf is the world of the run that a stage's track has started last, nil for none.
func (w *World) ChainOf(t *engine.Track) *World {
	if root := w.Run.From(t).TrackRoot(t.ID); root != nil && t.Nodes[root.FQN] != nil && t.Nodes[root.FQN].Chained != nil {
		return w.Chains[t.Nodes[root.FQN].Chained.Run]
	}
	return nil
}
