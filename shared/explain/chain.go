package explain

import (
	"fmt"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// acts reports whether something is done for a node itself, and not in others inside it.
func acts(n *core.Node) bool { return n.Kind == core.KindStep || n.Chain != nil }

// chains tells of the runs that a stage has started, one for each try.
func (s *Story) chains(n *core.Node) (links []Link) {
	o := s.state(n)
	if o == nil || n.Chain == nil || n.Chain.Plan == nil {
		return nil
	}
	tries := slices.Clone(o.Earlier)
	if o.Chained != nil {
		tries = append(tries, engine.Attempt{Chained: o.Chained.Run, Started: o.Started, Status: o.Chained.Status})
	}
	for _, a := range tries {
		if a.Chained == "" {
			continue
		}
		how := "goes on"
		if a.Status.Terminal() {
			how = "ended as " + a.Status.API()
		}
		links = append(links, Link{Of: OfRun, At: a.Started, Pos: place(n.Pos),
			Text: fmt.Sprintf("run %s of the pipeline %s %s: slipway why %s", a.Chained, n.Chain.Plan.Identifier, how, a.Chained)})
	}
	return links
}
