package engine_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

// grower makes random plans with conditions and failure strategies everywhere.
type grower struct {
	rng     *rand.Rand
	n       int
	actions []core.FailureAction
}

func (g *grower) id() string { g.n++; return fmt.Sprintf("n%d", g.n) }

// trim gives a node what random nodes have.
func (g *grower) trim(n *core.Node) *core.Node {
	if g.rng.IntN(3) == 0 {
		conditions := []string{"", "", "true", "false", "<+pipeline.startTs>", "<+pipeline.variables.none>"}
		when([]core.WhenStatus{core.WhenSuccess, core.WhenFailure, core.WhenAll}[g.rng.IntN(3)], conditions[g.rng.IntN(len(conditions))], n)
	}
	if (n.Kind == core.KindGroup || n.Kind == core.KindStage) && g.rng.IntN(2) == 0 {
		n.Rollback = g.items(g.rng.IntN(2))
		for _, r := range n.Rollback {
			r.Rollback = nil
		}
	}
	if n.Kind != core.KindParallel && g.rng.IntN(6) == 0 {
		repeat(1+g.rng.IntN(3), n)
		// One by one or all at once: with two at once it depends on the order what is skipped.
		n.Loop.SkipQueued = g.rng.IntN(2) == 0
		n.Loop.MaxConcurrency = &core.LoopNumber{Value: 1}
		if g.rng.IntN(2) == 0 {
			n.Loop.MaxConcurrency = nil
		}
	}
	if n.Kind != core.KindParallel && g.rng.IntN(3) == 0 {
		types := []core.ErrorType{core.AllErrors, "Timeout", "Unknown"}
		on(n, g.actions[g.rng.IntN(len(g.actions))], types[g.rng.IntN(3)])
	}
	return n
}

func (g *grower) items(depth int) (list []*core.Node) {
	for range 1 + g.rng.IntN(3) {
		switch k := g.rng.IntN(6); {
		case depth > 0 && k == 0:
			list = append(list, g.trim(group(g.id(), g.items(depth-1)...)))
		case depth > 0 && k == 1:
			p := parallel()
			for range 2 + g.rng.IntN(2) {
				if b := g.trim(shell(g.id())); g.rng.IntN(2) == 0 {
					p.Children = append(p.Children, b)
				} else {
					p.Children = append(p.Children, g.trim(group(g.id(), g.items(depth-1)...)))
				}
			}
			list = append(list, p)
		default:
			list = append(list, g.trim(shell(g.id())))
		}
	}
	return list
}

func (g *grower) plan() *core.Plan {
	var stages []*core.Node
	for range 1 + g.rng.IntN(3) {
		if g.rng.IntN(4) == 0 {
			stages = append(stages, parallel(g.trim(stage(g.id(), g.items(1)...)), g.trim(stage(g.id(), g.items(1)...))))
		} else {
			stages = append(stages, g.trim(stage(g.id(), g.items(2)...)))
		}
	}
	return plan(stages...)
}

// fate is what becomes of each attempt at each step: the same in every order.
func fate(seed uint64) func(string) core.Completed {
	tries := map[string]int{}
	return func(node string) core.Completed {
		tries[node]++
		h := fnv.New64a()
		_, _ = fmt.Fprint(h, seed, node, tries[node])
		switch h.Sum64() % 4 {
		case 0:
			return core.Completed{Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: "no"}}
		case 1:
			return core.Completed{Failure: &core.Failure{Types: []string{"TIMEOUT_FAILURE"}, Message: "late"}}
		}
		return core.Completed{OK: true}
	}
}

var orderless = []core.FailureAction{act(core.ActionIgnore), act(core.ActionMarkAsSuccess), act(core.ActionMarkAsFailure),
	act(core.ActionStageRollback), act(core.ActionStepGroupRollback), retry(1, core.ActionStageRollback),
	retry(2, core.ActionIgnore), retry(1, core.ActionMarkAsFailure), retry(3, core.ActionMarkAsSuccess),
	retryGroup(1), retryGroup(2), intervention(retryGroup(1)), act(core.ActionPipelineRollback),
	intervention(act(core.ActionMarkAsSuccess)), intervention(retry(1, core.ActionIgnore))}

// TestRandom plays random plans in random orders, everything delivered once or
// twice: a plan ends the same in each of them.
func TestRandom(t *testing.T) {
	for seed := range uint64(300) {
		var want map[string]core.Status
		tried := ""
		for order := range uint64(4) {
			g := &grower{rng: rand.New(rand.NewPCG(seed, 2)), actions: orderless}
			s := newSim(t, order, g.plan())
			s.Twice, s.outcome = order > 0, fate(seed)
			root := s.play()
			if !root.Status.Terminal() {
				t.Fatalf("plan %d, order %d: the run is %s", seed, order, root.Status)
			}
			s.check(order)
			if order == 0 {
				want, tried = s.statuses(), s.attempts()
			} else if d := cmp.Diff(want, s.statuses()); d != "" || tried != s.attempts() {
				t.Fatalf("plan %d, order %d: attempts %s, then %s: %s", seed, order, tried, s.attempts(), d)
			}
		}
	}
}

// TestRandomAborts lets strategies abort and somebody stop the run at any moment: it
// ends, with nothing left open.
func TestRandomAborts(t *testing.T) {
	for seed := range uint64(600) {
		g := &grower{rng: rand.New(rand.NewPCG(seed, 3)), actions: append(orderless[:len(orderless):len(orderless)], act(core.ActionAbort), retry(1, core.ActionAbort))}
		s := newSim(t, seed, g.plan())
		s.Twice, s.outcome = true, fate(seed)
		if seed%2 == 0 {
			s.After(0, func() {
				if s.Track("0").Status != core.NotStarted {
					_ = s.Apply("0", core.Event{Type: core.EventStop, Actor: "admin", Stop: &core.Stop{Status: core.Aborted, Reason: "enough"}})
				}
			})
		}
		if root := s.play(); !root.Status.Terminal() {
			t.Fatalf("plan %d: the run is %s", seed, root.Status)
		}
		for id, tr := range s.Tracks {
			if tr.Open() {
				t.Fatalf("plan %d: track %s is still %s", seed, id, tr.Status)
			}
		}
		s.check(seed)
	}
}
