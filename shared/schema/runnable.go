package schema

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/steps"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// runnable says of each union of the facts whose cases need a runner what such a
// case is called and which have one. It is the one place where `unsupported` of
// documents is decided; everything else in a document that is valid is kept.
var runnable = map[string]struct {
	noun string
	has  func(string) bool
}{
	"Step":       {"step type", func(t string) bool { _, ok := steps.Lookup(t); return ok }},
	"StageSpec":  {"stage type", among("Custom", "Approval", "Deployment", "Pipeline")},
	"Connector":  {"connector type", among()},
	"Deployment": {"deployment type", among()},
	"Target":     {"target type", among()},
}

func among(names ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(names, s) }
}

// runs says when a type is known but nothing executes it yet.
func (c *checker) runs(d *yamldoc.Node, union string) {
	r, ok := runnable[union]
	if !ok || r.has(d.Text) {
		return
	}
	c.add(core.SeverityUnsupported, d, d.Pos, CodeUnsupported, "not supported yet: "+r.noun+" "+d.Text, "")
}

// Unsupported returns the cases of a union of the facts that have no runner yet,
// by what they are called: "step type", "stage type", "connector type",
// "deployment type", "target type".
func Unsupported() map[string][]string {
	out := map[string][]string{}
	for name, r := range runnable {
		for _, w := range union(name).names {
			if !r.has(w) {
				out[r.noun] = append(out[r.noun], w)
			}
		}
		slices.Sort(out[r.noun])
	}
	return out
}
