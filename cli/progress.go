package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/follow"
	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// progress shows a run to a person, a line for everything that happens.
type progress struct {
	out, err io.Writer
	theme    screen.Theme
	target   target
	depth    map[string]int // of nodes that have started, by run and FQN
	at       follow.Event   // being shown
	run      string         // that is followed
}

// key is a node's of the run whose event is shown.
func (p *progress) key(fqn string) string { return p.at.Run + " " + fqn }

func (p *progress) begun(l client.Launched) {
	p.run = l.Run
	for _, d := range l.Warnings {
		fmt.Fprintln(p.err, d)
	}
	fmt.Fprintf(p.out, "run %s  #%d\n", p.theme.Paint(screen.Bold, l.Run), l.Sequence)
}

func (p *progress) event(e follow.Event) {
	p.at = e
	switch e.Kind {
	case follow.Started:
		p.started(e.Node)
	case follow.Ended:
		p.line(e.Node, e.Node.Status, p.ending(e.Node))
	case follow.Logged:
		bar := p.theme.Paint(screen.Dim, "│")
		if e.Line.Level == "ERROR" {
			bar = p.theme.Paint(screen.Bad, "│")
		}
		fmt.Fprintf(p.out, "%s%s %s %s\n", p.indent(e.Node), p.theme.Paint(screen.Dim, p.theme.Clean(screen.Label(e.Node))), bar, p.theme.Clean(e.Line.Text))
	case follow.Asked:
		p.asked(e)
	case follow.Wants:
		p.line(e.Node, e.Node.Status, "waits for input")
		fmt.Fprintf(p.out, "  give it with: %s\n", p.target.inputLine(e.Run, e.Node))
	case follow.Failed:
		p.failed(e)
	}
}

func (p *progress) started(n view.Node) {
	if p.depth == nil {
		p.depth = map[string]int{}
	}
	// A parallel is not shown, so a branch stands below what is around it.
	parent := n.Parent
	if i := strings.LastIndexByte(parent, '#'); i >= 0 {
		parent = parent[:i]
	}
	p.depth[p.key(n.FQN)] = 0
	if d, ok := p.depth[p.key(parent)]; ok {
		p.depth[p.key(n.FQN)] = d + 1
	} else if p.at.In != "" { // a stage of a run that a stage has started
		p.depth[p.key(n.FQN)] = p.depth[p.run+" "+p.at.In] + 1
	}
	p.line(n, "Running", p.theme.Paint(screen.Dim, n.Type))
}

// ending says how a node ended: how long it took, and what went wrong.
func (p *progress) ending(n view.Node) string {
	s := screen.Between(n.Started, n.Finished)
	if n.Chained != nil {
		s += p.theme.Paint(screen.Dim, "  pipeline "+n.Chained.Pipeline+", run "+n.Chained.Run)
	}
	if n.Status == "Success" {
		return s
	}
	s = strings.TrimSpace(p.theme.Status(n.Status) + "  " + s)
	if n.Failure != nil && n.Kind == core.KindStep {
		s += "  " + p.theme.Clean(n.Failure.Message)
	}
	return s
}

func (p *progress) line(n view.Node, status, rest string) {
	ink := screen.Plain
	if n.Kind == core.KindStage {
		ink = screen.Bold
	}
	symbol := p.theme.Symbol(status)
	fmt.Fprintln(p.out, strings.TrimRight(p.indent(n)+symbol+" "+p.theme.Paint(ink, p.theme.Clean(screen.Label(n)))+"  "+rest, " "))
}

func (p *progress) indent(n view.Node) string { return strings.Repeat("  ", p.depth[p.key(n.FQN)]) }

func (p *progress) asked(e follow.Event) {
	spec, indent := e.Approval.Approval.Spec, p.indent(e.Node)
	p.line(e.Node, "ApprovalWaiting", fmt.Sprintf("waits for approval by %d of %s", spec.MinimumCount, p.theme.Clean(screen.Approvers(e.Approval))))
	for line := range strings.Lines(spec.Message) {
		fmt.Fprintf(p.out, "%s  %s\n", indent, p.theme.Clean(line))
	}
}

func (p *progress) failed(e follow.Event) {
	n := e.Node
	why := ""
	if n.Failure != nil {
		why = ": " + p.theme.Clean(n.Failure.Message)
	}
	p.line(n, n.Status, "waits for a person"+why)
	names := make([]string, len(n.Allowed))
	for i, a := range n.Allowed {
		names[i] = string(a)
	}
	fmt.Fprintf(p.out, "  answer it with: %s\n  ACTION: %s\n", p.target.interveneLine(e.Run, n.FQN), strings.Join(names, ", "))
}

func (p *progress) waits(a view.Approval) {
	fmt.Fprintf(p.out, "  approve it with: %s\n", p.target.approveLine(a.ID))
}

func (p *progress) ended(r view.Run, _ int) {
	fmt.Fprintf(p.out, "%s %s  %s  run %s\n", p.theme.Symbol(r.Status), p.theme.Status(r.Status), screen.Between(r.Started, r.Finished), r.ID)
	if r.Failure != nil && !screen.Passed(r.Status) {
		fmt.Fprintf(p.out, "  %s\n", p.theme.Clean(r.Failure.Message))
	}
}
