package cli

import (
	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/follow"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// records shows a run to a program: one JSON object a line.
type records struct {
	print  func(any)
	target target
}

// nodeRecord is a node's start or end. Times are ms since 1970.
type nodeRecord struct {
	Event    string         `json:"event"` // start or end
	Time     int64          `json:"time"`
	Node     string         `json:"node"` // FQN
	Kind     core.NodeKind  `json:"kind"`
	ID       string         `json:"identifier,omitempty"`
	Name     string         `json:"name,omitempty"`
	Type     string         `json:"type,omitempty"`
	Status   string         `json:"status"`
	Duration *int64         `json:"durationMs,omitempty"`
	Attempt  int            `json:"attempt,omitempty"`
	Outputs  map[string]any `json:"outputs,omitempty"`
	At       string         `json:"outputsAt,omitempty"`
	Failure  *core.Failure  `json:"failure,omitempty"`
	Chained  *view.Chained  `json:"chained,omitempty"`
	Run      string         `json:"run,omitempty"` // of a run that a stage has started
	In       string         `json:"in,omitempty"`  // that stage's FQN
}

// logRecord is a line of a step's log. Time is the delegate's.
type logRecord struct {
	Event string `json:"event"` // log
	Time  int64  `json:"time"`
	Node  string `json:"node"`
	ID    string `json:"identifier"`
	Level string `json:"level"`
	Text  string `json:"text"`
	Run   string `json:"run,omitempty"`
	In    string `json:"in,omitempty"`
}

func (r *records) begun(l client.Launched) {
	r.print(map[string]any{"event": "run", "run": l.Run, "sequence": l.Sequence, "url": l.URL, "warnings": append(core.Diagnostics{}, l.Warnings...)})
}

func (r *records) event(e follow.Event) {
	n := e.Node
	rec := nodeRecord{Event: string(e.Kind), Time: n.Started, Node: n.FQN, Kind: n.Kind, ID: n.Identifier, Name: n.Name, Type: n.Type, Status: n.Status, Attempt: n.Attempt, Chained: n.Chained}
	if e.In != "" {
		rec.Run, rec.In = e.Run, e.In
	}
	switch e.Kind {
	case follow.Started:
		rec.Status = "Running"
		r.print(rec)
	case follow.Ended:
		took := n.Finished - n.Started
		if n.Started == 0 {
			took = 0
		}
		rec.Time, rec.Duration, rec.Outputs, rec.At, rec.Failure = n.Finished, &took, n.Outputs, n.OutputsAt, n.Failure
		r.print(rec)
	case follow.Logged:
		r.print(logRecord{string(e.Kind), e.Line.Time, n.FQN, n.Identifier, e.Line.Level, e.Line.Text, rec.Run, rec.In})
	case follow.Wants:
		rec.Time = n.Deadline
		r.print(struct {
			nodeRecord
			Asks    []core.Ask `json:"asks"`
			Command string     `json:"command"`
		}{rec, n.Asks, r.target.inputLine(e.Run, n)})
	case follow.Failed:
		rec.Time, rec.Failure = n.Deadline, n.Failure
		r.print(struct {
			nodeRecord
			Allowed []core.ActionType `json:"allowed"`
			Command string            `json:"command"`
		}{rec, n.Allowed, r.target.interveneLine(e.Run, n.FQN)})
	case follow.Asked:
		r.print(map[string]any{"event": "approval", "approval": e.Approval, "command": r.target.approveLine(e.Approval.ID)})
	}
}

func (r *records) waits(view.Approval) {} // the approval's record says how

func (r *records) ended(run view.Run, status int) {
	r.print(map[string]any{"event": "end", "run": run.ID, "status": run.Status, "time": run.Finished, "durationMs": run.Finished - run.Started,
		"failure": run.Failure, "exit": status})
}
