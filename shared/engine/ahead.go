package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
)

// lookup is walk.lookup. When something has to be asked for, all that the node's
// spec names is asked for at once: how often may be asked is bounded.
func (s *scope) lookup(n *core.Node, outputs bool) (core.Fact, error) {
	f, err := s.w.lookup(n, outputs)
	need, ok := errors.AsType[*Need](err)
	if !ok {
		return f, err
	}
	all := &Need{Refs: slices.Clone(need.Refs)}
	s.named(s.n.Spec, all)
	s.named(s.also, all)
	s.namedByTarget(all)
	slices.Sort(all.Refs)
	all.Refs = slices.Compact(all.Refs)
	return f, all
}

// named collects the nodes of other tracks that the texts of a value name in full.
func (s *scope) named(v any, need *Need) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			s.named(e, need)
		}
	case []any:
		for _, e := range v {
			s.named(e, need)
		}
	case string:
		if !expr.Has(v) {
			return
		}
		paths, _ := expr.Refs(v) // what is wrong with it shows when it is rendered
		s.paths(paths, need)
	}
}

// paths collects the nodes of other tracks that the paths name in full.
func (s *scope) paths(paths []expr.Path, need *Need) {
	for _, p := range paths {
		n := s.w.run.at(p.Names)
		if n == nil || s.w.run.Owner(n.FQN) == s.w.t.ID && !s.w.run.wasRun(n) {
			continue
		}
		if _, known := s.w.facts[s.w.run.nodeRef(n)]; !known {
			need.Refs = append(need.Refs, s.w.run.nodeRef(n))
		}
	}
}

// at is the deepest node a path leads to, nil when it names none in full.
func (r *Run) at(names []string) *core.Node {
	path := strings.Join(names, ".")
	if len(names) > 0 && names[0] == "stages" {
		path = r.Plan.Root.FQN + "." + path
	}
	for strings.Contains(path, ".") {
		if n := r.Node(path); n != nil {
			return n
		}
		path = path[:strings.LastIndexByte(path, '.')]
	}
	return nil
}
