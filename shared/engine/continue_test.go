package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// edge has executions go on as others after so many events.
func (s *sim) edge(events int) {
	l := s.Run.Launch
	l.Edge = events
	s.Run = engine.NewRun(l)
}

// TestContinued plays plans whose executions go on as others, in many orders, with
// everything delivered twice and tokens lost: they end as if nothing had been, every task
// runs once, and every execution ends.
func TestContinued(t *testing.T) {
	waits := func(n int) (list []*core.Node) {
		for i := range n {
			list = append(list, wait(fmt.Sprint("w", i)), shell(fmt.Sprint("x", i)))
		}
		return list
	}
	var many []*core.Node
	for i := range 12 {
		many = append(many, stage(fmt.Sprint("s", i), shell(fmt.Sprint("y", i))))
	}
	tests := map[string]struct {
		plan func() *core.Plan
		of   string // tracks whose machines are to go on as others
	}{
		"a stage": {func() *core.Plan { return plan(stage("a", waits(8)...), stage("b", shell("z"))) }, "0.1"},
		"parallel stages": {func() *core.Plan {
			return plan(parallel(stage("a", waits(6)...), stage("b", waits(6)...)), stage("c", shell("z")))
		}, "0.1 0.2"},
		"a branch": {func() *core.Plan { return plan(stage("a", parallel(group("g", waits(6)...), shell("q")), shell("z"))) }, "0.1.1"},
		"tries": {func() *core.Plan {
			return plan(stage("a", on(shell("again"), retry(9, core.ActionIgnore)), shell("z")))
		}, "0.1"},
		"a rollback": {func() *core.Plan {
			return plan(undo(stage("a", shell("q")), waits(6)...), on(undo(stage("b", shell("no")), shell("u")), act(core.ActionPipelineRollback)))
		}, "0.1"},
		"many stages": {func() *core.Plan { return plan(many...) }, "0"},
		"approvals and many stages": {func() *core.Plan {
			return plan(append([]*core.Node{parallel(stage("a", approval("ask", 1)), stage("b", waits(3)...))}, many...)...)
		}, "0"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			outcome := func(s *sim) func(string) core.Completed {
				return func(node string) core.Completed {
					n := s.Node(s.Run, node)
					bad := strings.HasSuffix(node, ".no") || strings.HasSuffix(node, ".again") && n.Attempt < 9
					return core.Completed{OK: !bad, Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}}}
				}
			}
			plain := newSim(t, 1, tc.plan())
			plain.outcome = outcome(plain)
			want := plain.play().Status
			for seed := range uint64(40) {
				s := newSim(t, seed, tc.plan())
				s.edge(60)
				s.Twice, s.outcome = true, outcome(s)
				if got := s.play().Status; got != want || s.ends() != plain.ends() {
					t.Fatalf("seed %d: it ended %s, not %s:\n got %s\nwant %s", seed, got, want, s.ends(), plain.ends())
				}
				for id := range strings.FieldsSeq(tc.of) {
					if x := s.Track(id).Execution; x == nil || x.Continued == 0 {
						t.Errorf("seed %d: track %s never went on elsewhere", seed, id)
					}
				}
				s.check(seed)
			}
		})
	}
}
