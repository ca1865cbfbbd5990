package model

import "slices"

// trial is how it stands with a step while it is tried.
type trial struct {
	n       *Node
	s       scope
	rec     *Record
	at      int
	given   bool // the value that it asks for
	retried map[*Action]int
	answers []Answer
}

// step tries a step until it has ended for good (BEHAVIOUR §8).
func (r *run) step(n *Node, rec *Record, s scope, at int) end {
	t := &trial{n: n, s: s, rec: rec, at: at, retried: map[*Action]int{}, answers: n.Answers}
	for i := len(rec.Starts); ; i++ {
		try := n.Tries[(min(i, len(n.Tries)-1)+s.turn)%len(n.Tries)]
		status, failure := r.asks(t, try)
		for {
			if failure == "" {
				status, failure = r.tries(t, try)
			}
			if failure == "" {
				return end{status: Succeeded, at: t.at, abort: never}
			}
			a, owner, again := r.decide(t, failure)
			if again {
				break
			}
			if a != nil && a.Type == "ProceedWithDefaultValues" && failure == "InputTimeoutError" && n.Input.Default {
				t.given, failure = true, ""
				t.rec.Starts = t.rec.Starts[:len(t.rec.Starts)-1] // the same attempt goes on
				continue
			}
			return r.ended(a, owner, n, s, status, failure, t.at)
		}
	}
}

// asks waits for the value that a step asks for, unless it has been given.
func (r *run) asks(t *trial, try Try) (status, failure string) {
	t.rec.asked = append(t.rec.asked, t.at)
	if t.n.Input == nil || t.given {
		return "", ""
	}
	r.tie = r.tie || try.Given == t.n.Timeout
	if try.Given > 0 && try.Given < t.n.Timeout {
		t.at += try.Given
		t.given = true
		return "", ""
	}
	t.rec.Starts = append(t.rec.Starts, t.at)
	t.at += t.n.Timeout
	return Expired, "InputTimeoutError"
}

// tries is one attempt.
func (r *run) tries(t *trial, try Try) (status, failure string) {
	t.rec.Starts = append(t.rec.Starts, t.at)
	r.tie = r.tie || try.Takes == t.n.Timeout || try.Marked > 0 && (try.Marked == try.Takes || try.Marked == t.n.Timeout)
	status, failure, takes := try.ends(t.n)
	t.at += takes
	return status, failure
}

// decide is what is to be done about a failure in the end, nil for nothing, and whose
// strategy that is; or that the step is tried again.
func (r *run) decide(t *trial, failure string) (a *Action, owner *Node, again bool) {
	for a, owner = lookup(t.n, t.s, failure); a != nil; a = a.Then {
		switch a.Type {
		case "Retry":
			k := t.retried[a]
			if k >= a.Count || a.Flag == "false" || a.Flag == "error" {
				continue
			}
			t.retried[a]++
			t.at += a.Intervals[min(k, len(a.Intervals)-1)]
			return nil, nil, true
		case "ManualIntervention":
			if len(t.answers) == 0 {
				t.at += a.Timeout
				continue
			}
			said := t.answers[0]
			t.answers = t.answers[1:]
			r.tie = r.tie || said.After == a.Timeout
			if said.After >= a.Timeout || !r.may(said.Action, a, t.s) {
				t.at += a.Timeout
				continue
			}
			t.at += said.After
			return &Action{Type: said.Action}, nil, said.Action == "Retry"
		default:
			return a, owner, false
		}
	}
	return nil, nil, false
}

// may reports whether a person may answer so: what the strategy allows; a stage can be
// rolled back when it has rollback steps, the pipeline when any stage has, and neither
// during a rollback.
func (r *run) may(action string, a *Action, s scope) bool {
	if len(a.Allowed) > 0 && !slices.Contains(a.Allowed, action) {
		return false
	}
	switch action {
	case "StageRollback":
		return len(s.stage.Rollback) > 0 && !s.rollback
	case "PipelineRollback":
		any := false
		r.pipeline.Walk(func(n *Node) { any = any || n.Kind == Stage && len(n.Rollback) > 0 })
		return any && !s.rollback
	}
	return true
}

// ends says how an attempt ends.
func (t Try) ends(n *Node) (status, failure string, takes int) {
	switch {
	case t.Marked > 0 && t.Marked < min(t.Takes, n.Timeout):
		return Failed, "UserMarkedFailure", t.Marked
	case t.Takes >= n.Timeout:
		return Expired, "Timeout", n.Timeout
	case t.Error == "Reject":
		return Rejected, "ApprovalRejection", t.Takes
	case t.Error == "Timeout": // the delegate says so
		return Expired, "Timeout", t.Takes
	case t.Error != "":
		return Failed, t.Error, t.Takes
	}
	return Succeeded, "", t.Takes
}

// undecided is how a node ends whose condition cannot be evaluated: it has failed, and
// there is nothing to be tried again or asked about.
func (r *run) undecided(n *Node, s scope, at int) end {
	a, owner := lookup(n, s, "Unknown")
	for a != nil && a.Then != nil {
		a = a.Then
	}
	if owner == n { // nothing of it has run
		owner = nil
	}
	return r.ended(a, owner, n, s, Failed, "Unknown", at)
}

// lookup finds what to do about a failure, and whose strategy it is: the step's own,
// then the groups' from the inside out, then the stage's (BEHAVIOUR §8.12). A
// rollback is for itself.
func lookup(n *Node, s scope, failure string) (*Action, *Node) {
	levels := []*Node{n}
	for i := len(s.groups) - 1; i >= 0; i-- {
		levels = append(levels, s.groups[i])
	}
	if !s.rollback && s.stage != nil {
		levels = append(levels, s.stage)
	}
	for _, l := range levels {
		if a := l.strategy(failure); a != nil {
			return a, l
		}
	}
	return nil, nil
}

func (n *Node) strategy(failure string) *Action {
	for _, f := range n.Failure {
		for _, e := range f.Errors {
			if e == failure || e == "AllErrors" {
				return f.Action
			}
		}
	}
	return nil
}

// ended is how a step ends that an action was decided for; nil when none was.
func (r *run) ended(a *Action, owner, n *Node, s scope, status, failure string, at int) end {
	e := end{status: status, at: at, abort: never, failure: failure}
	if a == nil {
		e.stops = true
		return e
	}
	switch a.Type {
	case "Ignore":
		e.status = IgnoreFailed
	case "MarkAsSuccess":
		e.status = Succeeded
	case "Abort":
		e.status, e.abort = Aborted, at
	case "StageRollback", "StepGroupRollback", "PipelineRollback":
		if !s.rollback {
			e.undo = map[string]*Node{"StageRollback": s.stage, "StepGroupRollback": s.group(owner), "PipelineRollback": r.pipeline}[a.Type]
		}
		if e.undo == nil {
			e.status = Failed
		}
	default: // MarkAsFailure, ProceedWithDefaultValues without an input
		e.status = Failed
	}
	return e
}

// group is the group that StepGroupRollback is for: the one whose strategy it is,
// else the innermost.
func (s scope) group(owner *Node) *Node {
	if owner != nil && owner.Kind == Group {
		return owner
	}
	if len(s.groups) > 0 {
		return s.groups[len(s.groups)-1]
	}
	return nil
}

func (r *run) group(n *Node, s scope, at int) end {
	in := s
	in.groups = with(s.groups, n)
	if n.When != nil {
		in.near = nil
	}
	e := r.list(n.Children, in, at)
	e.status = r.aggregate(n.Children, s)
	if e.undo == n {
		return r.undoGroup(n, s, e)
	}
	return e
}

// undoGroup rolls a group back, and asks the stage about the failure (RULING 9).
func (r *run) undoGroup(n *Node, s scope, e end) end {
	back := r.rollback(n, s, e.at)
	back.failure = e.failure
	if back.abort != never {
		back.status = Aborted
		return back
	}
	back.status, back.stops = Failed, false
	a := s.stage.strategy(e.failure)
	for a != nil && a.Then != nil {
		a = a.Then
	}
	if a == nil {
		return back
	}
	switch a.Type {
	case "Ignore":
		back.status = IgnoreFailed
	case "MarkAsSuccess":
		back.status = Succeeded
	case "Abort":
		back.status, back.abort = Aborted, back.at
	case "StageRollback":
		back.undo = s.stage
	case "PipelineRollback":
		back.undo = r.pipeline
	}
	return back
}

// rollback runs the rollback steps of a stage or group: what is around it has failed.
func (r *run) rollback(n *Node, s scope, at int) end {
	in := scope{in: s.in, path: s.path, turn: s.turn, stage: s.stage, before: with(s.before, Failed), rollback: true}
	e := r.list(n.Rollback, in, at)
	e.undo = nil
	return e
}

func (r *run) stage(n *Node, s scope, at int) end {
	in := scope{in: s.in, path: s.path, turn: s.turn, stage: n}
	e := r.list(n.Children, in, at)
	e.status = r.aggregate(n.Children, in)
	undone := e.undo == n && len(n.Rollback) > 0
	if e.undo == n {
		e = r.rollback(n, in, e.at)
		e.status = Failed
		if e.abort != never {
			e.status = Aborted
		}
	}
	if e.undo != r.pipeline {
		e.undo = nil
	}
	e.stops = false
	if e = r.inTime(n, e, at, s.in.below); e.status == Expired && undone && e.at == at+n.Timeout {
		return e
	}
	r.undone[s.in] = undone
	r.rolledBack = r.rolledBack || undone
	return e
}
