package engine

import (
	"errors"
	"strconv"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
)

// Decision is something Apply decided about a node: one of its parts is set.
type Decision struct {
	Node    string
	Gate    *Gate
	Failing *Failing
	Action  *Action
}

// Gate is how it was decided whether a node runs. A status test that does not hold
// leaves the condition unasked.
type Gate struct {
	Status    core.WhenStatus // asked for
	Past      core.Status     // what had ended before amounted to
	Holds     bool            // the status test
	Condition string
	Values    []Value // what the condition reads
	Runs      bool
	Failure   *core.Failure // why the condition could not tell
	Pos       core.Position // of the node's when; none without one
}

// Value is what an expression read at a name.
type Value struct {
	Name   string
	Value  any
	Found  bool
	Secret bool // Value is not given
	Err    string
}

// Failing is how a failure strategy was found for a failed node.
type Failing struct {
	Failure *core.Failure
	Types   []core.ErrorType // as strategies name the failure's types
	// Asked are the strategies looked at, innermost first, up to the one that matched.
	Asked   []Asking
	Matched bool
}

// Asking is a failure strategy that was looked at.
type Asking struct {
	At      string // FQN of the node whose list it is in
	Kind    core.NodeKind
	Errors  []core.ErrorType
	Matches bool
	Pos     core.Position
}

// Action is what was done about a failed node. A Retry that had no tries left and a
// question nobody answered are followed by another.
type Action struct {
	Strategy string // At + "#" + its index in the list, and ".then" for what follows; "" for a person's word
	At       string
	Action   core.FailureAction
	Tried    int // how often a Retry had tried again before
	Pos      core.Position
}

// RollsBack is the stage or group whose rollback steps a node is one of, or in; nil for
// other nodes.
func (r *Run) RollsBack(n *core.Node) *core.Node { return r.undone(n) }

// Trace applies an event as Apply does and tells what it decided, in order.
func Trace(r *Run, t *Track, ev core.Event, facts map[string]core.Fact) (Result, []Decision, error) {
	var all []Decision
	res, err := apply(r, t, ev, facts, func(d Decision) { all = append(all, d) })
	return res, all, err
}

func (w *walk) traceGate(n *core.Node, when core.When, v verdict) {
	if w.trace == nil {
		return
	}
	g := &Gate{Status: when.Status, Condition: when.Condition, Pos: when.Pos, Runs: v.runs, Failure: v.failure}
	g.Past, _ = w.before(n)
	if g.Holds, _ = w.statusHolds(n, g.Status); g.Holds {
		g.Values = w.read(n, g.Condition)
	}
	w.trace(Decision{Node: n.FQN, Gate: g})
}

// read tells what a condition's names stand for. What it did not need was not looked
// up and is left out.
func (w *walk) read(n *core.Node, condition string) []Value {
	paths, _ := expr.ConditionRefs(condition) // a condition that is wrong has failed its node
	s := &scope{w: w, n: n, secrets: map[string]bool{}}
	var all []Value
	known := map[string]bool{}
	for _, p := range paths {
		if known[p.String()] {
			continue
		}
		known[p.String()] = true
		if v, ok := s.value(p); ok {
			all = append(all, v)
		}
	}
	return all
}

func (s *scope) value(p expr.Path) (Value, bool) {
	out := Value{Name: p.String()}
	v, err := expr.Eval(p.String(), s)
	if isNeed(err) {
		return out, false
	}
	if _, unknown := errors.AsType[*expr.UnresolvedError](err); unknown {
		return out, true
	}
	if err != nil {
		out.Err = err.Error()
		return out, true
	}
	if t, ok := v.(expr.Template); ok {
		if v, err = expr.Render(string(t), s); err != nil {
			out.Err = err.Error()
			return out, true
		}
	}
	if _, ok := v.(expr.Secret); ok {
		out.Secret, out.Found = true, true
		return out, true
	}
	out.Value, out.Found = v, v != nil
	return out, true
}

func (w *walk) traceFailure(b broken, r rule, matched bool) {
	if w.trace == nil {
		return
	}
	f := &Failing{Failure: b.failure, Matched: matched}
	for _, t := range b.failure.Types {
		if e, ok := errorTypes[t]; ok {
			f.Types = append(f.Types, e)
		}
	}
	undo := w.run.undone(b.n)
	for n := b.n; n != nil && n != undo; n = w.run.Parent(n) {
		for i, s := range n.Failure {
			hit := matched && r.key == n.FQN+"#"+strconv.Itoa(i)
			f.Asked = append(f.Asked, Asking{n.FQN, n.Kind, s.Errors, hit, s.Pos})
			if hit {
				n = w.run.Plan.Root // nothing further out was asked
				break
			}
		}
	}
	w.trace(Decision{Node: b.n.FQN, Failing: f})
}

func (w *walk) traceAction(b broken, r rule) {
	if w.trace == nil {
		return
	}
	a := &Action{Strategy: r.key, Action: r.action}
	if r.at != nil {
		a.At = r.at.FQN
		for i, s := range r.at.Failure {
			key := r.at.FQN + "#" + strconv.Itoa(i)
			if r.key == key || len(r.key) > len(key) && r.key[:len(key)+1] == key+"." {
				a.Pos = s.Pos
			}
		}
	}
	if s := w.t.Nodes[b.n.FQN]; s != nil {
		a.Tried = s.Retries[r.key]
	}
	w.trace(Decision{Node: b.n.FQN, Action: a})
}
