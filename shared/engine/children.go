package engine

import (
	"fmt"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
)

// startStage sends the pipeline's machine to run the stage at the cursor.
func (w *walk) startStage(n *core.Node) {
	w.child(n)
	w.begin(n)
	w.runStage(n)
}

// runStage sends the pipeline's machine to a stage whose track is to be walked.
func (w *walk) runStage(n *core.Node) {
	w.outcome(core.Route{Kind: kindRunStage, Track: n.Track, Name: w.execution(n.Track)})
	w.t.Route.Segment = 1 // the child's first segment
}

// child records that a track below is started, once more when it has been walked.
func (w *walk) child(n *core.Node) {
	round := core.Round{Rollback: w.t.Round.Rollback || w.isPipeline() && w.t.Undo != nil}
	if c := w.t.Children[n.Track]; c != nil {
		round.N = c.Round.N + 1
	}
	w.t.Children[n.Track] = &Child{Status: core.Queued, Round: round, Generation: 1}
}

// execution is the name of the execution that walks a track below now.
func (w *walk) execution(track string) string {
	c := w.t.Children[track]
	return c.Round.ExecutionName(w.run.Launch.Run, track, c.Generation)
}

// branch is what starts side by side with others, decided on.
type branch struct {
	n *core.Node
	verdict
}

// startBlock starts the members of a parallel, or a looped node by itself, and makes
// the machine wait for all of them. All are decided on before any of them starts: what
// stands in the same block never counts.
func (w *walk) startBlock(n *core.Node, members []*core.Node) (waits bool, err error) {
	members = slices.DeleteFunc(slices.Clone(members), w.copied)
	branches := make([]branch, len(members))
	loops := make([]*expansion, len(members))
	for i, c := range members {
		if c.Loop != nil {
			loops[i], err = w.expansion(c)
		} else {
			branches[i].n = c
			branches[i].verdict, err = w.gate(c)
		}
		if err != nil {
			return false, err
		}
	}
	if n.Kind == core.KindParallel {
		w.begin(n)
	}
	var out []undecided
	for i := range members {
		if loops[i] != nil {
			waits = w.startLoop(loops[i], &out) || waits
		} else {
			waits = w.startBranch(branches[i], &out) || waits
		}
	}
	if err := w.heard(out); err != nil || !w.t.Open() {
		return false, err
	}
	if !waits {
		w.endBlock(n)
		return false, nil
	}
	kind := kindBranches
	if w.isPipeline() {
		kind = kindStages
	}
	w.hold(Hold{Kind: kind, Node: n.FQN, Stage: w.root.Timeout > 0}, w.remaining()*1000)
	return true, nil
}

// startBranch starts the track of a node that is to run; out are those that could not be
// decided on.
func (w *walk) startBranch(b branch, out *[]undecided) (waits bool) {
	switch {
	case b.failure != nil:
		*out = append(*out, w.undecide(b.n, b.failure))
	case !b.runs:
		w.skip(b.n)
	default:
		w.startTrack(b.n)
		return true
	}
	return false
}

func (w *walk) startTrack(n *core.Node) {
	w.child(n)
	w.begin(n)
	w.startMachine(n)
}

// startMachine starts the machine of a track below that is to be walked.
func (w *walk) startMachine(n *core.Node) {
	first := core.Route{Kind: kindWork, Segment: 1}
	w.do(core.Command{Do: core.DoStart, Machine: machine(n), Track: n.Track, Name: w.execution(n.Track), Route: &first})
}

// endBlock ends a parallel or a looped node all of whose branches have ended, and
// moves on.
func (w *walk) endBlock(n *core.Node) {
	w.t.Hold = nil
	if n.Kind == core.KindParallel {
		w.endNode(n, w.aggregate(n.Children), nil)
	}
	status := w.t.Nodes[n.FQN].Status
	switch {
	case w.t.Wanted != "":
		w.rollTo()
	case w.t.Again != nil:
		w.tryGroup()
	case w.t.Nodes[n.FQN].Marked, w.marked(n):
		w.t.Marked = w.branchOfRollback()
		w.next()
	default:
		w.settleNode(status, w.t.Failure)
	}
}

// marked reports whether a parallel or loop in a rollback failed only where strategies
// said MarkAsFailure, so that the rollback goes on (BEHAVIOUR §8.8).
func (w *walk) marked(n *core.Node) bool {
	any := false
	for _, b := range w.run.Children(n) {
		at, c := w.t.Nodes[b.FQN], w.t.Children[b.Track]
		if at == nil || !at.Status.Failing() {
			continue
		}
		any = true
		if c != nil && !c.Marked || c == nil && !at.Marked && !w.marked(b) {
			return false
		}
	}
	return any
}

// branchOfRollback reports whether the track is a branch inside a rollback.
func (w *walk) branchOfRollback() bool { return w.run.undone(w.root) != nil }

// childEnded takes note of a child's end and goes on when it was the last one
// waited for. All branches are awaited, failed ones too (BEHAVIOUR §7.7).
func (w *walk) childEnded(e core.Child) error {
	c := w.t.Children[e.Track]
	if !w.t.HasStarted(e.Track) || c.Status.Terminal() || c.Round != e.Round || !e.Status.Terminal() {
		return errIgnored // known, or of a walk that is over
	}
	c.Status, c.Started, c.Ended, c.Failure, c.Marked = e.Status, e.Started, w.ev.At, e.Failure, e.Marked
	w.t.Held = append(slices.Clip(w.t.Held), e.Held...)
	undoing := w.isPipeline() && w.t.Undo != nil
	n := w.run.TrackRoot(e.Track)
	if undoing && w.run.Launch.Rollback != nil {
		w.endNode(n, e.Status, e.Failure)
		if w.t.Failure == nil && e.Status.Failing() {
			w.t.Failure = e.Failure
		}
	}
	if !undoing { // in a rollback the stages stay what they were
		w.endNode(n, e.Status, e.Failure)
		if w.t.Failure == nil && e.Status.Failing() {
			w.t.Failure = e.Failure
		}
		w.t.RolledBack = w.t.RolledBack || e.RolledBack
		w.wish(e)
		w.failAll(e)
	}
	if e.Status == core.Aborted && w.t.Stopping == "" { // by a failure strategy below
		return w.stop(core.Stop{Status: core.Aborted, Reason: reason(e.Failure), Round: w.t.Round})
	}
	late := w.isPipeline() && w.ev.At >= w.t.Started+w.lifetime() // the word of it is on its way
	if late && w.t.Stopping == "" && (e.Status == core.Expired || w.moreAfter(n)) {
		return w.outOfTime()
	}
	if !undoing && w.run.iterationOf(n) != nil {
		w.iterationEnded(w.run.Parent(n), e)
	}
	if len(w.t.openChildren()) > 0 || w.queued() {
		return nil
	}
	if w.t.Stopping != "" {
		w.endStopped()
		return nil
	}
	switch n := w.current(); {
	case undoing:
		w.t.Hold = nil
		w.next()
	case n.Kind == core.KindParallel || n.Loop != nil:
		w.endBlock(n)
	case w.t.Wanted != "":
		w.rollTo()
	default:
		w.settleNode(e.Status, e.Failure)
	}
	if !w.t.Open() {
		return nil
	}
	if !w.isPipeline() {
		w.release() // a branch's parent goes on when its machine is back in Work
		return nil
	}
	if late {
		return w.outOfTime()
	}
	return w.walk()
}

func (w *walk) outOfTime() error {
	return w.stop(core.Stop{Status: core.Expired, Reason: "the pipeline's timeout has passed", Round: w.t.Round})
}

func reason(f *core.Failure) string {
	if f == nil {
		return ""
	}
	return f.Message
}

// maxGenerations is how often a stage's machine may be started. More failures than
// that do not go by themselves, and each start costs.
const maxGenerations = 20

// rerunStage sends the pipeline's machine to the stage again after an execution
// of it failed: with a new name, at whatever segment the stage stands.
func (w *walk) rerunStage() error {
	n := w.current()
	if n == nil || n.Kind != core.KindStage || n.Loop != nil || !w.t.Open() {
		return errIgnored
	}
	c := w.t.Children[n.Track]
	c.Generation++
	if c.Generation > maxGenerations && w.t.Stopping == "" {
		if err := w.stop(core.Stop{Status: core.Errored, Reason: fmt.Sprintf("the machine of stage %s failed %d times; the platform's log says why", n.Identifier, maxGenerations)}); err != nil || !w.t.Open() {
			return err
		}
	}
	r := core.Route{Kind: kindRunStage, Track: n.Track, Name: w.execution(n.Track)}
	w.t.Route = &r
	return nil
}
