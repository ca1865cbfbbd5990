package engine

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Asked is what a person is asked about a failed step (BEHAVIOUR §8.10).
type Asked struct {
	Strategy string             `json:"strategy"` // whose ManualIntervention it is
	Action   core.FailureAction `json:"action"`
	Allowed  []core.ActionType  `json:"allowed"`  // what may be answered
	Status   core.Status        `json:"status"`   // what the step failed with
	Deadline int64              `json:"deadline"` // ms, when Action.Then is done
}

// Answer is what a person said about a node that had failed, or that was to fail.
type Answer struct {
	By      core.Actor      `json:"by"`
	Action  core.ActionType `json:"action"`
	At      int64           `json:"at"`
	Attempt int             `json:"attempt"`
}

// answers are what a person may choose from for a node: what its strategy allows of
// what makes sense there.
func (w *walk) answers(n *core.Node, allowed []core.ActionType) []core.ActionType {
	all := []core.ActionType{core.ActionRetry, core.ActionMarkAsSuccess, core.ActionIgnore, core.ActionMarkAsFailure, core.ActionAbort}
	if stage := w.run.enclosing(n, core.KindStage); len(stage.Rollback) > 0 && w.run.undone(n) == nil {
		all = append(all, core.ActionStageRollback)
	}
	if w.run.undone(n) == nil && w.run.hasRollback() {
		all = append(all, core.ActionPipelineRollback)
	}
	if len(allowed) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(t core.ActionType) bool { return !slices.Contains(allowed, t) })
}

// ask waits for a person to say what to do about a failed step.
func (w *walk) ask(b broken, r rule) {
	s := w.t.Nodes[b.n.FQN]
	s.Asked = &Asked{Strategy: r.key, Action: r.action, Allowed: w.answers(b.n, r.action.Allowed), Status: b.status, Deadline: w.ev.At + r.action.Timeout}
	s.Failure = b.failure
	w.holdStep(b.n, kindIntervene, core.InterventionWaiting, r.action.Timeout, false)
}

// asked ends the question about a step and tells what had failed.
func (w *walk) asked(n *core.Node) (broken, rule) {
	s := w.t.Nodes[n.FQN]
	a := *s.Asked
	s.Asked = nil
	w.t.Hold, w.t.Next = nil, nil
	return broken{n: n, status: a.Status, failure: s.Failure}, rule{key: a.Strategy, action: a.Action, at: w.owner(a.Strategy)}
}

// owner is the node in whose list the strategy of a key is, see rule.
func (w *walk) owner(key string) *core.Node {
	if i := strings.LastIndexByte(key, '#'); i >= 0 {
		return w.run.Node(key[:i])
	}
	return nil
}

// unanswered does what the strategy says for when nobody answers in time.
func (w *walk) unanswered(n *core.Node) error {
	b, r := w.asked(n)
	return w.leaveHold(w.act(b, r.then()))
}

// leaveHold sends the machine from a hold back to Work, unless the track has ended.
func (w *walk) leaveHold(err error) error {
	if err == nil && w.t.Open() {
		w.release()
	}
	return err
}

// intervened takes a person's answer, or has a step fail because a person says so. A
// refusal is an error: nothing is recorded.
func (w *walk) intervened(e core.Intervened) error {
	if e.Action == core.InterruptMarkFailed {
		return w.markedFailed(e)
	}
	h, leave := w.held()
	if h == nil || h.Kind != kindIntervene || h.Node != e.Node {
		return fault.New(fault.Gone, "%s does not wait for a person: it has been answered, timed out or was aborted", e.Node)
	}
	n := w.run.Node(e.Node)
	s := w.t.Nodes[e.Node]
	if allowed := s.Asked.Allowed; !slices.Contains(allowed, e.Action) {
		var names []string
		for _, t := range allowed {
			names = append(names, string(t))
		}
		return fault.New(fault.Invalid, "%q is not allowed here: choose one of %s", e.Action, strings.Join(names, ", "))
	}
	w.answered(s, e)
	b, _ := w.asked(n)
	if e.Action == core.ActionRetry {
		s.Ended = w.ev.At
		w.tryAgain(n)
		return leave(nil)
	}
	return leave(w.act(b, rule{action: core.FailureAction{Type: e.Action}}))
}

// held is what the track holds for, or will when the machine is back in Work: an answer
// is taken then too, and the machine, on its way already, need not be released.
func (w *walk) held() (h *Hold, leave func(error) error) {
	if w.t.Hold == nil && w.t.Next != nil {
		return w.t.Next, func(err error) error { return err }
	}
	return w.t.Hold, w.leaveHold
}

func (w *walk) answered(s *Node, e core.Intervened) {
	s.Answers = append(slices.Clip(s.Answers), Answer{By: e.By, Action: e.Action, At: w.ev.At, Attempt: s.Attempt})
}

// markedFailed fails the step that runs or waits (BEHAVIOUR §8.13): its delegate
// stops, then its failure strategies apply.
func (w *walk) markedFailed(e core.Intervened) error {
	f := &core.Failure{Types: []string{userMarked}, Message: "marked as failed by " + e.By.ID}
	if t := w.t.Task; t != nil && t.Node == e.Node {
		w.answered(w.t.Nodes[e.Node], e)
		return w.taskDropped(f)
	}
	h, _ := w.held()
	if h == nil || h.Node != e.Node || h.Kind == kindIntervene || !h.ofStep() {
		return fault.New(fault.Gone, "%s is not running", e.Node)
	}
	w.endApproval(e.Node, "FAILED")
	w.answered(w.t.Nodes[e.Node], e)
	if w.t.Hold == nil { // on its way there
		w.t.Next = nil
		return w.stepEnded(w.run.Node(e.Node), core.Failed, f)
	}
	return w.released(w.run.Node(e.Node), core.Failed, f)
}
