package engine

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
)

// Attempt is a try at a step that was followed by another.
type Attempt struct {
	N        int           `json:"n"` // from 1
	Status   core.Status   `json:"status"`
	Started  int64         `json:"started"`
	Ended    int64         `json:"ended"`
	Task     string        `json:"task,omitempty"`
	Fence    int64         `json:"fence,omitempty"`
	LogAt    int64         `json:"logAt,omitempty"`
	Delegate string        `json:"delegate,omitempty"`
	Failure  *core.Failure `json:"failure,omitempty"`
	Chained  string        `json:"chained,omitempty"` // the run that a stage has started
}

// again is a node for another attempt at what s was one of.
func (s *Node) again() *Node {
	if s.Status == core.NotStarted { // kept as such already
		return &Node{Attempt: s.Attempt + 1, Answers: s.Answers, Earlier: s.Earlier}
	}
	return &Node{Attempt: s.Attempt + 1, Retries: s.Retries, Answers: s.Answers, Input: s.Input, Earlier: append(slices.Clip(s.Earlier), s.tried(core.Failed))}
}

// tried is the attempt that s is, with the status it ended with.
func (s *Node) tried(status core.Status) Attempt {
	a := Attempt{N: s.Attempt, Status: status, Started: s.Started, Ended: s.Ended, Task: s.Task, Fence: s.Fence,
		LogAt: s.LogAt, Delegate: s.Delegate, Failure: s.Failure}
	if s.Chained != nil {
		a.Chained = s.Chained.Run
	}
	return a
}

// mayRetry reports whether the rule, a Retry, has tries left and its condition
// allows one; a condition that cannot be decided does not (BEHAVIOUR §8.4).
func (w *walk) mayRetry(b broken, r rule) (bool, error) {
	if b.final || w.t.Nodes[b.n.FQN].Retries[r.key] >= r.action.Retries {
		return false, nil
	}
	ok, err := w.condition(b.n, r.action.Condition)
	if isNeed(err) {
		return false, err
	}
	return ok && err == nil, nil
}

// backOff waits before the step is tried again.
func (w *walk) backOff(b broken, r rule) {
	s := w.t.Nodes[b.n.FQN]
	pause := r.action.Pause(s.Retries[r.key])
	s.count(r.key)
	s.Ended, s.Failure = w.ev.At, b.failure
	w.holdStep(b.n, kindBackOff, core.TimedWaiting, pause, true)
}

// tryAgain makes the step at the cursor start anew when the walk comes to it.
func (w *walk) tryAgain(n *core.Node) {
	w.t.Hold = nil
	if n.Kind == core.KindGroup {
		w.renew(n)
	}
	w.t.Nodes[n.FQN].Status = core.Queued
}

// retrying reports whether the node was left for another attempt.
func (w *walk) retrying(n *core.Node) bool {
	s := w.t.Nodes[n.FQN]
	return s != nil && s.Status == core.Queued
}
