package model

import "math/rand/v2"

// Happen draws how the steps of a pipeline go and what people answer. It changes
// nothing of what is written in the pipeline.
func Happen(p *Node, seed uint64) {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 10))}
	m.slow = m.IntN(5) > 0
	for _, s := range p.Children {
		m.happen(s)
	}
}

func (m *maker) happen(n *Node) {
	if n.Kind == Step {
		m.goes(n)
	}
	for _, c := range n.Children {
		m.happen(c)
	}
	for _, c := range n.Rollback {
		m.happen(c)
	}
}

// goes draws what becomes of a step. How long a Wait takes is part of the pipeline.
func (m *maker) goes(n *Node) {
	if n.Type != "Wait" {
		n.Tries = nil
		for range 1 + m.IntN(3) {
			n.Tries = append(n.Tries, m.try(n))
		}
	}
	for i := range n.Tries {
		n.Tries[i].Marked, n.Tries[i].Given = 0, 0
		if m.one(20) {
			n.Tries[i].Marked = 1 + m.IntN(600)
		}
		if n.Input != nil && !m.one(3) {
			n.Tries[i].Given = 1 + m.time(n.Timeout+200)
		}
	}
	n.Answers = nil
	for range m.IntN(3) {
		n.Answers = append(n.Answers, Answer{After: 1 + m.time(600), Action: said[m.IntN(len(said))]})
	}
}

// said is what people answer to interventions.
var said = []string{"Retry", "Retry", "MarkAsSuccess", "Ignore", "MarkAsFailure", "Abort", "StageRollback", "PipelineRollback"}

func (m *maker) try(n *Node) Try {
	t := Try{Takes: m.time(900)}
	switch {
	case m.one(12):
		t.Takes = n.Timeout + 1 + m.IntN(5000)
	case m.IntN(3) > 0:
	case n.Type == "HarnessApproval":
		t.Error = "Reject"
	default:
		t.Error = Errors[m.IntN(len(Errors))]
	}
	return t
}
