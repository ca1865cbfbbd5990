package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Pausing is the latest word about the pausing of a track by one of those who may say
// so: the track itself, or one above it.
type Pausing struct {
	N  int64      `json:"n"`
	On bool       `json:"on,omitempty"`
	By core.Actor `json:"by"`
	At int64      `json:"at"`
}

// Paused tells who has paused the track, itself or with one above it; nil when nobody
// has. Of several it is the outermost.
func (t *Track) Paused() *Pausing {
	for _, of := range slices.Sorted(maps.Keys(t.Pauses)) {
		if p := t.Pauses[of]; p.On {
			return &p
		}
	}
	return nil
}

// PausedHere reports whether the track itself is paused, and not only one above it.
func (t *Track) PausedHere() bool { return t.Pauses[t.ID].On }

// IsPaused reports whether the track stands before a node because it is paused.
func (h *Hold) IsPaused() bool { return h != nil && h.Kind == kindPause }

// ofStep reports whether it is a step that is held for.
func (h *Hold) ofStep() bool {
	return h.Kind != kindBranches && h.Kind != kindStages && h.Kind != kindPause
}

// pauseAsked pauses the track or lets it go on, and tells those below. What it waits for
// goes on waiting, timeouts pass as they do otherwise (BEHAVIOUR §14.8).
func (w *walk) pauseAsked(e core.Pause) error {
	if e.Of == "" {
		if err := w.mayPause(e); err != nil {
			return err
		}
		e.Of, e.N = w.t.ID, w.ev.N
		topic := "run.paused"
		if e.Resume {
			topic = "run.resumed"
		}
		w.do(core.Command{Do: core.DoPublish, Topic: topic, Name: w.root.FQN})
	} else if err := w.pausedFromAbove(e); err != nil {
		return err
	}
	if w.t.Pauses == nil {
		w.t.Pauses = map[string]Pausing{}
	}
	w.t.Pauses[e.Of] = Pausing{N: e.N, On: !e.Resume, By: e.By, At: w.ev.At}
	for _, track := range w.t.openChildren() {
		told := e
		told.Round = w.t.Children[track].Round
		w.do(core.Command{Do: core.DoDeliver, Track: track, Event: &core.Event{V: core.EventVersion, Type: core.EventPause,
			Source: fmt.Sprintf("pause:%s:%d", e.Of, e.N), Actor: w.ev.Actor, Pause: &told}})
	}
	if c := w.t.chained(); c != nil { // the run that it has started, too
		told := e
		told.Of, told.Round = w.run.Launch.Run+":"+e.Of, core.Round{}
		w.chain(c, &core.Event{V: core.EventVersion, Type: core.EventPause, Source: fmt.Sprintf("pause:%s:%d", told.Of, e.N), Actor: w.ev.Actor, Pause: &told})
	}
	switch {
	case w.t.Paused() != nil:
		return w.withhold()
	case e.Resume:
		return w.goOnAgain()
	}
	return nil
}

// mayPause refuses what a person cannot mean.
func (w *walk) mayPause(e core.Pause) error {
	what := "run " + w.run.Launch.Run
	if !w.isPipeline() {
		what = "stage " + w.root.Identifier
	}
	switch {
	case !w.isPipeline() && w.root.Kind != core.KindStage:
		return fault.New(fault.Invalid, "only runs and stages can be paused")
	case w.t.Status.Terminal():
		return fault.New(fault.Gone, "%s has ended", what)
	case w.t.Stopping != "":
		return fault.New(fault.Gone, "%s is being stopped", what)
	case w.t.Status == core.NotStarted:
		return fault.New(fault.Conflict, "%s has not begun", what)
	case w.t.PausedHere() == !e.Resume:
		if e.Resume && w.t.Paused() != nil {
			return fault.New(fault.Conflict, "%s is paused with its run: resume that", what)
		}
		if e.Resume {
			return fault.New(fault.Conflict, "%s is not paused", what)
		}
		return errIgnored
	}
	return nil
}

// pausedFromAbove drops what is late, or about a walk that is over.
func (w *walk) pausedFromAbove(e core.Pause) error {
	if w.t.Round.N < e.Round.N {
		if err := w.renewTrack(e.Round); err != nil {
			return err
		}
	}
	if w.t.Status == core.NotStarted {
		w.t.Round = e.Round
	}
	if w.t.Status.Terminal() || w.t.Round != e.Round || w.t.Pauses[e.Of].N >= e.N {
		return errIgnored
	}
	return nil
}

// withhold takes back a task that no delegate has taken yet.
func (w *walk) withhold() error {
	t := w.t.Task
	if t == nil || t.Delegate != nil {
		return nil
	}
	q := t.QueuedTask
	w.do(core.Command{Do: core.DoUnqueue, Task: &q})
	s := w.t.Nodes[t.Node]
	s.Status, s.Withdrawn = core.Queued, true
	w.t.Task = nil
	return w.walk()
}

// holdUp stops the walk in front of a node while the track is paused.
func (w *walk) holdUp(n *core.Node) bool {
	if w.t.Paused() == nil {
		return false
	}
	w.hold(Hold{Kind: kindPause, Node: n.FQN}, w.remaining()*1000)
	return true
}

// goOnAgain goes on where the pause has held the walk up.
func (w *walk) goOnAgain() error {
	for _, fqn := range slices.Sorted(maps.Keys(w.t.Loops)) {
		if len(w.t.Loops[fqn].Queue) > 0 {
			w.nextIterations(w.run.Node(fqn))
		}
	}
	if !w.t.Hold.IsPaused() {
		return nil
	}
	w.t.Hold = nil
	if w.isPipeline() {
		return w.walk()
	}
	w.release()
	return nil
}

// queued reports whether iterations are not started because the track is paused.
func (w *walk) queued() bool {
	for _, l := range w.t.Loops {
		if len(l.Queue) > 0 {
			return w.t.Paused() != nil && w.t.Stopping == ""
		}
	}
	return false
}
