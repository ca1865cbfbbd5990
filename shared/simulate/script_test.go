package simulate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine/enginetest"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/simulate"
)

// small has two steps x, and a loop.
func small() *core.Plan {
	loop := enginetest.Group("many", enginetest.Shell("inner"))
	loop.Loop = &core.Loop{Kind: core.LoopParallelism, Times: &core.LoopNumber{Value: 2}}
	return enginetest.Plan(
		enginetest.Stage("a", enginetest.Shell("x"), enginetest.Wait("w"), loop),
		enginetest.Stage("b", enginetest.Shell("x"), enginetest.Approval("ask", 1)))
}

// TestScriptRefuses: an option that means nothing is never passed over.
func TestScriptRefuses(t *testing.T) {
	tests := map[string]struct {
		args string
		want string // part of the message
	}{
		"no such node":            {"--fail y=Timeout", `no node is called "y": there are stages.a`},
		"several nodes":           {"--fail x=Timeout", `"x" is the name of several nodes: take one of stages.a.steps.x, stages.b.steps.x`},
		"a stage":                 {"--duration a=10s", "stages.a is a stage: name a step"},
		"no such type":            {"--fail stages.a.steps.x=Timeuot", `no failure is called "Timeuot": there are Timeout,`},
		"no type":                 {"--fail stages.a.steps.x", "is not NODE=TYPE"},
		"no times":                {"--fail stages.a.steps.x=Timeout*0", `"0" is not a number of times`},
		"not of a wait":           {"--fail w=Verification", "it can fail of Timeout, UserMarkedFailure"},
		"a wait now and then":     {"--fail w=Timeout*2", "leave out *2"},
		"not of an approval":      {"--fail ask=Unknown", "it can fail of Timeout, UserMarkedFailure, ApprovalRejection"},
		"both":                    {"--approve ask --reject ask", "cannot be both"},
		"all, both":               {"--reject all --approve all", "cannot be both"},
		"asks nobody":             {"--reject w", "stages.a.steps.w is a Wait: it asks nobody"},
		"no duration":             {"--duration w=later", "later"},
		"less than no time":       {"--duration w=-1s", "negative"},
		"no output":               {"--output v=1", "write NODE.name=value"},
		"no such answer":          {"--intervene ask=Nod", `no answer is called "Nod"`},
		"what iterates not":       {"--fail stages.a_0.steps.x=Timeout", "no node is called"},
		"the iteration of a step": {"--fail stages.a.steps.many_0.steps.outer=Timeout", "no node is called"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			words := strings.Fields(tc.args)
			_, err := scripted(small(), words)
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v", tc.args, err)
			}
		})
	}
}

// TestScriptTakes: paths, names that one node has, and iterations of loops.
func TestScriptTakes(t *testing.T) {
	for _, args := range []string{
		"--fail stages.a.steps.x=Timeout*2", "--fail pipeline.stages.a.spec.execution.steps.x=AllErrors", "--fail stages.b.steps.x=AnyOther", "--duration w=1d", "--duration w=1.5s",
		"--approve all", "--approve ask", "--output inner.v=a=b", "--fail stages.a.steps.many_1.steps.inner=Unknown", "--intervene stages.b.steps.x=Retry",
	} {
		if _, err := scripted(small(), strings.Fields(args)); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestIterations: what names an iteration that its loop does not have is told, once
// that is known.
func TestIterations(t *testing.T) {
	for args, want := range map[string]string{
		"--fail stages.a.steps.many_1.steps.inner=Unknown":                                 "",
		"--fail stages.a.steps.many_2.steps.inner=Unknown":                                 `no iteration is called "stages.a.steps.many_2.steps.inner": there are stages.a.steps.many_`,
		"--fail stages.a.steps.many_2.steps.inner=Unknown --fail stages.a.steps.x=Unknown": "", // it is not come to
	} {
		p := small()
		s, err := scripted(p, strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		_, err = simulate.Run(p, s, 0)
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.Contains(got, want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestPath drops what every path has.
func TestPath(t *testing.T) {
	for fqn, want := range map[string]string{
		"pipeline.stages.a.spec.execution.steps.g.steps.x":           "stages.a.steps.g.steps.x",
		"pipeline.stages.a.spec.execution.rollbackSteps.x":           "stages.a.rollbackSteps.x",
		"pipeline.stages.a.spec.execution.steps.g.rollbackSteps.h.x": "stages.a.steps.g.rollbackSteps.h.x",
		"pipeline.stages.pipeline.spec.execution.steps.spec":         "stages.pipeline.steps.spec",
	} {
		if got := simulate.Path(fqn); got != want {
			t.Errorf("%s is %s, want %s", fqn, got, want)
		}
	}
}
