package model

import (
	"slices"
	"strconv"
)

// window is the iterations of a loop that run at the same time.
type window []struct {
	at    int
	stops bool // those in the queue are skipped when it has ended
}

// loop runs the iterations of a node, in order, at most as many at once as it says; all
// are awaited (BEHAVIOUR §10.5, §10.8).
func (r *run) loop(n *Node, s scope, at int) end {
	e := end{status: Succeeded, at: at, abort: never}
	var open window
	skip := false
	rolledBack := r.rolledBack
	for i := range n.Loop.Times {
		if n.Loop.Max > 0 && len(open) == n.Loop.Max { // the next starts when the first ends
			var stops, tie bool
			at, stops, tie = open.first()
			r.tie, skip = r.tie || tie && !skip, skip || stops
		}
		in := s
		in.looped, in.number, in.turn = n, i, s.turn+i
		if skip {
			r.record(in, n.ID+"_"+strconv.Itoa(i), Record{Status: Skipped, Start: at, End: at})
			continue
		}
		var b end
		r.beside(rolledBack, func() { b = r.node(n, in, at) })
		open = append(open, struct {
			at    int
			stops bool
		}{min(b.at, b.abort), b.undo != nil || n.Loop.SkipQueued && failing(b.status)})
		r.join(&e, b, s)
	}
	return e.joined()
}

// first takes the iteration out that ends first. It is a tie when another ends just then
// and it matters which of them is first.
func (w *window) first() (at int, stops, tie bool) {
	k := 0
	for i, o := range *w {
		if o.at < (*w)[k].at {
			k = i
		}
	}
	at, stops = (*w)[k].at, (*w)[k].stops
	for _, o := range *w {
		tie = tie || o.at == at && o.stops != stops
	}
	*w = slices.Delete(*w, k, k+1)
	return at, stops, tie
}
