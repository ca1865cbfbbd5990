package model

import "slices"

// step tries a step until it has ended for good (BEHAVIOUR §8).
func (r *run) step(n *Node, rec *Record, s scope, at int) end {
	retried := map[*Action]int{}
	answers := n.Answers
	for i := 0; ; i++ {
		rec.Starts = append(rec.Starts, at)
		r.tie = r.tie || n.Tries[min(i, len(n.Tries)-1)].Takes == n.Timeout
		status, failure, takes := n.try(i)
		at += takes
		if failure == "" {
			return end{status: Succeeded, at: at, abort: never}
		}
		a, owner := lookup(n, s, failure)
		again := false
		for a != nil && !again {
			switch a.Type {
			case "Retry":
				k := retried[a]
				if k >= a.Count || a.Flag == "false" {
					a = a.Then
					continue
				}
				retried[a]++
				at += a.Intervals[min(k, len(a.Intervals)-1)]
				again = true
			case "ManualIntervention":
				r.tie = r.tie || len(answers) > 0 && answers[0].After == a.Timeout
				if len(answers) == 0 || answers[0].After >= a.Timeout || !s.may(answers[0].Action) {
					at += a.Timeout
					a = a.Then
					if len(answers) > 0 {
						answers = answers[1:]
					}
					continue
				}
				at += answers[0].After
				again = answers[0].Action == "Retry"
				a = &Action{Type: answers[0].Action}
				answers = answers[1:]
			default:
				return ended(a, owner, n, s, status, failure, at)
			}
		}
		if !again {
			return ended(nil, nil, n, s, status, failure, at)
		}
	}
}

// may reports whether a person may answer so: a stage can be rolled back when it has
// rollback steps and is not at them.
func (s scope) may(action string) bool {
	return action != "StageRollback" || len(s.stage.Rollback) > 0 && !s.rollback
}

// try says how attempt i (from 0) ends.
func (n *Node) try(i int) (status, failure string, takes int) {
	t := n.Tries[min(i, len(n.Tries)-1)]
	switch {
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

// lookup finds what to do about a failure, and whose strategy it is: the step's own,
// then the groups' from the inside out, then the stage's (BEHAVIOUR §8.12). A
// rollback is for itself.
func lookup(n *Node, s scope, failure string) (*Action, *Node) {
	levels := []*Node{n}
	for i := len(s.groups) - 1; i >= 0; i-- {
		levels = append(levels, s.groups[i])
	}
	if !s.rollback {
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
func ended(a *Action, owner, n *Node, s scope, status, failure string, at int) end {
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
	case "StageRollback", "StepGroupRollback":
		if s.rollback {
			e.status = Failed
			break
		}
		e.undo = s.stage
		if a.Type == "StepGroupRollback" {
			if e.undo = s.group(owner); e.undo == nil {
				e.status = Failed
			}
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
	e.status = r.aggregate(n.Children)
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
	}
	return back
}

// rollback runs the rollback steps of a stage or group: what is around it has failed.
func (r *run) rollback(n *Node, s scope, at int) end {
	in := scope{stage: s.stage, before: with(s.before, Failed), rollback: true}
	e := r.list(n.Rollback, in, at)
	e.undo = nil
	return e
}

func (r *run) stage(n *Node, s scope, at int) end {
	in := scope{stage: n}
	e := r.list(n.Children, in, at)
	e.status = r.aggregate(n.Children)
	undone := e.undo == n && len(n.Rollback) > 0
	if e.undo == n {
		e = r.rollback(n, in, e.at)
		e.status = Failed
		if e.abort != never {
			e.status = Aborted
		}
	}
	e.undo, e.stops = nil, false
	r.tie = r.tie || n.Timeout > 0 && min(e.at, e.abort)-at == n.Timeout
	if n.Timeout > 0 && min(e.at, e.abort)-at > n.Timeout {
		e = end{status: Expired, at: at + n.Timeout, abort: never}
		r.cut(slices.Concat(n.Children, n.Rollback), e.at, Expired)
		return e
	}
	r.rolledBack = r.rolledBack || undone
	return e
}
