package explain

import (
	"fmt"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/expr"
)

// runs stands in the text of every condition that holds.
const runs = " runs: "

// above are the conditions of the nodes around a node, outermost first, that were asked,
// and why the rollback runs that it is in.
func (s *Story) above(n *core.Node) []Link {
	var links []Link
	for p := s.run.Parent(n); p != nil; p = s.run.Parent(p) {
		for _, m := range s.decided[p.FQN] {
			if m.Gate != nil && (p.When != nil || !m.Gate.Runs) {
				links = append([]Link{s.gate(p, m)}, links...)
			}
		}
	}
	if of := s.run.RollsBack(n); of != nil && s.state(n) != nil {
		links = append(links, s.rollback(of)...)
	}
	return links
}

// gate tells how it was decided whether a node runs.
func (s *Story) gate(n *core.Node, m moment) Link {
	g := m.Gate
	l := Link{Of: OfCondition, At: m.at, Pos: place(g.Pos)}
	if l.Pos == "" {
		l.Pos = place(n.Pos)
	}
	for _, v := range g.Values {
		l.Values = append(l.Values, Value{v.Name, valueText(v)})
	}
	switch {
	case g.Failure != nil:
		l.Text = fmt.Sprintf("%s fails: its condition cannot be decided: %s", name(n), first(g.Failure.Message))
	case !g.Holds:
		l.Text = fmt.Sprintf("%s is skipped: %s", name(n), s.statusTest(n, m))
	case !g.Runs:
		l.Text = fmt.Sprintf("%s is skipped: its condition %s is false%s", name(n), quote(g.Condition), with(l.Values))
	case g.Condition != "":
		l.Text = fmt.Sprintf("%s%s%s is %s, and %s is true%s", name(n), runs, asked(n), g.Status, quote(g.Condition), with(l.Values))
	case n.When == nil:
		where := ""
		if s.run.RollsBack(n) != nil {
			where = " in the rollback"
		}
		l.Text = name(n) + runs + "it has no condition of its own, and nothing before it" + where + " has failed"
	default:
		l.Text = fmt.Sprintf("%s%s%s is %s, and what had ended before was %s", name(n), runs, asked(n), g.Status, g.Past.API())
	}
	return l
}

// asked is the field that a node's status test is written in.
func asked(n *core.Node) string {
	if n.Kind == core.KindStage {
		return "pipelineStatus"
	}
	return "stageStatus"
}

// statusTest tells why a status test does not hold.
func (s *Story) statusTest(n *core.Node, m moment) string {
	switch {
	case m.Gate.Status == core.WhenFailure && m.Gate.Past.Failing():
		return asked(n) + " is Failure, and a stage that was rolled back does not count as one"
	case m.Gate.Status == core.WhenFailure:
		return asked(n) + " is Failure, and nothing before it had failed"
	case n.When == nil:
		return "it has no condition of its own, and " + s.culprit(n, m)
	}
	return asked(n) + " is Success, and " + s.culprit(n, m)
}

// culprit names what had failed before a node.
func (s *Story) culprit(n *core.Node, m moment) string {
	if c := s.failedFirst(s.stageOf(n), n, m.at); c != nil {
		return fmt.Sprintf("%s had ended as %s", name(c), s.status(c).API())
	}
	return "what had ended before was " + m.Gate.Past.API()
}

// stageOf is what a node's status test is about: its stage, or for a stage the pipeline.
func (s *Story) stageOf(n *core.Node) *core.Node {
	for p := s.run.Parent(n); p != nil; p = s.run.Parent(p) {
		if p.Kind == core.KindStage {
			return p
		}
	}
	return s.run.Plan.Root
}

// failedFirst is what failed first in root and outside of n, up to a time: the innermost
// node that tells, for a stage may have failed without a step of its own.
func (s *Story) failedFirst(root, n *core.Node, until int64) *core.Node {
	var found *core.Node
	var at int64
	s.walk(root, func(c *core.Node) {
		o := s.state(c)
		if c == root || c.Kind == core.KindParallel || o == nil || !o.Status.Failing() || o.Ended > until || s.run.Below(c, n) {
			return
		}
		if found == nil || o.Ended < at || s.run.Below(c, found) && o.Ended <= at {
			found, at = c, o.Ended
		}
	})
	return found
}

func with(values []Value) string {
	if len(values) == 0 {
		return ""
	}
	var parts []string
	for _, v := range values {
		parts = append(parts, v.Name+" = "+v.Text)
	}
	return ", with " + strings.Join(parts, ", ")
}

func valueText(v engine.Value) string {
	switch {
	case v.Err != "":
		return "an error: " + first(v.Err)
	case v.Secret:
		return "a secret"
	case !v.Found:
		return "nothing"
	}
	if text, ok := v.Value.(string); ok {
		return quote(text)
	}
	return cut(expr.Format(v.Value))
}

// maxText is how much of a value or text is shown, in runes.
const maxText = 200

func quote(text string) string { return fmt.Sprintf("%q", cut(strings.TrimSpace(text))) }

func cut(text string) string {
	if r := []rune(text); len(r) > maxText {
		return string(r[:maxText]) + "…"
	}
	return text
}

// first is the first line of a message.
func first(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return cut(line)
}
