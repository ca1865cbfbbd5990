package engine_test

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/lock"
	"github.com/slipway-cd/slipway/shared/steps"
)

// deploys gives a stage the step that its infrastructure is waited for in, as the
// compiler does.
func deploys(key string, n *core.Node) *core.Node {
	l := step("lock", steps.InfrastructureLock, map[string]any{"key": key, "scope": "Stage"})
	n.Type = "Deployment"
	n.Children = append([]*core.Node{when(core.WhenAll, "", l)}, n.Children...)
	return n
}

// TestInfrastructureHeld looks at who holds the infrastructure while steps run.
func TestInfrastructureHeld(t *testing.T) {
	back, pipeline := act(core.ActionStageRollback), act(core.ActionPipelineRollback)
	tests := map[string]struct {
		plan func() *core.Plan
		held string // steps that run with it; the others do without
		want string
	}{
		"to the stage's end": {func() *core.Plan { return plan(deploys("k", stage("a", shell("x"))), stage("b", shell("y"))) }, "x",
			"a=SUCCEEDED lock=SUCCEEDED x=SUCCEEDED b=SUCCEEDED y=SUCCEEDED"},
		"rollback included": {func() *core.Plan { return plan(on(undo(deploys("k", stage("a", shell("no"))), shell("u")), back)) }, "no u",
			"a=FAILED lock=SUCCEEDED no=FAILED u=SUCCEEDED"},
		"again when the pipeline is rolled back": {func() *core.Plan {
			return plan(undo(deploys("k", stage("a", shell("x"))), shell("u"), parallel(shell("v"))), on(stage("b", shell("no")), pipeline))
		}, "x u v", "a=SUCCEEDED lock=SUCCEEDED x=SUCCEEDED u=SUCCEEDED v=SUCCEEDED b=FAILED no=FAILED"},
		"one after the other": {func() *core.Plan {
			return plan(parallel(deploys("k", stage("a", shell("x"))), deploys("k", stage("b", shell("y")))))
		}, "x y", "a=SUCCEEDED lock=SUCCEEDED x=SUCCEEDED b=SUCCEEDED lock=SUCCEEDED y=SUCCEEDED"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				s := newSim(t, seed, tc.plan())
				s.outcome = func(node string) core.Completed {
					id := node[strings.LastIndexByte(node, '.')+1:]
					l := s.Locks["infra#k"]
					if held := l != nil && len(l.Holders) == 1; held != strings.Contains(" "+tc.held+" ", " "+id+" ") {
						t.Fatalf("seed %d: %s runs, held is %v", seed, id, held)
					}
					return core.Completed{OK: id != "no", Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}}}
				}
				s.play()
				if got := s.ends(); got != tc.want {
					t.Fatalf("seed %d:\n got %s\nwant %s", seed, got, tc.want)
				}
				s.free(seed)
				s.check(seed)
			}
		})
	}
}

// TestInfrastructureNotGot ends a stage that does not get its infrastructure before
// anything of it runs, its rollback steps included.
func TestInfrastructureNotGot(t *testing.T) {
	retried := retry(3, core.ActionMarkAsFailure)
	tests := map[string]struct {
		action core.FailureAction
		want   string
		run    core.Status
	}{
		"rollback of the stage": {act(core.ActionStageRollback), "a=SUCCEEDED x=SUCCEEDED b=EXPIRED lock=EXPIRED", core.Expired},
		"ignored all the same":  {act(core.ActionIgnore), "a=SUCCEEDED x=SUCCEEDED b=EXPIRED lock=EXPIRED", core.Expired},
		"tried again":           {retried, "a=SUCCEEDED x=SUCCEEDED b=EXPIRED lock=EXPIRED", core.Expired},
		"abort":                 {act(core.ActionAbort), "a=SUCCEEDED x=SUCCEEDED b=ABORTED lock=EXPIRED", core.Aborted},
		"rollback of all":       {act(core.ActionPipelineRollback), "a=SUCCEEDED x=SUCCEEDED u=SUCCEEDED b=EXPIRED lock=EXPIRED", core.Failed},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				s := newSim(t, seed, plan(undo(stage("a", shell("x")), shell("u")),
					on(undo(deploys("k", stage("b", shell("y"), when(core.WhenAll, "", shell("z")))), shell("v")), tc.action)))
				l := &lock.Lock{}
				l.Acquire(core.Claim{ID: "other", Run: "other", Scope: core.ScopeStage}, 0)
				s.Locks = map[string]*lock.Lock{core.LockName(core.LockInfra, "k"): l}
				s.Held = func(string, engine.Hold) bool { return false }
				if got := s.play().Status; got != tc.run || s.ends() != tc.want {
					t.Fatalf("seed %d: the run ended %s:\n got %s\nwant %s", seed, got, s.ends(), tc.want)
				}
				s.free(seed)
				s.check(seed)
			}
		})
	}
}
