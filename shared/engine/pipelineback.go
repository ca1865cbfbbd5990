package engine

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
)

// Walked is how a stage's track ended before the pipeline was rolled back: what the
// stage is known by.
type Walked struct {
	Status  core.Status   `json:"status"`
	Started int64         `json:"started"`
	Ended   int64         `json:"ended"`
	Failure *core.Failure `json:"failure,omitempty"`
}

// Standing is how what the track walks stands: a stage that was rolled back with its
// pipeline as it ended before.
func (t *Track) Standing() Walked {
	if t.Normal != nil {
		return *t.Normal
	}
	return Walked{t.Status, t.Started, t.Ended, t.Failure}
}

// undoing is the track as it stands before the rollback steps of its stage: all that
// has run stays to be seen.
func (t *Track) undoing(r core.Round) *Track {
	c := *t
	c.Round, c.Normal = r, new(t.Standing())
	c.Status, c.Started, c.Ended, c.Failure, c.Stopping = core.NotStarted, 0, 0, nil, ""
	c.Segment, c.Task, c.Hold, c.Next, c.Undo, c.Wanted, c.Because, c.Again, c.FailAll, c.Marked, c.Held = Segment{}, nil, nil, nil, nil, "", nil, nil, false, false, nil
	return &c
}

// beginTrack begins the walk: of a stage that is rolled back with its pipeline at its
// rollback steps.
func (w *walk) beginTrack() {
	w.t.Status, w.t.Started = core.Running, w.ev.At
	w.t.Cursor = []int{0}
	if w.t.Round.Rollback && w.root.Kind == core.KindStage {
		w.t.Undo = &Undo{Of: w.root.FQN}
	}
}

// backwards is what a pipeline's rollback goes through: its stages from the last to the
// first, those that ran side by side, iterations
// too, together.
func backwards(pipeline *core.Node) []*core.Node {
	list := slices.Clone(pipeline.Children)
	slices.Reverse(list)
	return list
}

// startUndo has the stages at the cursor rolled back, those that have run and have
// something to roll back (BEHAVIOUR §8.9).
func (w *walk) startUndo(n *core.Node) (waits bool, err error) {
	members := []*core.Node{n}
	if n.Kind == core.KindParallel {
		members = n.Children
	}
	var stages []*core.Node
	for _, s := range members {
		if s.Loop == nil {
			stages = append(stages, s)
		} else if w.run.expanded(s) {
			for _, it := range w.run.Children(s) {
				w.run.fill(it)
				stages = append(stages, it)
			}
		}
	}
	if stages, err = w.undoable(stages); err != nil {
		return false, err
	}
	if len(stages) == 0 {
		w.next()
		return false, nil
	}
	for _, s := range stages {
		w.child(s)
		if w.run.Launch.Rollback != nil {
			w.begin(s)
		}
	}
	if n.Kind == core.KindStage && n.Loop == nil {
		w.runStage(n)
		return true, nil
	}
	for _, s := range stages {
		w.startMachine(s)
	}
	w.hold(Hold{Kind: kindStages, Node: n.FQN, Stage: w.root.Timeout > 0}, w.remaining()*1000)
	return true, nil
}

// undoable are those of the stages that have run and were not rolled back yet. Whether
// one has rolled itself back is asked of all at once: how often may be asked is bounded.
func (w *walk) undoable(stages []*core.Node) (list []*core.Node, err error) {
	if b := w.run.Launch.Rollback; b != nil {
		return w.toRollBack(b, stages), nil
	}
	for _, s := range stages {
		if len(s.Rollback) == 0 || !w.t.HasStarted(s.Track) || w.t.Children[s.Track].Round.Rollback {
			continue
		}
		f, err := w.fact(RolledBackRef(s.Track))
		if isNeed(err) {
			need := &Need{}
			for track, c := range w.t.Children {
				if _, known := w.facts[RolledBackRef(track)]; !known && w.t.HasStarted(track) && !c.Round.Rollback {
					need.Refs = append(need.Refs, RolledBackRef(track))
				}
			}
			slices.Sort(need.Refs)
			return nil, need
		}
		if !f.Found {
			list = append(list, s)
		}
	}
	return list, nil
}

// RolledBackRef is the reference of whether a stage has rolled itself back; the fact is
// found when it has.
func RolledBackRef(track string) string { return "rolledBack:" + track }

// failAll stops the stages beside one whose failure is not to wait for them.
func (w *walk) failAll(e core.Child) {
	if !e.FailAll {
		return
	}
	if !w.isPipeline() {
		w.t.FailAll = true
		return
	}
	for _, track := range w.t.openChildren() {
		w.do(core.Command{Do: core.DoDeliver, Track: track, Event: &core.Event{
			V: core.EventVersion, Type: core.EventStop, Source: "stop:" + w.t.ID, Stop: &core.Stop{
				Status: core.Failed, Round: w.t.Children[track].Round,
				Reason: "stopped: stage " + w.run.TrackRoot(e.Track).Identifier + " has failed, and the pipeline is rolled back"}}})
	}
}
