package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// happened is what was decided about a node itself, in order.
func (s *Story) happened(n *core.Node) []Link {
	links := s.people(n)
	all := s.decided[n.FQN]
	for i, m := range all {
		switch {
		case m.Gate != nil:
			links = append(links, s.gate(n, m))
		case m.Failing != nil:
			links = append(links, s.failing(n, m)...)
		case m.Action != nil:
			var next *moment
			if i+1 < len(all) {
				next = &all[i+1]
			}
			links = append(links, action(m, next))
		}
	}
	links = append(append(links, s.tasks(n)...), s.chains(n)...)
	slices.SortStableFunc(links, func(a, b Link) int { return cmp.Compare(a.At, b.At) })
	return links
}

// tasks tells of every attempt of a step which delegate took it.
func (s *Story) tasks(n *core.Node) []Link {
	o := s.state(n)
	if o == nil || n.Kind != core.KindStep {
		return nil
	}
	var links []Link
	for _, e := range append(slices.Clone(o.Earlier), engine.Attempt{Task: o.Task, Fence: o.Fence, Delegate: o.Delegate, Started: o.Started}) {
		if e.Task != "" && e.Fence > 0 {
			links = append(links, s.taken(n, e))
		}
	}
	return links
}

// taken tells why a delegate has a task: it asked for one that it has the selectors of,
// or was handed it with the end of the one before.
func (s *Story) taken(n *core.Node, e engine.Attempt) Link {
	l := Link{Of: OfDelegate, At: e.Started, Pos: place(n.Pos)}
	fits := "any delegate may take it"
	if len(n.Selectors) > 0 {
		fits = "it has the selectors " + strings.Join(n.Selectors, ", ")
	}
	var queued int64
	for _, ev := range s.events[s.run.Owner(n.FQN)] {
		for _, c := range ev.Commands {
			if c.Do == core.DoQueue && c.Task.ID == e.Task {
				queued = c.Task.At
			}
		}
		if ev.Claimed != nil && ev.Claimed.Task == e.Task && ev.N == e.Fence {
			l.Text = fmt.Sprintf("delegate %s took it after %s in the queue: %s", ev.Claimed.Delegate.Name, duration(ev.At-queued), fits)
			return l
		}
	}
	l.Text = fmt.Sprintf("delegate %s was handed it with the end of the step before: %s", e.Delegate, fits)
	return l
}

// people is what people said about a node.
func (s *Story) people(n *core.Node) []Link {
	o := s.state(n)
	if o == nil {
		return nil
	}
	var links []Link
	for _, a := range o.Answers {
		links = append(links, Link{Of: OfPerson, At: a.At, Text: fmt.Sprintf("%s said %s", cmp.Or(a.By.Name, a.By.ID), a.Action)})
	}
	if o.Approval != nil {
		for _, a := range o.Approval.Activities {
			l := Link{Of: OfPerson, At: a.At, Text: fmt.Sprintf("%s answered %s", cmp.Or(a.By.Name, a.By.ID), a.Action)}
			if a.Comments != "" {
				l.Text += ": " + first(a.Comments)
			}
			links = append(links, l)
		}
	}
	return links
}
