package engine_test

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// when gives a node a condition.
func when(status core.WhenStatus, condition string, n *core.Node) *core.Node {
	n.When = &core.When{Status: status, Condition: condition}
	return n
}

// ends tells how every named node of the plan ended, "x=FAILED y=SKIPPED"; what
// never started is left out.
func (s *sim) ends() string {
	var out []string
	r := s.Whole()
	r.Walk(func(n *core.Node) {
		if n.Identifier == "" || n.Kind == core.KindPipeline {
			return
		}
		if at := s.Node(r, n.FQN); at != nil {
			out = append(out, n.Identifier+"="+string(at.Status))
		}
	})
	return strings.Join(out, " ")
}

// outcome says what becomes of a step, by its FQN.
type outcome = func(node string) core.Completed

// holdEnds plays a plan in many orders with everything delivered twice, and holds how
// the run and its nodes end.
func holdEnds(t *testing.T, plan func() *core.Plan, how func() outcome, run core.Status, want string) {
	t.Helper()
	for seed := range uint64(40) {
		s := newSim(t, seed, plan())
		s.Twice, s.outcome = true, how()
		if got := s.play().Status; got != run {
			t.Errorf("seed %d: the run ended %s, want %s", seed, got, run)
		}
		if got := s.ends(); got != want {
			t.Fatalf("seed %d:\n got %s\nwant %s", seed, got, want)
		}
		s.check(seed)
	}
}

// failing makes these steps fail.
func failing(ids string) func(string) core.Completed {
	return func(node string) core.Completed {
		for id := range strings.FieldsSeq(ids) {
			if strings.HasSuffix(node, "."+id) {
				return core.Completed{Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: "no"}}
			}
		}
		return core.Completed{OK: true, Outputs: map[string]any{"outputVariables": map[string]any{"v": "yes"}}}
	}
}

// TestConditions is BEHAVIOUR §9: who runs after what. Every plan is played in many
// orders with everything delivered twice.
func TestConditions(t *testing.T) {
	const suc, fai, all = core.WhenSuccess, core.WhenFailure, core.WhenAll
	tests := map[string]struct {
		plan func() *core.Plan
		fail string
		run  core.Status
		want string
	}{
		"success after success": {func() *core.Plan { return plan(stage("a", shell("x"), when(suc, "", shell("y")))) }, "", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SUCCEEDED"},
		"failure after success": {func() *core.Plan { return plan(stage("a", shell("x"), when(fai, "", shell("y")), shell("z"))) }, "", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SKIPPED z=SUCCEEDED"},
		"failure after failure": {func() *core.Plan { return plan(stage("a", shell("x"), when(fai, "", shell("y")))) }, "x", core.Failed, "a=FAILED x=FAILED y=SUCCEEDED"},
		"the rest after a failure": {func() *core.Plan {
			return plan(stage("a", shell("x"), shell("y"), when(all, "", shell("z")), shell("q")))
		}, "x", core.Failed, "a=FAILED x=FAILED y=SKIPPED z=SUCCEEDED q=SKIPPED"},
		"nothing asks for failures": {func() *core.Plan {
			return plan(stage("a", shell("x"), when(suc, "", shell("y"))), stage("b", shell("z")))
		}, "x", core.Failed, "a=FAILED x=FAILED"},
		"true":  {func() *core.Plan { return plan(stage("a", when(all, `<+pipeline.identifier> == "p"`, shell("x")))) }, "", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED"},
		"false": {func() *core.Plan { return plan(stage("a", when(all, `<+pipeline.identifier> == "q"`, shell("x")))) }, "", core.Succeeded, "a=SUCCEEDED x=SKIPPED"},
		"not there is false": {func() *core.Plan {
			return plan(stage("a", when(suc, `<+pipeline.variables.none> == "x"`, shell("x")), shell("y")))
		}, "", core.Succeeded, "a=SUCCEEDED x=SKIPPED y=SUCCEEDED"},
		"cannot tell": {func() *core.Plan {
			return plan(stage("a", when(suc, `<+pipeline.startTs>`, shell("x")), when(fai, "", shell("y"))))
		}, "", core.Failed, "a=FAILED x=FAILED y=SUCCEEDED"},
		"what a step printed": {func() *core.Plan {
			return plan(stage("a", shell("x"), when(suc, `<+execution.steps.x.output.outputVariables.v> == "yes"`, shell("y"))))
		}, "", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SUCCEEDED"},
		"what another stage printed": {func() *core.Plan {
			return plan(stage("a", shell("x")), when(suc, `<+pipeline.stages.a.spec.execution.steps.x.output.outputVariables.v> == "yes" && <+pipeline.stages.a.status> == "SUCCEEDED"`, stage("b", shell("y"))))
		}, "", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED b=SUCCEEDED y=SUCCEEDED"},
		"a skipped stage is seen": {func() *core.Plan {
			return plan(when(fai, "", stage("a", shell("x"))), when(suc, `<+pipeline.stages.a.status> == "SKIPPED"`, stage("b", shell("y"))))
		}, "", core.Succeeded, "a=SKIPPED b=SUCCEEDED y=SUCCEEDED"},
		"a group": {func() *core.Plan { return plan(stage("a", when(fai, "", group("g", shell("x"))), shell("y"))) }, "", core.Succeeded, "a=SUCCEEDED g=SKIPPED y=SUCCEEDED"},
		"a group lets its steps run": {func() *core.Plan {
			return plan(stage("a", shell("x"), when(fai, "", group("g", shell("y"), group("h", shell("z")))), shell("q")))
		},
			"x", core.Failed, "a=FAILED x=FAILED g=SUCCEEDED y=SUCCEEDED h=SUCCEEDED z=SUCCEEDED q=SKIPPED"},
		"a step's own condition in it": {func() *core.Plan {
			return plan(stage("a", shell("x"), when(all, "", group("g", when(suc, "", shell("y")), shell("z")))))
		},
			"x", core.Failed, "a=FAILED x=FAILED g=SUCCEEDED y=SKIPPED z=SUCCEEDED"},
		"a failure in it": {func() *core.Plan {
			return plan(stage("a", group("g", shell("x"), shell("y"), when(fai, "", shell("z"))), shell("q")))
		},
			"x", core.Failed, "a=FAILED g=FAILED x=FAILED y=SKIPPED z=SUCCEEDED q=SKIPPED"},
		"stages": {func() *core.Plan {
			return plan(stage("a", shell("x")), stage("b", shell("y")), when(fai, "", stage("c", shell("z"))))
		},
			"x", core.Failed, "a=FAILED x=FAILED b=SKIPPED c=SUCCEEDED z=SUCCEEDED"},
		"the first stage": {func() *core.Plan { return plan(when(fai, "", stage("a", shell("x")))) }, "", core.Succeeded, "a=SKIPPED"},
		"a stage that cannot tell": {func() *core.Plan {
			return plan(when(suc, `<+pipeline.startTs>`, stage("a", shell("x"))), stage("b", shell("y")))
		}, "", core.Failed, "a=FAILED"},
		"stages side by side": {func() *core.Plan {
			return plan(stage("a", shell("x")), parallel(stage("b", shell("y")), when(fai, "", stage("c", shell("z")))), stage("d", shell("q")))
		}, "", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED b=SUCCEEDED y=SUCCEEDED c=SKIPPED d=SUCCEEDED q=SUCCEEDED"},
		"none of them": {func() *core.Plan {
			return plan(parallel(when(fai, "", stage("b", shell("y"))), when(fai, "", stage("c", shell("z")))), stage("d", shell("q")))
		},
			"", core.Succeeded, "b=SKIPPED c=SKIPPED d=SUCCEEDED q=SUCCEEDED"},
		"one cannot tell": {func() *core.Plan {
			return plan(parallel(when(suc, `<+pipeline.startTs>`, stage("b", shell("y"))), stage("c", shell("z"))), when(fai, "", stage("d", shell("q"))))
		},
			"", core.Failed, "b=FAILED c=SUCCEEDED z=SUCCEEDED d=SUCCEEDED q=SUCCEEDED"},
		"the same block never counts": {func() *core.Plan {
			return plan(stage("a", parallel(shell("x"), when(fai, "", shell("y")), group("g", shell("l"), when(fai, "", shell("m")), when(suc, "", shell("n")))), when(fai, "", shell("z"))))
		}, "x", core.Failed, "a=FAILED x=FAILED y=SKIPPED g=SUCCEEDED l=SUCCEEDED m=SKIPPED n=SUCCEEDED z=SUCCEEDED"},
		"before the block does": {func() *core.Plan {
			return plan(stage("a", shell("x"), when(all, "", group("g", parallel(shell("l"), group("h", shell("m"), when(fai, "", shell("n")), when(suc, "", shell("o"))))))))
		}, "x", core.Failed, "a=FAILED x=FAILED g=SUCCEEDED l=SUCCEEDED h=SUCCEEDED m=SUCCEEDED n=SUCCEEDED o=SKIPPED"},
		"branches all skipped": {func() *core.Plan {
			return plan(stage("a", shell("x"), parallel(shell("l"), shell("m")), when(fai, "", shell("y"))))
		},
			"x", core.Failed, "a=FAILED x=FAILED l=SKIPPED m=SKIPPED y=SUCCEEDED"},
		"two failures": {func() *core.Plan {
			return plan(stage("a", shell("x"), when(fai, "", shell("y")), when(all, "", shell("z"))))
		},
			"x y", core.Failed, "a=FAILED x=FAILED y=FAILED z=SUCCEEDED"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			holdEnds(t, tc.plan, func() outcome { return failing(tc.fail) }, tc.run, tc.want)
		})
	}
}

// TestStageDeadlineEndsAll holds that nothing runs behind a stage's timeout, whatever
// its condition.
func TestStageDeadlineEndsAll(t *testing.T) {
	p := plan(stage("a", shell("x"), when(core.WhenAll, "", shell("y"))))
	p.Root.Children[0].Timeout = 1
	s := newSim(t, 1, p)
	s.outcome = func(string) core.Completed {
		return core.Completed{Failure: &core.Failure{Types: []string{"TIMEOUT_FAILURE"}, Message: "too slow"}}
	}
	if got := s.play().Status; got != core.Expired || s.ends() != "a=EXPIRED x=EXPIRED" {
		t.Errorf("the run ended %s: %s", got, s.ends())
	}
}
