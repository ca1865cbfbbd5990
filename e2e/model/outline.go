package model

import (
	"fmt"
	"strings"
)

// Outline is a pipeline and what happens to it in a few lines, for people.
func Outline(p *Node) string {
	var b strings.Builder
	outline(&b, p, "")
	return b.String()
}

func outline(b *strings.Builder, n *Node, indent string) {
	fmt.Fprintf(b, "%s%s %s", indent, n.Kind, n.ID)
	if n.Timeout > 0 {
		fmt.Fprintf(b, " timeout=%d", n.Timeout)
	}
	if w := n.When; w != nil {
		fmt.Fprintf(b, " when=%s", strings.TrimSpace(w.Status+" "+w.Flag+w.Of))
	}
	if n.Loop != nil {
		fmt.Fprintf(b, " loop=%+v", *n.Loop)
	}
	for _, s := range n.Failure {
		fmt.Fprintf(b, " on(%s)%s", strings.Join(s.Errors, ","), s.Action)
	}
	if n.Kind == Step {
		fmt.Fprintf(b, " %s", n.Type)
		if n.Input != nil {
			fmt.Fprintf(b, " asks%+v", *n.Input)
		}
		for _, t := range n.Tries {
			fmt.Fprintf(b, " %ds:%s", t.Takes, t.Error)
			if t.Marked > 0 {
				fmt.Fprintf(b, " marked after %ds", t.Marked)
			}
			if n.Input != nil {
				fmt.Fprintf(b, " given after %ds", t.Given)
			}
		}
		if len(n.Answers) > 0 {
			fmt.Fprintf(b, " answers=%v", n.Answers)
		}
	}
	b.WriteByte('\n')
	for _, c := range n.Children {
		outline(b, c, indent+"  ")
	}
	for _, c := range n.Rollback {
		outline(b, c, indent+"  undo ")
	}
}

func (a *Action) String() string {
	switch a.Type {
	case "Retry":
		return fmt.Sprintf("Retry[%d %v %s]>%s", a.Count, a.Intervals, a.Flag, a.Then)
	case "ManualIntervention":
		return fmt.Sprintf("Ask[%d%v]>%s", a.Timeout, a.Allowed, a.Then)
	}
	return a.Type
}
