package simulate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/spell"
)

// Path is how a node is named to people: its FQN without what every one has.
func Path(fqn string) string {
	return strings.ReplaceAll(strings.TrimPrefix(fqn, "pipeline."), ".spec.execution.", ".")
}

// named reports whether a node is shown: the pipeline is the run, and a parallel has
// no name.
func named(n *core.Node) bool { return n.Kind != core.KindPipeline && n.Kind != core.KindParallel }

// find returns the node that is meant by a path, or by an identifier or name that
// only one node has. An iteration of a loop is found by its own path, whether there
// will be one or not.
func (s *Script) find(name string) (key string, n *core.Node, err error) {
	var meant []*core.Node
	name = Path(name) // a full one
	for _, n := range s.nodes {
		switch name {
		case s.paths[n]:
			return name, n, nil
		case n.Identifier, n.Name:
			meant = append(meant, n)
		}
	}
	if len(meant) == 1 {
		return s.paths[meant[0]], meant[0], nil
	}
	if len(meant) > 1 {
		return "", nil, fault.New(fault.Invalid, "%q is the name of several nodes: take one of %s", name, strings.Join(s.named(meant), ", "))
	}
	for _, n := range s.nodes {
		if s.iterates(n, name) {
			return name, n, nil
		}
	}
	return "", nil, fault.New(fault.Invalid, "no node is called %q: there are %s", name, strings.Join(nearest(name, s.named(s.nodes)), ", "))
}

// iterates reports whether the path could be that of the node in an iteration of the
// loops around it, or of an iteration itself.
func (s *Script) iterates(n *core.Node, path string) bool {
	own, asked := strings.Split(s.paths[n], "."), strings.Split(path, ".")
	if len(own) != len(asked) {
		return false
	}
	for i := range own {
		if own[i] == asked[i] {
			continue
		}
		if !s.looped[strings.Join(own[:i+1], ".")] || !strings.HasPrefix(asked[i], own[i]+"_") {
			return false
		}
	}
	return true
}

// unheard reports an iteration that the script names and that there was not. Of a loop
// that was not come to none is known.
func (s *Script) unheard(nodes []Node) error {
	there, expanded := map[string]bool{}, map[string]bool{}
	var words []string
	for _, n := range nodes {
		there[n.Path] = true
		words = append(words, n.Path)
		if base := s.base(n.Path); base != n.Path {
			expanded[base] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.parts)) {
		if base := s.paths[s.parts[key].n]; !there[key] && base != key && expanded[base] {
			return fault.New(fault.Invalid, "no iteration is called %q: there are %s", key, strings.Join(nearest(key, words), ", "))
		}
	}
	return nil
}

func (s *Script) named(nodes []*core.Node) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = s.paths[n]
	}
	return out
}

// shown is how many names an error lists.
const shown = 5

// nearest are the words most like one, best first.
func nearest(word string, words []string) []string {
	words = slices.Clone(words)
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(distance(word, a), distance(word, b)) })
	return words[:min(shown, len(words))]
}

// distance is the number of edits between two words; of a path its last name counts
// as well, for that is what most people write.
func distance(a, b string) int {
	d := spell.Distance(a, b)
	if i := strings.LastIndexByte(b, '.'); i >= 0 {
		d = min(d, spell.Distance(a[strings.LastIndexByte(a, '.')+1:], b[i+1:]))
	}
	return d
}
