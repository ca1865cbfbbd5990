package simulate

import (
	"cmp"
	"math"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// Result is how a simulated run went. Times are seconds from its start.
type Result struct {
	Status   string   `json:"status"`
	Duration float64  `json:"duration"`
	Nodes    []Node   `json:"nodes"` // in order of start, what did not run last
	Asked    []*Asked `json:"asked"` // in order
}

// Node is one node of the plan, or an iteration of one.
type Node struct {
	Path     string   `json:"path"`
	Name     string   `json:"name"`
	Type     string   `json:"type"` // of a stage or step; StepGroup
	Status   string   `json:"status"`
	Attempts int      `json:"attempts"`
	Phase    string   `json:"phase"` // normal or rollback
	Start    *float64 `json:"start"` // of the first attempt; null when it did not run
	End      *float64 `json:"end"`
	Why      string   `json:"why"`
}

// Run plays a plan as the script says. The plan is changed. at is when the run
// starts, ms since 1970. An error is a plan that the engine cannot run, or
// fault.Invalid when the script names an iteration that a loop does not have.
func Run(p *core.Plan, s *Script, at int64) (Result, error) {
	by := core.Actor{ID: "simulation", Name: "simulation"}
	w := NewWorld(core.Launch{Run: "SIMULATION", At: at, Plan: p, Started: core.Started{
		Semantics: p.Semantics, Sequence: 1, Trigger: "MANUAL", By: by, URL: "http://localhost/simulation"}})
	b := newBook(&recorder{World: w, script: s, notes: &notes{answered: map[string]int{}, tries: map[string]int{}}}, prepared(p, s, map[string]string{}))
	root, err := w.Play()
	if err != nil {
		return Result{}, err
	}
	out := Result{Status: root.Status.API(), Duration: b.seconds(root.Ended), Nodes: b.nodes(), Asked: b.asked}
	if out.Asked == nil {
		out.Asked = []*Asked{}
	}
	return out, s.unheard(out.Nodes)
}

// book notes what happens to nodes.
type book struct {
	*recorder
	kinds     map[string]string // of steps that nothing runs, by path
	first     map[string]int    // the event that a node began with
	last      []engine.Decision
	decisions map[string][]engine.Decision // by node, in order
	run       *engine.Run                  // as it was in the end
	order     []*core.Node                 // its nodes, in plan order
	all       map[string]*engine.Node      // how those that were come to stand
	chains    map[string]*book             // of the runs that stages have started last, by the stage's FQN
}

// newBook keeps book of a run, and of those that its stages start.
func newBook(r *recorder, kinds map[string]string) *book {
	b := &book{recorder: r, kinds: kinds, first: map[string]int{}, decisions: map[string][]engine.Decision{}, chains: map[string]*book{}}
	w := r.World
	w.Work, w.Held, w.Lasts, w.Decide, w.Decided = r.work, r.held, r.lasts, b.decide, b.decided
	w.Chained = func(c core.Command, child *World) {
		b.chains[c.Chain.Node] = newBook(&recorder{World: child, script: r.script, prefix: r.path(c.Chain.Node) + ".", notes: r.notes}, kinds)
	}
	return b
}

// decide is the engine, asked to tell why.
func (b *book) decide(r *engine.Run, t *engine.Track, ev core.Event, facts map[string]core.Fact) (engine.Result, error) {
	res, decisions, err := engine.Trace(r, t, ev, facts)
	b.last = decisions
	return res, err
}

func (b *book) decided(_ string, _ core.Event, before *engine.Track, res engine.Result) {
	b.events++
	for fqn := range res.Track.Nodes {
		if _, known := b.first[fqn]; !known && before.Nodes[fqn] == nil {
			b.first[fqn] = b.events
		}
	}
	for _, d := range b.last {
		b.decisions[d.Node] = append(b.decisions[d.Node], d)
	}
}

// entry is a node with the event that it began with.
type entry struct {
	Node
	first int
}

// nodes are all there are, those that ran in the order in which they began.
func (b *book) nodes() []Node {
	list := b.entries()
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(a.first, b.first) })
	out := make([]Node, len(list))
	for i, e := range list {
		out[i] = e.Node
	}
	return out
}

// entries are the nodes in plan order, those of a pipeline that a stage runs behind it.
func (b *book) entries() (list []entry) {
	b.all, b.run = map[string]*engine.Node{}, b.World.Whole()
	b.run.Walk(func(n *core.Node) {
		b.order = append(b.order, n)
		if at := b.World.Node(b.run, n.FQN); at != nil {
			b.all[n.FQN] = at
		}
	})
	for _, n := range b.order {
		if !named(n) {
			continue
		}
		e := entry{b.node(n), b.first[n.FQN]}
		if e.Start == nil {
			e.first = math.MaxInt
		}
		list = append(list, e)
		switch {
		case b.chains[n.FQN] != nil:
			list = append(list, b.chains[n.FQN].entries()...)
		case n.Chain != nil && n.Chain.Plan != nil && !(n.Loop != nil && e.Start != nil):
			list = append(list, b.unstarted(n)...)
		}
	}
	return list
}

// unstarted are the nodes of a pipeline that a stage has not come to run.
func (b *book) unstarted(stage *core.Node) (list []entry) {
	n := stage.Chain.Plan
	r := &recorder{World: NewWorld(core.Launch{Plan: n}), script: b.script, prefix: b.path(stage.FQN) + ".", notes: b.notes}
	c := newBook(r, b.kinds)
	for _, e := range c.entries() {
		e.Why = b.path(stage.FQN) + " did not run"
		list = append(list, e)
	}
	return list
}

// untyped is the type of a stage or step whose template was not found.
const untyped = "Template"

func (b *book) node(n *core.Node) Node {
	out := Node{Path: b.path(n.FQN), Name: n.Name, Type: n.Type, Status: core.NotStarted.API(), Phase: "normal", Why: b.why(n)}
	switch {
	case b.kinds[b.script.base(out.Path)] != "":
		out.Type = b.kinds[b.script.base(out.Path)]
	case n.Kind == core.KindGroup:
		out.Type = "StepGroup"
	case n.Type == "":
		out.Type = untyped
	}
	if b.run.Undone(n) != nil {
		out.Phase = "rollback"
	}
	at := b.all[n.FQN]
	if at == nil {
		return out
	}
	if out.Status = at.Status.API(); at.Status == core.Skipped || at.Status == core.NotStarted {
		return out
	}
	out.Attempts = at.Attempt
	began := at.Started
	if len(at.Earlier) > 0 {
		began = at.Earlier[0].Started
	}
	start := b.seconds(began)
	out.Start = &start
	if at.Ended > 0 {
		end := b.seconds(at.Ended)
		out.End = &end
	}
	return out
}
