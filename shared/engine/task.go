package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/steps"
)

// startStep starts the step at the cursor. waits says that something has to
// happen before the walk goes on; otherwise the step has ended already.
func (w *walk) startStep(n *core.Node) (waits bool, err error) {
	step, ok := steps.Lookup(n.Type)
	if !ok {
		return false, fmt.Errorf("step type %q of %s is not in the catalogue", n.Type, n.FQN)
	}
	spec, secrets, err := w.renderSpec(n, step)
	terms, also := w.terms(n, step)
	if err == nil {
		err = also
	}
	if isNeed(err) {
		return false, err
	}
	w.begin(n)
	if err != nil {
		return false, w.stepEnded(n, core.Failed, failed(err))
	}
	switch step.Mode {
	case steps.Task:
		w.offer(n, terms, spec, secrets)
		return true, nil
	case steps.Wait:
		err = w.startWait(n, terms, spec)
	case steps.Ask:
		err = w.startApproval(n, terms, spec)
	case steps.Lock:
		err = w.startLock(n, step, spec)
	case steps.Meet:
		err = w.startBarrier(n, step)
	}
	if isNeed(err) {
		return false, err
	}
	if err != nil {
		return false, w.stepEnded(n, core.Failed, failed(err))
	}
	return true, nil
}

// TaskID is the idempotency key of one attempt at a node: the same whenever it is
// dispatched again, another one for a retry.
func TaskID(run, node string, attempt int, phase string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%s", run, node, attempt, phase))
	return hex.EncodeToString(sum[:12])
}

// offer makes the step the track's task: given to the delegate that has just
// completed the one before when it can take it, queued for anyone otherwise.
func (w *walk) offer(n *core.Node, terms terms, spec map[string]any, secrets []string) {
	s := w.t.Nodes[n.FQN]
	id := TaskID(w.run.Launch.Run, n.FQN, s.Attempt, w.phase(n))
	s.Task = id
	t := &Task{
		QueuedTask: core.QueuedTask{ID: id, Run: w.run.Launch.Run, Track: w.t.ID, At: w.ev.At, Selectors: terms.selectors},
		Node:       n.FQN, Attempt: s.Attempt, Type: n.Type, Name: n.Name,
		Spec: spec, Secrets: secrets, Timeout: terms.timeout,
	}
	w.t.Task = t
	if d := w.handBack(); d != nil && d.Serves(terms.selectors) {
		w.give(t, *d)
		return
	}
	q := t.QueuedTask
	w.do(core.Command{Do: core.DoQueue, Task: &q})
}

// handBack is the delegate that waits for the answer to its completion and can
// take the track's next task with it.
func (w *walk) handBack() *core.DelegateRef {
	if w.ev.Type != core.EventCompleted || !w.ev.Completed.More {
		return nil
	}
	return w.previous
}

// give assigns the task. The fence is the event's number: it rises with every
// dispatch in the track.
func (w *walk) give(t *Task, d core.DelegateRef) {
	t.Delegate, t.Claimed, t.Fence = &d, w.ev.At, w.ev.N
	if left, ok := w.stageLeft(); ok && left < t.Timeout {
		t.Timeout, t.Stage = max(left, 1), true
	}
	s := w.t.Nodes[t.Node]
	s.Delegate, s.Fence, s.Started = d.Name, t.Fence, w.ev.At
}

// claimed gives the queued task to the delegate that asked for it.
func (w *walk) claimed(e core.Claimed) error {
	t := w.t.Task
	if t == nil || t.ID != e.Task || t.Delegate != nil {
		return fault.New(fault.Gone, "task %s is not on offer any more", e.Task)
	}
	if !e.Delegate.Serves(t.Selectors) {
		return fault.New(fault.Forbidden, "delegate %s does not have every selector of task %s", e.Delegate.Name, e.Task)
	}
	w.give(t, e.Delegate)
	q := t.QueuedTask
	w.do(core.Command{Do: core.DoUnqueue, Task: &q})
	return nil
}

// completed ends the task. What does not carry the current fence is refused; a
// repetition of what was accepted is ignored, and its caller reads the answer
// from the track.
func (w *walk) completed(e core.Completed) error {
	t := w.t.Task
	if t == nil || t.ID != e.Task || t.Fence != e.Fence || t.Delegate == nil || t.Delegate.ID != e.Delegate {
		if w.accepted(e) {
			return errIgnored
		}
		return fault.New(fault.Gone, "task %s with fence %d is no longer this delegate's", e.Task, e.Fence)
	}
	n := w.run.Node(t.Node)
	s := w.t.Nodes[t.Node]
	s.Completed, s.Outputs, s.OutputsRef = true, e.Outputs, e.OutputsRef
	if e.Log != nil {
		s.LogAt = w.ev.N
	}
	w.previous = t.Delegate
	var err error
	if e.OK {
		w.export(n)
		err = w.stepEnded(n, core.Succeeded, nil)
	} else {
		err = w.taskFailed(n, t, e.Failure)
	}
	if err != nil {
		return err
	}
	if !w.t.Open() || w.t.Stopping != "" {
		return nil
	}
	return w.walk()
}

// accepted reports whether e repeats a completion that was recorded.
func (w *walk) accepted(e core.Completed) bool {
	for _, s := range w.t.Nodes {
		if s.Completed && s.Task == e.Task && s.Fence == e.Fence {
			return true
		}
	}
	return false
}

// skew is how many ms servers' clocks may differ by.
const skew = 2000

// taskFailed ends a failed task's step: Expired when it was its time that ran out.
func (w *walk) taskFailed(n *core.Node, t *Task, f *core.Failure) error {
	if f == nil {
		f = &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: "the delegate gave no reason"}
	}
	status := core.Failed
	if slices.Contains(f.Types, "TIMEOUT_FAILURE") {
		status = core.Expired
		if t.Stage && w.ev.At >= t.Claimed+t.Timeout-skew {
			w.stageTimedOut(n)
			return nil
		}
	}
	return w.stepEnded(n, status, f)
}

// stageTimedOut ends the step and the track: nothing runs behind a stage's deadline
// (BEHAVIOUR §8.14).
func (w *walk) stageTimedOut(n *core.Node) {
	f := &core.Failure{Types: []string{"TIMEOUT_FAILURE"}, Message: "the stage's timeout has passed"}
	w.endNode(n, core.Expired, f)
	if w.t.Failure == nil {
		w.t.Failure = f
	}
	w.t.Task, w.t.Stopping = nil, core.Expired
	w.endStopped()
}

// taskLost fails the track's task for a reason of the platform's.
func (w *walk) taskLost(failureType, message string) error {
	return w.taskDropped(&core.Failure{Types: []string{failureType}, Message: message})
}

// taskDropped takes the track's task from its delegate and fails its step.
func (w *walk) taskDropped(f *core.Failure) error {
	t := w.t.Task
	if t.Delegate == nil {
		q := t.QueuedTask
		w.do(core.Command{Do: core.DoUnqueue, Task: &q})
	}
	if err := w.stepEnded(w.run.Node(t.Node), core.Failed, f); err != nil {
		return err
	}
	if w.t.Open() {
		return w.walk()
	}
	return nil
}

func (w *walk) noDelegate() string {
	need := "any delegate"
	if s := w.t.Task.Selectors; len(s) > 0 {
		need = "a delegate with the selectors " + strings.Join(s, ", ")
	}
	return "no eligible delegate took the task: it needs " + need + ", and none is connected"
}

// stageLeft is how many ms the stage that this track walks has left by the
// event's time; ok is false when it has no timeout. A branch's stage is watched
// by the track that waits for the branch.
func (w *walk) stageLeft() (ms int64, ok bool) {
	if w.root.Kind != core.KindStage || w.root.Timeout == 0 {
		return 0, false
	}
	return w.t.Started + w.root.Timeout - w.ev.At, true
}

// MaxLifetime is how long a run may take when its pipeline sets no timeout.
const MaxLifetime = 35 * 24 * time.Hour

// lifetime is how many ms the run has from its start.
func (w *walk) lifetime() int64 {
	if t := w.run.Plan.Root.Timeout; t > 0 {
		return t
	}
	return MaxLifetime.Milliseconds()
}

// remaining is how many whole seconds a hold may last now: until the stage's
// deadline, or as long as a run may live.
func (w *walk) remaining() int64 {
	if w.t.Stopping != "" {
		return 24 * 3600 // children are ending; only a lost one lets this pass
	}
	left := w.run.At + w.lifetime() - w.ev.At
	if w.run.Limit > 0 { // it began when it was its turn
		left = w.t.Started + w.lifetime() - w.ev.At
	}
	if s, ok := w.stageLeft(); ok && s < left {
		left = s
	}
	return max(1, (left+999)/1000)
}
