// Package view shows runs to people and clients: every node of the plan with how
// it stands, the approvals asked for, and the logs. It only reads.
package view

import (
	"context"
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
)

// Run is one run with all its nodes. Times are ms since 1970, 0 for not yet;
// statuses are spelled as Harness's REST interface does (core.Status.API).
type Run struct {
	ID       string            `json:"id"`
	Scope    core.Scope        `json:"scope"`
	Pipeline string            `json:"pipeline"`
	Name     string            `json:"name"`
	Tags     map[string]string `json:"tags,omitempty"`
	Sequence int64             `json:"sequence"`
	Status   string            `json:"status"`
	Ended    bool              `json:"ended"`
	Started  int64             `json:"started"`
	Finished int64             `json:"finished,omitempty"`
	Trigger  string            `json:"trigger"`
	By       core.Actor        `json:"by"`
	URL      string            `json:"url"`
	Failure  *core.Failure     `json:"failure,omitempty"`
	Warnings []core.Warned     `json:"warnings,omitempty"`
	RetryOf  string            `json:"retryOf,omitempty"` // the run that this one takes up
	// RollbackOf is the run that this one rolls back.
	RollbackOf string       `json:"rollbackOf,omitempty"`
	Parent     *core.Parent `json:"parent,omitempty"` // the stage that has started it
	Paused     []Paused     `json:"paused,omitempty"` // by whom it is paused, or stages of it
	Nodes      []Node       `json:"nodes"`
	Approvals  []Approval   `json:"approvals,omitempty"`
}

// Node is one node of the plan, in plan order, parents before their children.
type Node struct {
	ID         string         `json:"id"` // nodeExecutionId
	FQN        string         `json:"fqn"`
	Parent     string         `json:"parent,omitempty"` // its parent's FQN
	Kind       core.NodeKind  `json:"kind"`
	Identifier string         `json:"identifier,omitempty"`
	Name       string         `json:"name,omitempty"`
	Type       string         `json:"type,omitempty"`
	Status     string         `json:"status"`
	Started    int64          `json:"started,omitempty"`
	Finished   int64          `json:"finished,omitempty"`
	Attempt    int            `json:"attempt,omitempty"`
	Task       string         `json:"task,omitempty"` // whose log it has
	Delegate   string         `json:"delegate,omitempty"`
	Outputs    map[string]any `json:"outputs,omitempty"`   // secret ones masked
	OutputsAt  string         `json:"outputsAt,omitempty"` // where they are when there is no room for them here: a path
	Failure    *core.Failure  `json:"failure,omitempty"`
	Approval   string         `json:"approval,omitempty"` // id of its approval
	// Allowed is what may be answered while the node waits for a person after a
	// failure, Deadline (ms) until when, Answers what has been.
	Allowed  []core.ActionType `json:"allowed,omitempty"`
	Deadline int64             `json:"deadline,omitempty"`
	Answers  []engine.Answer   `json:"answers,omitempty"`
	// Asks are the values that the node waits for, until Deadline; Given those that it
	// was given, and by whom.
	Asks    []core.Ask       `json:"asks,omitempty"`
	Given   *engine.Input    `json:"given,omitempty"`
	Earlier []engine.Attempt `json:"earlier,omitempty"` // tries before this one
	Copied  string           `json:"copied,omitempty"`  // the run that has executed it
	Chained *Chained         `json:"chained,omitempty"` // the run of a stage of type Pipeline
}

// Approval is one instance of a HarnessApproval.
type Approval struct {
	ID       string          `json:"id"`
	Run      string          `json:"run"`
	Node     string          `json:"node"` // FQN
	Name     string          `json:"name"` // of the step
	Created  int64           `json:"created"`
	Approval engine.Approval `json:"approval"`
}

// Views reads through a journal.
type Views struct{ journal *journal.Journal }

// New returns views of the journal's runs.
func New(j *journal.Journal) *Views { return &Views{j} }

// Run returns a run as it stands now; fault.NotFound when there is none.
func (v *Views) Run(ctx context.Context, account, id string) (Run, error) {
	return v.see(ctx, account, id, &room{journal: v.journal, run: id, left: maxOutputs})
}

// see is the run with the outputs that there is room for.
func (v *Views) see(ctx context.Context, account, id string, room *room) (Run, error) {
	r, tracks, err := v.journal.Whole(ctx, account, id)
	if err != nil {
		return Run{}, err
	}
	renewed(tracks)
	root := tracks[r.Plan.Root.Track]
	out := Run{ID: id, Scope: r.Plan.Scope, Pipeline: r.Plan.Identifier, Name: r.Plan.Name, Tags: r.Plan.Tags,
		Sequence: r.Launch.Started.Sequence, Started: r.At, Finished: root.Ended, Ended: root.Status.Terminal(),
		Trigger: r.Launch.Started.Trigger, By: r.Launch.Started.By, URL: r.Launch.Started.URL, Failure: root.Failure,
		Warnings: root.Warnings, Status: statusOf(tracks, root).API(), Paused: pauses(r, tracks)}
	if retry := r.Launch.Retry; retry != nil {
		out.RetryOf = retry.Of
	}
	if b := r.Launch.Rollback; b != nil {
		out.RollbackOf = b.Of
	}
	out.Parent = parentOf(r)
	r.Walk(func(n *core.Node) {
		if n.Kind == core.KindPipeline {
			return
		}
		out.Nodes = append(out.Nodes, v.node(ctx, r, tracks, n, room))
		t := tracks[r.Owner(n.FQN)]
		if t == nil { // in a loop that has not been reached
			return
		}
		if s := t.Nodes[n.FQN]; s != nil && s.Approval != nil {
			out.Approvals = append(out.Approvals, Approval{ID: s.Approval.ID, Run: id, Node: n.FQN, Name: n.Name, Created: s.Started, Approval: *s.Approval})
		}
	})
	out.Nodes = undone(r, tracks, out.Nodes)
	return out, nil
}

func (v *Views) node(ctx context.Context, r *engine.Run, tracks map[string]*engine.Track, n *core.Node, room *room) Node {
	out := Node{ID: engine.NodeExecutionID(r.Launch.Run, n.FQN), FQN: n.FQN, Parent: r.Parent(n).FQN, Kind: n.Kind,
		Identifier: n.Identifier, Name: n.Name, Type: n.Type, Status: core.NotStarted.API()}
	if c, ok := r.Launch.Retry.From(r.Owner(n.FQN)); ok {
		out.Copied = c.Run
	}
	t := tracks[r.Owner(n.FQN)]
	if t == nil {
		return out
	}
	if n.Track != "" && t.Standing().Status == core.NotStarted { // skipped by the track above, or about to start
		t = tracks[core.ParentTrack(n.Track)]
		if s := t.Nodes[n.FQN]; s != nil && s.Status.Terminal() {
			out.Status, out.Started, out.Finished, out.Failure = s.Status.API(), s.Started, s.Ended, s.Failure
		}
		if pausedBefore(t, n) {
			out.Status = core.Paused.API()
		}
		return out
	}
	if n.Kind == core.KindStage && n.Loop == nil {
		if at := t.Standing(); at.Status.Terminal() {
			out.Status, out.Started, out.Finished, out.Attempt, out.Failure = at.Status.API(), at.Started, at.Ended, 1, at.Failure
		} else if at.Status != core.NotStarted {
			out.Status, out.Started, out.Attempt, out.Failure = statusOf(tracks, t).API(), at.Started, 1, at.Failure
		}
		out.input(n, t.Nodes[n.FQN])
		if s := t.Nodes[n.FQN]; s != nil && n.Chain != nil {
			out.chained(n, s)
			room.take(ctx, &out, s)
		}
		return out
	}
	s := t.Nodes[n.FQN]
	if s == nil {
		if pausedBefore(t, n) {
			out.Status = core.Paused.API()
		}
		return out
	}
	out.Status, out.Started, out.Finished, out.Attempt = s.Status.API(), s.Started, s.Ended, s.Attempt
	out.Task, out.Delegate, out.Failure = s.Task, s.Delegate, s.Failure
	if !s.Status.Terminal() {
		out.Finished = 0 // that of the last try
		if pausedBefore(t, n) {
			out.Status = core.Paused.API()
		}
	}
	if s.Approval != nil {
		out.Approval = s.Approval.ID
	}
	out.tried(s)
	out.input(n, s)
	room.take(ctx, &out, s)
	return out
}

// tried shows what became of a node before, and what a person is asked about it.
func (out *Node) tried(s *engine.Node) {
	out.Answers, out.Earlier = s.Answers, s.Earlier
	if s.Asked != nil {
		out.Allowed, out.Deadline = s.Asked.Allowed, s.Asked.Deadline
	}
}

// input shows what the node asks for while running, or was given.
func (out *Node) input(n *core.Node, s *engine.Node) {
	switch {
	case s == nil || s.Input == nil:
	case s.Input.Given != nil:
		out.Given = s.Input
	case s.Status == core.InputWaiting:
		out.Asks, out.Deadline = n.Asks, s.Input.Deadline
	}
}

// masked replaces references to secrets by what logs show for them.
func masked(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if _, secret := v[core.SecretKey]; secret {
			return "**************"
		}
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = masked(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = masked(e)
		}
		return l
	default:
		return v
	}
}

// statusOf is a track's status with what it waits for showing through: a waiting
// child shows in its parent while none is running (BEHAVIOUR §14.2). One that is paused
// is pausing as long as something runs in it.
func statusOf(tracks map[string]*engine.Track, t *engine.Track) core.Status {
	s := goingOn(tracks, t)
	switch {
	case s.Terminal() || t.Paused() == nil || s == core.NotStarted || s == core.QueuedConcurrency:
		return s
	case s == core.Running:
		return core.Pausing
	default:
		return core.Paused
	}
}

func goingOn(tracks map[string]*engine.Track, t *engine.Track) core.Status {
	if t.Status.Terminal() || t.Status == core.NotStarted || t.Status == core.QueuedConcurrency {
		return t.Status
	}
	waiting := core.NotStarted
	for id := range t.Children {
		c := tracks[id]
		if c == nil || !c.Open() {
			continue
		}
		s := statusOf(tracks, c)
		if s == core.Running || s == core.Pausing {
			return core.Running
		}
		waiting = s
	}
	if t.Hold.IsPaused() {
		return core.Paused
	}
	if h := t.Hold; h != nil && t.Nodes[h.Node] != nil && t.Nodes[h.Node].Status != core.Running && !t.Nodes[h.Node].Status.Terminal() {
		if t.Nodes[h.Node].Status == core.AsyncWaiting { // at a barrier: shown as running (BEHAVIOUR §11.1)
			return core.Running
		}
		return t.Nodes[h.Node].Status
	}
	if waiting != core.NotStarted {
		return waiting
	}
	return core.Running
}

// List returns a page of a project's runs, newest first. cursor is a former
// page's, empty for the first; the cursor returned is empty at the end.
func (v *Views) List(ctx context.Context, s core.Scope, limit int, cursor string) ([]core.Run, string, error) {
	page, err := v.journal.Ports().Store.Query(ctx, core.Query{PK: core.RunIndex(s, "").PK, Index: true, Reverse: true, Limit: limit, After: cursor})
	if err != nil {
		return nil, "", err
	}
	var runs []core.Run
	for _, it := range page.Items {
		var r core.Run
		if err := json.Unmarshal(it.Body, &r); err != nil {
			return nil, "", err
		}
		runs = append(runs, r)
	}
	return runs, page.Cursor, nil
}

// Now returns the status of a run that its summary calls open: what it waits for.
func (v *Views) Now(ctx context.Context, r core.Run) (core.Status, error) {
	if r.Status.Terminal() {
		return r.Status, nil
	}
	run, tracks, err := v.journal.Whole(ctx, r.Scope.Account, r.ID)
	if err != nil {
		return r.Status, err
	}
	return statusOf(tracks, tracks[run.Plan.Root.Track]), nil
}

// Approvals finds approvals by their own id or a run's id: those that are waiting
// when it is a run's. fault.NotFound when nothing waits.
func (v *Views) Approvals(ctx context.Context, account, id string) ([]Approval, error) {
	runID, _, _ := ApprovalParts(id)
	r, err := v.Run(ctx, account, runID)
	if err != nil {
		return nil, err
	}
	var found []Approval
	for _, a := range r.Approvals {
		if a.ID == id || id == runID && a.Approval.Status == "WAITING" {
			found = append(found, a)
		}
	}
	if id == runID {
		inner, err := v.innerApprovals(ctx, account, r)
		if err != nil {
			return nil, err
		}
		found = append(found, inner...)
	}
	if len(found) == 0 {
		return nil, fault.New(fault.NotFound, "nothing waits for an approval as %s", id)
	}
	return found, nil
}
