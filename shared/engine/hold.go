package engine

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/steps"
)

// holdStep makes the machine wait for a step in the state kind, for at most the
// step's timeout or what the stage has left.
func (w *walk) holdStep(n *core.Node, kind string, status core.Status, ms int64, own bool) {
	h := Hold{Kind: kind, Node: n.FQN, Own: own}
	if left, ok := w.stageLeft(); ok && left < ms {
		ms, h.Own, h.Stage = left, false, true
	}
	w.t.Nodes[n.FQN].Status = status
	w.pause(h, ms)
}

// pause makes the machine hold; one that holds already goes through Work.
func (w *walk) pause(h Hold, ms int64) {
	if k := w.t.Segment.Kind; k == kindWork || k == "" {
		w.hold(h, ms)
		return
	}
	h.Until = w.ev.At + ms
	w.t.Next = &h
}

// startWait begins a Wait step: its own time running out is its success.
func (w *walk) startWait(n *core.Node, terms terms, spec map[string]any) error {
	d, err := steps.WaitDuration(spec)
	if err != nil {
		return err
	}
	ms, own := d.Milliseconds(), true
	if terms.own && terms.timeout < ms {
		ms, own = terms.timeout, false
	}
	w.holdStep(n, kindWait, core.WaitStepRunning, ms, own)
	return nil
}

// holdTimedOut is called when the machine saw the hold's time run out.
func (w *walk) holdTimedOut(e core.Recovered) error {
	h := w.t.Hold
	if e.Error != "States.Timeout" || h.Asked {
		return nil // a fault of the platform's: hold again
	}
	if !h.ofStep() || h.Kind == kindChild {
		if w.t.Stopping != "" {
			return nil // they have been told: hold again
		}
		return w.stop(core.Stop{Status: core.Expired, Reason: "the stage's timeout has passed", Round: w.t.Round})
	}
	n := w.run.Node(h.Node)
	switch {
	case h.Own && h.Kind == kindBackOff:
		w.tryAgain(n)
		return w.leaveHold(nil)
	case h.Kind == kindIntervene && !h.Stage:
		return w.unanswered(n)
	case h.Kind == kindInput && !h.Stage:
		return w.notGiven(n)
	}
	if h.Own {
		return w.released(n, core.Succeeded, nil)
	}
	w.endApproval(h.Node, "EXPIRED")
	if h.Stage {
		w.stageTimedOut(n)
		return nil
	}
	return w.released(n, core.Expired, &core.Failure{Types: []string{"TIMEOUT_FAILURE"}, Message: "the step's timeout has passed"})
}

// endApproval gives the approval of a node, when it has one, its last status. The
// instance is shared with the track as it was, so it is replaced.
func (w *walk) endApproval(fqn, status string) {
	if a := w.t.Nodes[fqn].Approval; a != nil {
		b := *a
		b.Status = status
		w.t.Nodes[fqn].Approval = &b
	}
}

// released ends the step that was held for and sends the machine on. The walk
// goes on when the machine is back in Work.
func (w *walk) released(n *core.Node, status core.Status, f *core.Failure) error {
	asked := w.t.Hold != nil && w.t.Hold.Asked
	if err := w.stepEnded(n, status, f); err != nil || !asked {
		return w.leaveHold(err)
	}
	return w.resume(Hold{Asked: true})
}

// Approval is how a HarnessApproval stands (BEHAVIOUR §17.1).
type Approval struct {
	ID     string         `json:"id"`
	Status string         `json:"status"` // WAITING, APPROVED, REJECTED, EXPIRED, ABORTED
	Spec   steps.Approval `json:"spec"`
	// Deadline is when it expires, ms.
	Deadline   int64      `json:"deadline"`
	Activities []Activity `json:"activities,omitempty"`
}

// Activity is one person's answer.
type Activity struct {
	By       core.Actor        `json:"by"`
	Action   string            `json:"action"`
	At       int64             `json:"at"`
	Comments string            `json:"comments,omitempty"`
	Inputs   map[string]string `json:"inputs,omitempty"`
}

// startApproval asks people. The instance's id says which run and track it is in.
func (w *walk) startApproval(n *core.Node, terms terms, spec map[string]any) error {
	a, err := steps.ReadApproval(spec)
	if err != nil {
		return err
	}
	w.t.Nodes[n.FQN].Approval = &Approval{
		ID:     w.run.Launch.Run + "." + w.t.ID + "." + TaskID(w.run.Launch.Run, n.FQN, w.t.Nodes[n.FQN].Attempt, "approval")[:8],
		Status: "WAITING", Spec: a, Deadline: w.ev.At + terms.timeout,
	}
	w.holdStep(n, kindApproval, core.ApprovalWaiting, terms.timeout, false)
	return nil
}

// decided takes one person's answer. A refusal is an error: nothing is recorded.
func (w *walk) decided(e core.Decided) error {
	h := w.t.Hold
	if h == nil || h.Kind != kindApproval || w.t.Nodes[h.Node].Approval.ID != e.Approval {
		return fault.New(fault.Gone, "approval %s is not waiting: it has been decided, has expired or was aborted", e.Approval)
	}
	a := *w.t.Nodes[h.Node].Approval
	a.Activities = slices.Clone(a.Activities)
	w.t.Nodes[h.Node].Approval = &a
	if err := w.mayDecide(a, e); err != nil {
		return err
	}
	a.Activities = append(a.Activities, Activity{By: e.By, Action: e.Action, At: w.ev.At, Comments: e.Comments, Inputs: e.Inputs})
	n := w.run.Node(h.Node)
	switch {
	case e.Action == "REJECT":
		a.Status = "REJECTED"
		w.decidedOutputs(n, &a)
		return w.released(n, core.ApprovalRejected, &core.Failure{Types: []string{"APPROVAL_REJECTION"}, Message: "rejected by " + e.By.ID + commented(e.Comments)})
	case len(a.Activities) >= a.Spec.MinimumCount:
		a.Status = "APPROVED"
		w.decidedOutputs(n, &a)
		return w.released(n, core.Succeeded, nil)
	default: // more people are asked; the machine goes on waiting
		w.t.Nodes[h.Node].Approval = &a
	}
	return nil
}

func commented(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}

// mayDecide checks who answers and what (BEHAVIOUR §17.1).
func (w *walk) mayDecide(a Approval, e core.Decided) error {
	if e.Action != "APPROVE" && e.Action != "REJECT" {
		return fault.New(fault.Invalid, "action %q is not known; it is APPROVE or REJECT", e.Action)
	}
	if err := a.Spec.Allows(steps.Decider{
		ID: e.By.ID, Email: e.By.Email, Groups: e.By.Groups,
		Executor: e.By.ID == w.run.Launch.Started.By.ID, Scope: w.run.Plan.Scope,
	}); err != nil {
		return err
	}
	for _, act := range a.Activities {
		if act.By.ID == e.By.ID {
			return fault.New(fault.Conflict, "%s has already approved; %d different people are needed", e.By.ID, a.Spec.MinimumCount)
		}
	}
	if e.Action == "APPROVE" {
		return a.Spec.CheckInputs(e.Inputs)
	}
	return nil
}

// decidedOutputs publishes what expressions read below the step's output.
func (w *walk) decidedOutputs(n *core.Node, a *Approval) {
	inputs := map[string]any{}
	for _, in := range a.Spec.Inputs {
		inputs[in.Name] = in.DefaultValue
	}
	acts := make([]any, len(a.Activities))
	comment := ""
	for i, act := range a.Activities {
		for k, v := range act.Inputs {
			inputs[k] = v
		}
		if act.Comments != "" {
			comment = act.Comments
		}
		acts[i] = map[string]any{
			"user":       map[string]any{"name": act.By.Name, "email": act.By.Email},
			"action":     act.Action,
			"approvedAt": act.At,
			"comments":   act.Comments,
		}
	}
	w.t.Nodes[n.FQN].Approval = a
	w.t.Nodes[n.FQN].Outputs = map[string]any{"approvalActivities": acts, "approverInputs": inputs, "comment": comment}
}
