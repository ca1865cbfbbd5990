package engine_test

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// TestLocksInARetriedGroup: what waits for others waits again when its group is tried
// again (BEHAVIOUR §11). Every plan is played in many orders with everything delivered
// twice.
func TestLocksInARetriedGroup(t *testing.T) {
	const once = "=UNKNOWN_FAILURE*1"
	again := func(n *core.Node) *core.Node { return on(n, retryGroup(2)) }
	tests := map[string]struct {
		plan func() *core.Plan
		fail string
		run  core.Status
		want string
	}{
		"a failure before the barrier": {func() *core.Plan {
			return plan(stage("a", again(group("g", parallel(group("h", shell("x"), meet("m", "k")), meet("n", "k")), shell("y")))))
		}, "x" + once, core.Succeeded, "x=SUCCEEDED m=SUCCEEDED n=SUCCEEDED y=SUCCEEDED"},
		"a failure behind the barrier": {func() *core.Plan {
			return plan(stage("a", again(group("g", parallel(group("h", meet("m", "k"), shell("x")), group("i", shell("z"), meet("n", "k"))), shell("y")))))
		}, "x" + once + " y" + once, core.Succeeded, "m=SUCCEEDED x=SUCCEEDED z=SUCCEEDED n=SUCCEEDED y=SUCCEEDED"},
		"a group inside it is tried again": {func() *core.Plan {
			return plan(stage("a", again(group("g", parallel(again(group("h", shell("x"), meet("m", "k"))), meet("n", "k"))))))
		}, "x" + once, core.Succeeded, "x=SUCCEEDED m=SUCCEEDED n=SUCCEEDED"},
		"another stage waits for it": {func() *core.Plan {
			return plan(parallel(stage("a", again(group("g", shell("x"), meet("m", "k")))), stage("b", meet("n", "k"))))
		}, "x" + once, core.Succeeded, "x=SUCCEEDED m=SUCCEEDED n=SUCCEEDED"},
		"another stage has met it": {func() *core.Plan {
			return plan(parallel(stage("a", again(group("g", meet("m", "k"), shell("x")))), stage("b", meet("n", "k"))))
		}, "x" + once, core.Succeeded, "m=SUCCEEDED x=SUCCEEDED n=SUCCEEDED"},
		"in vain": {func() *core.Plan {
			return plan(stage("a", again(group("g", parallel(group("h", shell("x"), meet("m", "k")), meet("n", "k"))))))
		}, "x=UNKNOWN_FAILURE", core.Failed, "x=FAILED m= n=FAILED"},
		"a key of the stage": {func() *core.Plan {
			return plan(stage("a", again(group("g", queue("q", "key", "Stage"), shell("x")))), stage("b", queue("r", "key", "Stage")))
		}, "x" + once, core.Succeeded, "q=SUCCEEDED x=SUCCEEDED r=SUCCEEDED"},
		"a key of the run, in a branch": {func() *core.Plan {
			return plan(stage("a", again(group("g", parallel(group("h", queue("q", "key", "Pipeline"), shell("x")), queue("r", "key", "Stage"))))))
		}, "x" + once, core.Succeeded, "q=SUCCEEDED x=SUCCEEDED r=SUCCEEDED"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(60) {
				s := newSim(t, seed, tc.plan())
				s.Twice, s.outcome = true, script(tc.fail)
				if got := s.play().Status; got != tc.run || s.steps() != tc.want {
					t.Fatalf("seed %d: the run ended %s: %s, want %s", seed, got, s.steps(), tc.want)
				}
				s.check(seed)
			}
		})
	}
}
