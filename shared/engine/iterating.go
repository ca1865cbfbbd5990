package engine

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
)

// loopContext is what <+matrix>, <+repeat> and <+strategy> read: the nearest iteration
// around the node that has it (BEHAVIOUR §10.7).
func (s *scope) loopContext(name string) (any, bool) {
	r := s.w.run
	for n := s.n; n != nil; n = r.Parent(n) {
		p := r.iterationOf(n)
		switch {
		case p == nil:
		case name == "strategy":
			return &iterating{s, r.Parent(n), p}, true
		case name == "matrix" && p.Matrix != nil:
			return p.Matrix, true
		case name == "repeat" && p.Matrix == nil:
			if p.Partition != nil {
				return props{"partition": p.Partition}, true
			}
			return props{"item": p.Item}, true
		}
	}
	if name == "strategy" { // outside of loops it can still tell of one
		return &iterating{s, nil, nil}, true
	}
	return nil, false
}

// iterating is what <+strategy> and <+strategy.node.ID> read.
type iterating struct {
	s *scope
	n *core.Node  // the looped node
	p *core.Place // nil outside of it
}

// Get implements expr.Object.
func (o *iterating) Get(key string) (any, bool, error) {
	switch {
	case key == "node":
		return &loops{o.s}, true, nil
	case key == "currentStatus" && o.n != nil:
		return o.status()
	case o.p == nil:
		return nil, false, &expr.UnresolvedError{Path: "strategy." + key}
	}
	switch key {
	case "iteration":
		return o.p.Index, true, nil
	case "iterations":
		return o.p.Count, true, nil
	case "identifierPostFix":
		return o.p.PostFix, true, nil
	case "matrix":
		return o.p.Matrix, o.p.Matrix != nil, nil
	}
	return nil, false, nil
}

// status is how the loop stands as a whole.
func (o *iterating) status() (any, bool, error) {
	f, err := o.s.lookup(o.n, false)
	switch {
	case err != nil || !f.Found:
		return nil, false, err
	case f.Status.Failing():
		return "FAILED", true, nil
	case f.Status.Terminal():
		return "SUCCESS", true, nil
	}
	return "RUNNING", true, nil
}

// loops finds looped nodes by their identifiers: those around the node, then any.
type loops struct{ s *scope }

// Get implements expr.Object.
func (l *loops) Get(id string) (any, bool, error) {
	r := l.s.w.run
	for n := l.s.n; n != nil; n = r.Parent(n) {
		if p := r.iterationOf(n); p != nil && r.Parent(n).Identifier == id {
			return &iterating{l.s, r.Parent(n), p}, true, nil
		}
	}
	var found *core.Node
	r.Plan.Root.Walk(func(n *core.Node) {
		if found == nil && n.Loop != nil && n.Identifier == id {
			found = n
		}
	})
	return &iterating{l.s, found, nil}, found != nil, nil
}

// Call implements expr.Caller: get("ID").
func (l *loops) Call(method string, args []any) (any, error) {
	id, ok := "", len(args) == 1
	if ok {
		id, ok = args[0].(string)
	}
	if method != "get" || !ok {
		return nil, expr.ErrNoMethod
	}
	v, _, err := l.Get(id)
	return v, err
}

// iteration finds the iteration of a looped node that has the identifier; nil when the
// loop has none, or has not started.
func (s *scope) iteration(n *core.Node, id string) (*core.Node, error) {
	postFix, ok := strings.CutPrefix(id, n.Identifier+"_")
	if !ok {
		return nil, nil
	}
	postFix = "_" + postFix
	w := s.w
	if it := w.run.Node(n.FQN + postFix); it != nil {
		w.run.Children(it)
		return it, nil
	}
	owner := w.run.Owner(n.FQN)
	if owner == w.t.ID && !w.run.wasRun(n) {
		return nil, nil
	}
	f, err := w.fact(IterationRef(owner, n.FQN, postFix))
	if err != nil || !f.Found {
		return nil, err
	}
	if w.run.over == nil {
		w.run = w.run.laid()
	}
	it := w.run.add(n, &f.Within[0])
	w.run.Children(it)
	return it, nil
}
