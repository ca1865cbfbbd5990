package engine

import (
	"errors"

	"github.com/slipway-cd/slipway/shared/core"
)

// started begins the run: the pipeline track's first event.
func (w *walk) started() error {
	if w.t.Status != core.NotStarted {
		return errIgnored
	}
	if w.run.Limit > 0 {
		w.lineUp()
		return nil
	}
	return w.goAhead()
}

// goAhead begins to walk and starts the pipeline's machine.
func (w *walk) goAhead() error {
	w.t.Status, w.t.Started = core.Running, w.ev.At
	w.t.Cursor = []int{0}
	if b := w.run.Launch.Rollback; b != nil {
		w.startRollback(b)
	}
	w.do(core.Command{Do: core.DoSaveRun, Status: core.Running})
	w.do(core.Command{Do: core.DoDeadline, At: w.ev.At + w.lifetime()})
	if err := w.walk(); err != nil {
		return err
	}
	w.do(core.Command{Do: core.DoStart, Machine: core.MachinePipeline, Track: w.t.ID,
		Name: core.ExecutionName(w.run.Launch.Run, w.t.ID, 1), Route: w.t.Route})
	return nil
}

// walk goes on from the cursor until something has to be waited for or the track
// ends. It is only called while the machine is in Work, or for the pipeline.
func (w *walk) walk() error {
	if h := w.t.Next; h != nil {
		w.t.Next = nil
		w.hold(*h, max(0, h.Until-w.ev.At))
	}
	for w.t.Open() && w.t.Hold == nil && !w.turn() {
		n := w.current()
		if n == nil {
			w.endOfList()
			continue
		}
		if w.holdUp(n) {
			return nil
		}
		waits, err := w.start(n)
		if err != nil || waits {
			return err
		}
	}
	return nil
}

// current is the node at the cursor, nil behind the end of its list.
func (w *walk) current() *core.Node {
	list := w.list()
	for _, i := range w.t.Cursor[:len(w.t.Cursor)-1] {
		list = list[i].Children
	}
	if last := w.t.Cursor[len(w.t.Cursor)-1]; last < len(list) {
		return list[last]
	}
	return nil
}

// enclosingNode is the group the cursor is inside of, nil at the track's top.
func (w *walk) enclosingNode() *core.Node {
	if len(w.t.Cursor) < 2 {
		return nil
	}
	list, n := w.list(), (*core.Node)(nil)
	for _, i := range w.t.Cursor[:len(w.t.Cursor)-1] {
		n = list[i]
		list = n.Children
	}
	return n
}

// endOfList ends the group whose children are done, or the track.
func (w *walk) endOfList() {
	g := w.enclosingNode()
	switch {
	case g == nil && w.t.Undo != nil:
		w.rolledBack()
		return
	case g == nil:
		w.endTrack(w.aggregate(nodes(w.root)))
		return
	}
	w.t.Cursor = w.t.Cursor[:len(w.t.Cursor)-1]
	w.endNode(g, w.aggregate(g.Children), nil)
	w.next()
}

func (w *walk) next() { w.t.Cursor[len(w.t.Cursor)-1]++ }

// start starts the node at the cursor, or skips it. waits says that the walk has
// to stop here.
func (w *walk) start(n *core.Node) (waits bool, err error) {
	if w.isPipeline() && w.t.Undo != nil {
		return w.startUndo(n)
	}
	if w.copied(n) {
		w.next()
		return false, nil
	}
	if n.Kind == core.KindParallel {
		return w.startBlock(n, n.Children)
	}
	if n.Loop != nil {
		return w.startBlock(n, []*core.Node{n})
	}
	if n != w.root && !w.retrying(n) { // a branch was let in by the track above it
		v, err := w.gate(n)
		switch {
		case err != nil:
			return false, err
		case v.failure != nil:
			w.begin(n)
			return false, w.nodeFailed(broken{n, core.Failed, v.failure, true})
		case !v.runs:
			w.skip(n)
			w.next()
			return false, nil
		}
	}
	switch n.Kind {
	case core.KindStage:
		if n == w.root {
			return w.startChain(n)
		}
		w.startStage(n)
		return true, nil
	case core.KindGroup:
		if w.askInputs(n) {
			return true, nil
		}
		w.begin(n)
		w.t.Cursor = append(w.t.Cursor, 0)
		return false, nil
	default:
		if w.askInputs(n) {
			return true, nil
		}
		return w.startStep(n)
	}
}

// begin records that a node has started.
func (w *walk) begin(n *core.Node) *Node {
	s := &Node{Attempt: 1}
	if old := w.t.Nodes[n.FQN]; old != nil {
		s = old.again()
		if old.Withdrawn {
			s, old.Withdrawn = old, false
		}
		if old.Input != nil && old.Input.Resumed { // the same attempt: it has been waiting for values
			s = old
			s.Input = new(*old.Input)
			s.Input.Resumed = false
		}
	}
	s.Status, s.Started = core.Running, w.ev.At
	w.t.Nodes[n.FQN] = s
	return s
}

// endNode records how a node ended.
func (w *walk) endNode(n *core.Node, status core.Status, f *core.Failure) {
	s := w.t.Nodes[n.FQN]
	s.Status, s.Ended, s.Failure, s.Asked = status, w.ev.At, f, nil
}

// stepEnded ends the step at the cursor and moves on as the failure rules say.
func (w *walk) stepEnded(n *core.Node, status core.Status, f *core.Failure) error {
	if status.Failing() {
		return w.nodeFailed(broken{n: n, status: status, failure: f})
	}
	w.t.Task, w.t.Hold = nil, nil
	w.endNode(n, status, f)
	w.next()
	return nil
}

// settleNode moves the cursor past a node that has ended. After a failure the walk
// ends, unless a condition further on asks for failures (BEHAVIOUR §8.12, §9).
func (w *walk) settleNode(status core.Status, f *core.Failure) {
	if !status.Failing() {
		w.next()
		return
	}
	if w.t.Failure == nil {
		w.t.Failure = f
	}
	switch {
	case w.t.Undo != nil: // nobody said what to do about a failed rollback step: it stops there
		w.endGroups(nil)
		w.rolledBack()
	case w.branchOfRollback(): // and so in a branch of one
		w.t.Marked = false
		w.endGroups(nil)
		w.endTrack(w.aggregate(nodes(w.root)))
	case w.goesOn():
		w.next()
	default:
		w.endGroups(nil)
		w.endTrack(w.aggregate(nodes(w.root)))
	}
}

// endGroups ends the groups around the cursor, up to the group upTo if that is not
// nil, at which the cursor is left.
func (w *walk) endGroups(upTo *core.Node) {
	for len(w.t.Cursor) > 1 {
		g := w.enclosingNode()
		w.t.Cursor = w.t.Cursor[:len(w.t.Cursor)-1]
		if g == upTo {
			return
		}
		w.endNode(g, w.aggregate(g.Children), nil)
	}
}

// aggregate is the end status of a parent of these nodes.
func (w *walk) aggregate(children []*core.Node) core.Status {
	var ends []core.Status
	for _, c := range children {
		if s := w.t.Nodes[c.FQN]; s != nil {
			ends = append(ends, s.Status)
		}
	}
	return core.Aggregate(ends...)
}

// endTrack ends the walk, tells the parent, and lets the machine go.
func (w *walk) endTrack(status core.Status) {
	if w.t.Stopping != "" {
		status = w.t.Stopping
	}
	w.t.Status, w.t.Ended = status, w.ev.At
	for of, p := range w.t.Pauses {
		p.On = false
		w.t.Pauses[of] = p
	}
	if w.isPipeline() {
		w.endRun(status)
		return
	}
	w.deployed(status)
	end := EndOf(w.t)
	w.do(core.Command{Do: core.DoDeliver, Track: core.ParentTrack(w.t.ID), Event: &end})
	w.outcome(core.Route{Kind: kindLeave, Verdict: status})
}

// EndOf is what an ended track tells its parent.
func EndOf(t *Track) core.Event {
	return core.Event{
		V: core.EventVersion, Type: core.EventChild, Source: "child:" + t.ID,
		Child: &core.Child{Track: t.ID, Status: t.Status, Started: t.Started, Failure: t.Failure, Rollback: t.Wanted, Because: t.Because,
			RolledBack: t.RolledBack, Again: t.Again, FailAll: t.FailAll, Marked: t.Marked, Round: t.Round, Held: outlasting(t)},
	}
}

// endRun ends the pipeline track.
func (w *walk) endRun(status core.Status) {
	w.outcome(core.Route{Kind: kindDone, Verdict: status})
	w.do(core.Command{Do: core.DoPublish, Topic: "run.ended", Status: status})
	w.do(core.Command{Do: core.DoDeadline})
	w.do(core.Command{Do: core.DoSaveRun, Status: status}) // last: it shows that the others were executed
}

// failed builds the failure of a node that could not be started.
func failed(err error) *core.Failure {
	return &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: err.Error()}
}

// isNeed reports whether err asks for facts; it must reach the caller of Apply.
func isNeed(err error) bool {
	_, ok := errors.AsType[*Need](err)
	return ok
}
