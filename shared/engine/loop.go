package engine

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/strategy"
)

// MaxLoopBytes is how many bytes of JSON the iterations of one loop may have: they are
// kept in the track they are started from.
const MaxLoopBytes = 128 << 10

// expansion is a looped node decided on.
type expansion struct {
	n    *core.Node
	loop *Loop // nil: the node does not run, or failure says why it cannot
	verdict
	each []verdict // of the iterations
}

// expansion expands a loop whose node has been reached (BEHAVIOUR §10). Whether the
// node runs is asked once; a condition that speaks of the iteration is asked of each.
func (w *walk) expansion(n *core.Node) (*expansion, error) {
	x := &expansion{n: n}
	var err error
	each := w.perIteration(n)
	if each {
		if x.runs, err = w.statusHolds(n, whenOf(n).Status); err == nil && !x.runs {
			w.traceGate(n, whenOf(n), x.verdict)
		}
	} else {
		x.verdict, err = w.gate(n)
	}
	if err != nil || !x.runs {
		return x, err
	}
	x.loop, err = w.expand(n)
	if isNeed(err) {
		return nil, err
	}
	if err != nil {
		x.loop, x.runs, x.failure = nil, false, failed(fmt.Errorf("%s: strategy: %w", n.Loop.Pos, err))
		return x, nil
	}
	w.expanded(n, x.loop)
	for _, it := range w.run.Children(n) {
		v := verdict{runs: true}
		if each {
			if v, err = w.decides(it, whenOf(n).Condition, whenOf(n).Pos); err != nil {
				return nil, err
			}
			w.traceGate(it, whenOf(n), v)
		}
		if v.runs && n.Loop.When != "" {
			if v, err = w.decides(it, n.Loop.When, n.Loop.Pos); err != nil {
				return nil, err
			}
			w.traceGate(it, core.When{Status: core.WhenAll, Condition: n.Loop.When, Pos: n.Loop.Pos}, v)
		}
		x.each = append(x.each, v)
	}
	return x, nil
}

// perIteration reports whether a node's condition speaks of its loop.
func (w *walk) perIteration(n *core.Node) bool {
	paths, _ := expr.ConditionRefs(whenOf(n).Condition)
	return slices.ContainsFunc(paths, func(p expr.Path) bool {
		return slices.ContainsFunc(p.Names, func(name string) bool {
			return slices.Contains([]string{"matrix", "repeat", "strategy", "identifierPostFix"}, name)
		})
	})
}

// expanded lays the iterations over the plan from now on.
func (w *walk) expanded(n *core.Node, l *Loop) {
	if w.run.over == nil {
		w.run = w.run.laid()
	}
	w.run.expand(n, l)
}

// expand evaluates what a loop says and returns its iterations.
func (w *walk) expand(n *core.Node) (*Loop, error) {
	s := &scope{w: w, n: n, secrets: map[string]bool{}}
	v := strategy.Values{Results: map[string]any{}, Name: func(it core.Iteration) (string, error) {
		return w.nodeName(n, it)
	}}
	for _, text := range strategy.Needs(n.Loop) {
		r, err := expr.Render(text, s)
		if err != nil {
			return nil, err
		}
		if v.Results[text], err = plain(r); err != nil {
			return nil, err
		}
	}
	if len(s.secrets) > 0 {
		return nil, fault.New(fault.Invalid, "a loop cannot go over a secret")
	}
	its, err := strategy.Expand(n.Loop, v)
	if err != nil {
		return nil, err
	}
	if body, err := json.Marshal(its); err != nil || len(body) > MaxLoopBytes {
		return nil, fault.New(fault.TooLarge, "the values of its iterations have %d bytes of JSON: at most %d are allowed", len(body), MaxLoopBytes)
	}
	l := &Loop{Iterations: its}
	l.Limit, err = strategy.Concurrency(n.Loop, v)
	return l, err
}

// nodeName renders what an iteration is called.
func (w *walk) nodeName(n *core.Node, it core.Iteration) (string, error) {
	named := &walk{run: w.run.laid(), t: w.t, root: w.root, ev: w.ev, facts: w.facts, used: w.used}
	at := named.run.add(n, &core.Place{Loop: n.FQN, Iteration: it})
	name, err := expr.RenderString(n.Loop.NodeName, &scope{w: named, n: at, secrets: map[string]bool{}})
	w.used = named.used
	return name, err
}

// plain makes a JSON value of what an expression came to.
func plain(v any) (any, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out any
	return out, json.Unmarshal(body, &out)
}

// startLoop starts the first iterations. waits says that there is one to wait for.
func (w *walk) startLoop(x *expansion, out *[]undecided) (waits bool) {
	if x.loop == nil {
		return w.startBranch(branch{x.n, x.verdict}, out)
	}
	w.begin(x.n)
	if w.t.Loops == nil {
		w.t.Loops = map[string]*Loop{}
	}
	w.t.Loops[x.n.FQN] = x.loop
	for i, it := range w.run.Children(x.n) {
		if x.each[i].runs {
			x.loop.Queue = append(x.loop.Queue, i)
		} else {
			w.startBranch(branch{it, x.each[i]}, out)
		}
	}
	for _, u := range *out {
		if w.run.iterationOf(u.n) != nil && w.run.Parent(u.n) == x.n {
			w.skipQueued(x.n, u.Child)
		}
	}
	w.nextIterations(x.n)
	if w.loopOpen(x.n) {
		return true
	}
	w.endLoop(x.n)
	return false
}

// nextIterations starts what may run beside what runs.
func (w *walk) nextIterations(n *core.Node) {
	l := w.t.Loops[n.FQN]
	its := w.run.Children(n)
	for w.t.Paused() == nil && len(l.Queue) > 0 && (l.Limit == 0 || w.openIterations(its) < l.Limit) {
		w.startTrack(its[l.Queue[0]])
		l.Queue = slices.Clone(l.Queue[1:])
	}
}

func (w *walk) openIterations(its []*core.Node) (open int) {
	for _, it := range its {
		if c := w.t.Children[it.Track]; w.t.HasStarted(it.Track) && !c.Status.Terminal() {
			open++
		}
	}
	return open
}

func (w *walk) loopOpen(n *core.Node) bool {
	return len(w.t.Loops[n.FQN].Queue) > 0 || w.openIterations(w.run.Children(n)) > 0
}

// iterationEnded goes on with a loop of which an iteration has ended. Those in the queue
// are skipped when the loop says so, and when a rollback is to follow on the end.
func (w *walk) iterationEnded(n *core.Node, e core.Child) {
	l := w.t.Loops[n.FQN]
	if w.t.Stopping != "" {
		l.Queue = nil
	}
	w.skipQueued(n, e)
	w.nextIterations(n)
	if !w.loopOpen(n) && w.t.Stopping == "" {
		w.endLoop(n)
	}
}

// skipQueued skips the iterations in the queue when the end of one says so.
func (w *walk) skipQueued(n *core.Node, e core.Child) {
	l := w.t.Loops[n.FQN]
	if e.Rollback == "" && e.Again == nil && !(n.Loop.SkipQueued && e.Status.Failing()) {
		return
	}
	its := w.run.Children(n)
	for _, i := range l.Queue {
		w.skip(its[i])
	}
	l.Queue = nil
}

// moreAfter reports whether other iterations are still to be started when this one has ended.
func (w *walk) moreAfter(it *core.Node) bool {
	l := w.t.Loops[w.run.Parent(it).FQN]
	return w.run.iterationOf(it) != nil && l != nil && len(l.Queue) > 0
}

func (w *walk) endLoop(n *core.Node) {
	w.endNode(n, w.aggregate(w.run.Children(n)), nil)
}
