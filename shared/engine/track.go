// Package engine decides what a run does: Apply takes a track, an event and what
// was looked up, and returns the track after it with the commands it causes. It
// has no clock, no randomness and no I/O, so a run can be replayed and explained.
package engine

import (
	"maps"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
)

// Track is the state of one serial walk through a plan: the fold of its events.
// The JSON form is what snapshots hold.
type Track struct {
	ID      string      `json:"id"`
	N       int64       `json:"n"` // number of the last event
	Status  core.Status `json:"status,omitempty"`
	Started int64       `json:"started,omitempty"` // ms
	Ended   int64       `json:"ended,omitempty"`
	// Cursor is where the walk is: an index into the track's nodes, then into each
	// enclosing group's children.
	Cursor   []int                `json:"cursor,omitempty"`
	Nodes    map[string]*Node     `json:"nodes,omitempty"`    // by FQN, those that have started here
	Children map[string]*Child    `json:"children,omitempty"` // tracks below that were started
	Loops    map[string]*Loop     `json:"loops,omitempty"`    // by FQN, those whose iterations are children of this track
	Within   []core.Place         `json:"within,omitempty"`   // the iterations around the track, outermost first
	Exports  map[string]*Exported `json:"exports,omitempty"`  // outputAlias results, by scope FQN + "#" + key
	Segment  Segment              `json:"segment"`
	Task     *Task                `json:"task,omitempty"`
	Hold     *Hold                `json:"hold,omitempty"`
	Next     *Hold                `json:"next,omitempty"` // to hold for once the machine is back in Work
	Slot     *core.Claim          `json:"slot,omitempty"` // that a run waits for before it begins
	Held     []core.Claim         `json:"held,omitempty"` // locks got here or below, kept after the end
	Failure  *core.Failure        `json:"failure,omitempty"`
	Barriers map[string]*Barrier  `json:"barriers,omitempty"` // of the run, on the pipeline's track
	// Undo is the rollback under way, Wanted the FQN of what is to be rolled back when
	// that is of a track above, or waits for branches.
	Undo   *Undo  `json:"undo,omitempty"`
	Wanted string `json:"wanted,omitempty"`
	// Because is the failure that Wanted follows on, nil when it is Failure.
	Because *core.Failure `json:"because,omitempty"`
	// Again is the group that is to be tried again, when that is of a track above or
	// waits for branches.
	Again *core.Again `json:"again,omitempty"`
	// FailAll says that the stages beside this one are not waited for before the
	// pipeline is rolled back.
	FailAll bool       `json:"failAll,omitempty"`
	Normal  *Walked    `json:"normal,omitempty"` // once the pipeline is rolled back
	Round   core.Round `json:"round,omitzero"`   // which walk of the track this is
	// RolledBack says that a stage's rollback steps have run here or below.
	RolledBack bool `json:"rolledBack,omitempty"`
	// Marked says that what failed in a branch of a rollback was marked so, see core.Child.
	Marked bool `json:"marked,omitempty"`
	// Stopping is the status everything open ends with once a Stop has arrived.
	Stopping core.Status `json:"stopping,omitempty"`
	// Pauses is what was said about its pausing, by the track that a person paused.
	Pauses map[string]Pausing `json:"pauses,omitempty"`
	// Route is where the track's machine was last told to go.
	Route *core.Route `json:"route,omitempty"`
	// Execution is the execution that walks the track, nil for the first of the round.
	Execution *Executing `json:"execution,omitempty"`
	// Transitions is how many states the track's machine has entered.
	Transitions int64 `json:"transitions,omitempty"`
	// Warnings are what is wrong with the run without ending it.
	Warnings []core.Warned `json:"warnings,omitempty"`
}

// Node is how one node of the plan stands in its track.
type Node struct {
	Status     core.Status      `json:"status"`
	Started    int64            `json:"started"`
	Ended      int64            `json:"ended,omitempty"`
	Attempt    int              `json:"attempt"`
	Task       string           `json:"task,omitempty"`      // id of its task, which is also its log's
	Fence      int64            `json:"fence,omitempty"`     // of the dispatch that runs or ran it
	Completed  bool             `json:"completed,omitempty"` // by its delegate
	LogAt      int64            `json:"logAt,omitempty"`     // event that holds the last lines, 0 for none
	Delegate   string           `json:"delegate,omitempty"`
	Outputs    map[string]any   `json:"outputs,omitempty"`
	OutputsRef *core.OutputsRef `json:"outputsRef,omitempty"`
	Failure    *core.Failure    `json:"failure,omitempty"`
	Approval   *Approval        `json:"approval,omitempty"`
	Retries    map[string]int   `json:"retries,omitempty"` // by failure strategy
	Earlier    []Attempt        `json:"earlier,omitempty"`
	Asked      *Asked           `json:"asked,omitempty"`   // while it waits for a person
	Input      *Input           `json:"input,omitempty"`   // what it asks for when it starts
	Chained    *Chained         `json:"chained,omitempty"` // the run that a stage has started
	Answers    []Answer         `json:"answers,omitempty"`
	// Withdrawn says that its task was taken back before a delegate had it: the same
	// attempt begins once more.
	Withdrawn bool `json:"withdrawn,omitempty"`
	Marked    bool `json:"marked,omitempty"` // it was not let in, and a strategy said MarkAsFailure
}

// Child is a track that this one started.
type Child struct {
	Status     core.Status   `json:"status"`
	Round      core.Round    `json:"round,omitzero"`
	Generation int           `json:"generation"`
	Started    int64         `json:"started,omitempty"`
	Ended      int64         `json:"ended,omitempty"`
	Failure    *core.Failure `json:"failure,omitempty"`
	Marked     bool          `json:"marked,omitempty"` // see core.Child
	// Then is where the machine that ran the track goes, when it is not the one that goes
	// on with this track's route.
	Then *core.Route `json:"then,omitempty"`
}

// Exported is a set of output variables published under an alias.
type Exported struct {
	Node string `json:"node"` // the step whose output variables they are
}

// Segment is the stretch of the walk that a machine's state is waiting in. When
// it has both a token and an outcome the token is finished and the next begins.
type Segment struct {
	N       int         `json:"n"`
	Kind    string      `json:"kind"` // Work or the name of a hold
	Token   string      `json:"token,omitempty"`
	At      int64       `json:"at,omitempty"`    // when the state was entered
	Retry   int         `json:"retry,omitempty"` // its retry count
	Outcome *core.Route `json:"outcome,omitempty"`
	Closed  bool        `json:"closed,omitempty"` // the machine has been told to leave
}

// Task is the track's current unit of work for a delegate.
type Task struct {
	core.QueuedTask
	Node     string            `json:"node"`
	Attempt  int               `json:"attempt"`
	Type     string            `json:"type"`
	Name     string            `json:"name"`
	Spec     map[string]any    `json:"spec"`
	Secrets  []string          `json:"secrets,omitempty"` // references the spec may use
	Timeout  int64             `json:"timeout"`           // ms from the claim on
	Stage    bool              `json:"stage,omitempty"`   // the timeout is the stage's deadline
	Delegate *core.DelegateRef `json:"delegate,omitempty"`
	Claimed  int64             `json:"claimed,omitempty"` // ms
	Fence    int64             `json:"fence,omitempty"`   // event number of the claim
}

// Hold is what the track waits for outside of Work.
type Hold struct {
	Kind string `json:"kind"` // Approval, Wait, BackOff, Intervene, Lock, Branches, Stages
	Node string `json:"node"`
	// Own says that the hold's own time running out is its normal end (Wait, BackOff);
	// otherwise a deadline has passed.
	Own   bool `json:"own,omitempty"`
	Stage bool `json:"stage,omitempty"` // the time is the stage's deadline
	// Until is when the time runs out, ms: what is left of it when a fault of the
	// platform's makes the machine hold again.
	Until int64 `json:"until,omitempty"`
	// Claim is what a Lock waits for. Asked says that the machine is still in Work: how
	// the claim stands is not known yet.
	Claim *core.Claim `json:"claim,omitempty"`
	Asked bool        `json:"asked,omitempty"`
}

// clone returns a deep enough copy for Apply to change.
func (t *Track) clone() *Track {
	c := *t
	c.Cursor = slices.Clone(t.Cursor)
	c.Nodes = make(map[string]*Node, len(t.Nodes)+2)
	for k, n := range t.Nodes {
		m := *n
		c.Nodes[k] = &m
	}
	c.Children = make(map[string]*Child, len(t.Children))
	for k, ch := range t.Children {
		m := *ch
		c.Children[k] = &m
	}
	c.Exports = maps.Clone(t.Exports)
	c.Pauses = maps.Clone(t.Pauses)
	c.Loops = maps.Clone(t.Loops)
	for k, l := range t.Loops {
		m := *l
		c.Loops[k] = &m
	}
	if t.Task != nil {
		m := *t.Task
		c.Task = &m
	}
	if t.Hold != nil {
		m := *t.Hold
		c.Hold = &m
	}
	if t.Undo != nil {
		m := *t.Undo
		c.Undo = &m
	}
	if t.Next != nil {
		m := *t.Next
		c.Next = &m
	}
	return &c
}

// ByTask is the node that a task is of, as it stood in that attempt; nil when the
// task is not of this track.
func (t *Track) ByTask(task string) *Node {
	for _, n := range t.Nodes {
		if n.Task == task {
			return n
		}
		for _, a := range n.Earlier {
			if a.Task == task {
				return &Node{Status: a.Status, Started: a.Started, Ended: a.Ended, Attempt: a.N, Task: a.Task, Fence: a.Fence,
					Completed: true, LogAt: a.LogAt, Delegate: a.Delegate, Failure: a.Failure}
			}
		}
	}
	return nil
}

// Busy is the FQN of the step that the track runs or waits at; "" when there is none.
func (t *Track) Busy() string {
	switch {
	case t.Task != nil:
		return t.Task.Node
	case t.Hold != nil && t.Hold.ofStep():
		return t.Hold.Node
	}
	return ""
}

// Open reports whether the track has started and not ended.
func (t *Track) Open() bool { return t.Status != core.NotStarted && !t.Status.Terminal() }

// openChildren returns the tracks below that have not ended, in order.
func (t *Track) openChildren() []string {
	var open []string
	for id, c := range t.Children {
		if !c.Status.Terminal() && c.Status != core.NotStarted {
			open = append(open, id)
		}
	}
	slices.Sort(open)
	return open
}

// Dispatched reports whether the fence is that of the latest dispatch of a task
// in this track, ended or not.
func (t *Track) Dispatched(task string, fence int64) bool {
	n := t.ByTask(task)
	return n != nil && n.Fence == fence
}
