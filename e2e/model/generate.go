package model

import (
	"fmt"
	"math/rand/v2"
)

// maker makes one pipeline. Whatever it draws comes from its seed.
type maker struct {
	*rand.Rand
	ids     int
	left    int      // how many more steps there may be
	ended   []string // steps that have ended, or never will, when what is made now starts
	rolling bool     // rollback steps are being made
	looping int      // how many loops are around what is made
	slow    bool     // steps take time; else most things happen at once
}

// Errors are what steps fail with, as strategies name it.
var Errors = []string{"Unknown", "Timeout", "Authentication", "Authorization", "Connectivity", "Verification", "DelegateRestart",
	"ConfigurationFailure", "UserMarkedFailure"}

// Generate makes the pipeline of a seed: the same everywhere. What happens to it is
// still to be drawn, by Happen.
func Generate(seed uint64) *Node {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 9)), left: 3 + int(seed%10)}
	m.slow = m.IntN(5) > 0
	p := &Node{Kind: Pipeline, ID: "p"}
	for len(p.Children) == 0 || m.left > 0 && m.one(2) {
		if m.one(4) {
			p.Children = append(p.Children, m.branches(m.stage))
			continue
		}
		p.Children = append(p.Children, m.stage())
	}
	if m.one(12) {
		p.Timeout = 100 + m.IntN(6000)
	}
	return p
}

// least is the shortest duration that the compiler takes, in seconds.
const least = 10

// one is true in one of n cases.
func (m *maker) one(n int) bool { return m.IntN(n) == 0 }

func (m *maker) id(kind string) string {
	m.ids++
	return fmt.Sprintf("%s%d", kind, m.ids)
}

// branches makes two or three nodes side by side, which do not see each other.
func (m *maker) branches(one func() *Node) *Node {
	p := &Node{Kind: Parallel}
	before := m.ended
	after := before
	for range 2 + m.IntN(2) {
		m.ended = before[:len(before):len(before)]
		p.Children = append(p.Children, one())
		after = append(after, m.ended[len(before):]...)
	}
	m.ended = after
	return p
}

// loop makes a loop in one of n cases. Nobody outside of it can speak of what is inside.
func (m *maker) loop(n int) (l *Loop, end func()) {
	before := m.ended
	if m.looping > 1 || !m.one(n) {
		return nil, func() {}
	}
	m.looping++
	l = &Loop{Kind: []string{"repeat", "matrix", "parallelism"}[m.IntN(3)], Times: 1 + m.IntN(3), SkipQueued: m.one(2)}
	if l.Kind != "parallelism" {
		l.Max = m.IntN(3)
	}
	return l, func() {
		m.looping--
		m.ended = before
	}
}

func (m *maker) stage() *Node {
	n := &Node{Kind: Stage, ID: m.id("stage"), When: m.when(), Failure: m.failure(3)}
	var end func()
	n.Loop, end = m.loop(12)
	defer end()
	n.Children = m.list(2)
	if m.one(2) {
		m.rolling = true
		n.Rollback = m.list(1)
		m.rolling = false
	}
	if m.one(8) {
		n.Timeout = 50 + m.IntN(3000)
	}
	return n
}

// list makes one to three steps, groups or parallels.
func (m *maker) list(depth int) []*Node {
	var out []*Node
	for len(out) == 0 || len(out) < 3 && m.left > 0 && m.IntN(3) > 0 {
		switch {
		case depth > 0 && m.left > 1 && m.one(4):
			out = append(out, m.branches(func() *Node { return m.stepOrGroup(depth - 1) }))
		default:
			out = append(out, m.stepOrGroup(depth))
		}
	}
	return out
}

func (m *maker) stepOrGroup(depth int) *Node {
	if depth > 0 && m.one(4) {
		return m.group(depth)
	}
	return m.step()
}

func (m *maker) group(depth int) *Node {
	n := &Node{Kind: Group, ID: m.id("group"), When: m.when(), Failure: m.failure(3)}
	var end func()
	n.Loop, end = m.loop(9)
	defer end()
	n.Children = m.list(depth - 1)
	if m.one(3) && !m.rolling {
		m.rolling = true
		n.Rollback = m.list(0)
		m.rolling = false
	}
	return n
}

func (m *maker) step() *Node {
	m.left--
	n := &Node{Kind: Step, Type: "ShellScript", ID: m.id("s"), When: m.when(), Failure: m.failure(3), Timeout: 1000 + m.IntN(2000)}
	switch m.IntN(9) {
	case 0:
		n.Type = "Wait"
		n.Tries = []Try{{Takes: least + m.time(1200)}}
	case 1:
		n.Type = "HarnessApproval"
	case 2:
		n.Input = &Input{Default: m.IntN(3) > 0}
	}
	var end func()
	n.Loop, end = m.loop(14)
	end()
	if !m.rolling && m.looping == 0 && n.Loop == nil {
		m.ended = append(m.ended, n.ID)
	}
	return n
}

// time is up to most seconds; often none in pipelines that are not slow.
func (m *maker) time(most int) int {
	if !m.slow && !m.one(6) {
		return 0
	}
	return m.IntN(most)
}

func (m *maker) when() *When {
	if m.IntN(3) > 0 {
		return nil
	}
	w := &When{Status: []string{"Success", "Failure", "All", "All"}[m.IntN(4)]}
	switch m.IntN(5) {
	case 0:
		w.Flag = []string{"true", "true", "false", "false", "error"}[m.IntN(5)]
	case 1:
		if len(m.ended) > 0 {
			w.Of = m.ended[m.IntN(len(m.ended))]
		}
	}
	return w
}

// failure makes a list of strategies in one of n cases.
func (m *maker) failure(n int) []Strategy {
	if !m.one(n) {
		return nil
	}
	var out []Strategy
	for range 1 + m.IntN(2) {
		s := Strategy{Errors: []string{"AllErrors"}, Action: m.action(true, true)}
		if m.one(2) {
			s.Errors = []string{Errors[m.IntN(len(Errors))], append(Errors, "ApprovalRejection", "InputTimeoutError")[m.IntN(len(Errors)+2)]}
		}
		out = append(out, s)
	}
	return out
}

// ends are the actions that nothing follows.
var ends = []string{"Ignore", "MarkAsSuccess", "MarkAsFailure", "StageRollback", "StepGroupRollback", "ProceedWithDefaultValues",
	"Ignore", "MarkAsFailure", "StageRollback", "StepGroupRollback", "PipelineRollback", "Abort"}

func (m *maker) action(retry, ask bool) *Action {
	switch k := m.IntN(4); {
	case retry && k == 0:
		a := &Action{Type: "Retry", Count: m.IntN(3), Then: m.action(false, ask && retry)}
		for range 1 + m.IntN(2) {
			a.Intervals = append(a.Intervals, least+m.IntN(300))
		}
		if m.one(5) {
			a.Flag = []string{"true", "false", "error"}[m.IntN(3)]
		}
		return a
	case ask && k == 1:
		// behind a Retry no other Retry follows
		a := &Action{Type: "ManualIntervention", Timeout: 100 + m.IntN(400), Then: m.action(retry && m.one(3), false)}
		if m.one(5) {
			a.Allowed = []string{said[m.IntN(len(said))], said[m.IntN(len(said))]}
		}
		return a
	}
	return &Action{Type: ends[m.IntN(len(ends))]}
}
