package model

import "slices"

// undoPipeline runs the rollback steps of the stages that have run and were not rolled
// back yet: from the last to the first, those that ran side by side together
// (BEHAVIOUR §8.9).
func (r *run) undoPipeline(s scope, at int) end {
	e := end{at: at, abort: never}
	for _, n := range slices.Backward(r.pipeline.Children) {
		members := []*Node{n}
		if n.Kind == Parallel {
			members = n.Children
		}
		all := end{at: e.at, abort: never}
		for _, m := range members {
			r.undoStages(m, s, e.at, &all)
		}
		if e = all.joined(); e.abort != never {
			break
		}
	}
	return e
}

// undoStages runs the rollback steps of a stage, or of its iterations.
func (r *run) undoStages(n *Node, s scope, at int, all *end) {
	rec := r.nodes[n.ID]
	if rec == nil || !rec.ran || len(n.Rollback) == 0 {
		return
	}
	walks := []*Record{rec}
	if n.Loop != nil {
		walks = rec.below
	}
	for i, rec := range walks {
		if !rec.ran || r.undone[rec] {
			continue
		}
		in := scope{in: rec, stage: n, turn: i, before: []string{rec.Status}, rollback: true}
		if n.Loop != nil {
			in.path = rec.key + "."
		}
		had := len(rec.below)
		e := r.list(n.Rollback, in, at)
		e.undo = nil
		r.join(all, r.inTime(n, e, at, rec.below[had:]), s)
	}
}

// inTime cuts off what takes a stage longer than it may.
func (r *run) inTime(n *Node, e end, since int, below []*Record) end {
	took := min(e.at, e.abort) - since
	r.tie = r.tie || n.Timeout > 0 && took == n.Timeout
	if n.Timeout == 0 || took <= n.Timeout {
		return e
	}
	r.cut(below, since+n.Timeout, Expired)
	return end{status: Expired, at: since + n.Timeout, abort: never}
}
