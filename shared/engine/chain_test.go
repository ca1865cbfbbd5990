package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// chained is a stage that runs another pipeline: a step x, and y in a stage behind it.
func chained(id string) *core.Node {
	n := stage(id)
	n.Type = "Pipeline"
	n.Chain = &core.Chain{Plan: plan(stage("c", shell("x")), stage("d", shell("y")))}
	n.Chain.Plan.Identifier = "child"
	return n
}

// runs tells how the runs of a stage's pipeline ended, in order: "SUCCEEDED ABORTED".
func (s *sim) runs() string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(s.Chains)) {
		out = append(out, string(s.Chains[id].Track("0").Status))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// checkAll is check, of the chained runs too.
func (s *sim) checkAll(seed uint64) {
	s.t.Helper()
	s.check(seed)
	for _, c := range s.Chains {
		(&sim{World: c, t: s.t}).check(seed)
	}
}

// TestChain is BEHAVIOUR §7.10: a stage ends as the run of its pipeline does, and what
// its failure strategies say is done about that. Every plan is played in many orders
// with everything delivered twice.
func TestChain(t *testing.T) {
	const unknown = "UNKNOWN_FAILURE"
	one := func(a core.FailureAction) func() *core.Plan {
		return func() *core.Plan { return plan(on(chained("a"), a), stage("b", shell("q"))) }
	}
	tests := map[string]struct {
		plan func() *core.Plan
		fail string
		run  core.Status
		want string
		runs string
	}{
		"it succeeds": {func() *core.Plan { return plan(chained("a"), stage("b", shell("q"))) }, "", core.Succeeded,
			"a=SUCCEEDED b=SUCCEEDED q=SUCCEEDED", "SUCCEEDED"},
		"it fails":           {func() *core.Plan { return plan(chained("a"), stage("b", shell("q"))) }, "x=" + unknown, core.Failed, "a=FAILED", "FAILED"},
		"Ignore":             {one(act(core.ActionIgnore)), "x=" + unknown, core.IgnoreFailed, "a=IGNORE_FAILED b=SUCCEEDED q=SUCCEEDED", "FAILED"},
		"MarkAsSuccess":      {one(act(core.ActionMarkAsSuccess)), "x=" + unknown, core.Succeeded, "a=SUCCEEDED b=SUCCEEDED q=SUCCEEDED", "FAILED"},
		"Abort":              {one(act(core.ActionAbort)), "x=" + unknown, core.Aborted, "a=ABORTED", "FAILED"},
		"StageRollback":      {one(act(core.ActionStageRollback)), "x=" + unknown, core.Failed, "a=FAILED", "FAILED"},
		"RetryStepGroup":     {one(act(core.ActionRetryStepGroup)), "x=" + unknown, core.Failed, "a=FAILED", "FAILED"},
		"PipelineRollback":   {one(act(core.ActionPipelineRollback)), "x=" + unknown, core.Failed, "a=FAILED", "FAILED"},
		"Retry":              {one(retry(2, core.ActionIgnore)), "x=" + unknown + "*1", core.Succeeded, "a=SUCCEEDED b=SUCCEEDED q=SUCCEEDED", "FAILED SUCCEEDED"},
		"Retry in vain":      {one(retry(2, core.ActionIgnore)), "y=" + unknown, core.IgnoreFailed, "a=IGNORE_FAILED b=SUCCEEDED q=SUCCEEDED", "FAILED FAILED FAILED"},
		"of its failure":     {func() *core.Plan { return plan(on(chained("a"), act(core.ActionIgnore), "Timeout")) }, "x=TIMEOUT_FAILURE", core.IgnoreFailed, "a=IGNORE_FAILED", "EXPIRED"},
		"of another failure": {func() *core.Plan { return plan(on(chained("a"), act(core.ActionIgnore), "Timeout")) }, "x=" + unknown, core.Failed, "a=FAILED", "FAILED"},
		"a loop": {func() *core.Plan { return plan(repeat(3, chained("a")), stage("b", shell("q"))) }, "", core.Succeeded,
			"a=SUCCEEDED a_0=SUCCEEDED a_1=SUCCEEDED a_2=SUCCEEDED b=SUCCEEDED q=SUCCEEDED", "SUCCEEDED SUCCEEDED SUCCEEDED"},
		"beside a stage": {func() *core.Plan { return plan(parallel(chained("a"), stage("b", shell("q"))), chained("c")) }, "", core.Succeeded,
			"a=SUCCEEDED b=SUCCEEDED q=SUCCEEDED c=SUCCEEDED", "SUCCEEDED SUCCEEDED"},
		"it does not run": {func() *core.Plan { return plan(when(core.WhenFailure, "", chained("a")), stage("b", shell("q"))) }, "", core.Succeeded,
			"a=SKIPPED b=SUCCEEDED q=SUCCEEDED", ""},
		"a rollback of others": {func() *core.Plan {
			b := on(stage("b", shell("q")), act(core.ActionPipelineRollback))
			b.Rollback = []*core.Node{shell("undo")}
			return plan(chained("a"), b)
		}, "q=" + unknown, core.Failed, "a=SUCCEEDED b=FAILED q=FAILED undo=SUCCEEDED", "SUCCEEDED"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(40) {
				s := newSim(t, seed, tc.plan())
				s.Twice, s.outcome = true, script(tc.fail)
				root := s.play()
				if got := s.ends(); root.Status != tc.run || got != tc.want || s.runs() != tc.runs {
					t.Fatalf("seed %d: the run ended %s, its stages' %q\n got %s\nwant %s", seed, root.Status, s.runs(), got, tc.want)
				}
				if f := root.Failure; tc.run == core.Failed && strings.HasPrefix(tc.fail, "x") && !strings.HasPrefix(f.Message, "pipeline child, run 0") {
					t.Fatalf("seed %d: failed because %s", seed, f.Message)
				}
				s.checkAll(seed)
			}
		})
	}
}

// TestChainStops: whatever ends the stage ends the run that it has started, at every
// moment, and it is waited for; a run that ends so ends its stage.
func TestChainStops(t *testing.T) {
	abort := core.Event{Type: core.EventStop, Stop: &core.Stop{Status: core.Aborted, Reason: "enough"}}
	tests := map[string]struct {
		happens func(s *sim)
		run     core.Status
	}{
		"the parent is aborted": {func(s *sim) { _ = s.Apply("0", abort) }, core.Aborted},
		"the child is aborted": {func(s *sim) {
			for _, c := range s.Chains {
				_ = c.Apply("0", abort)
			}
		}, core.Aborted},
		"the stage is marked as failed": {func(s *sim) {
			_ = s.Apply("0.1", core.Event{Type: core.EventIntervened, Intervened: &core.Intervened{Node: "pipeline.stages.a", Action: core.InterruptMarkFailed, By: core.Actor{ID: "eve"}}})
		}, core.Failed},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			hit := 0
			for seed := range uint64(200) {
				a := chained("a")
				if tc.run == core.Aborted { // which no strategy has a say about
					on(a, act(core.ActionIgnore))
				}
				s := newSim(t, seed, plan(a, stage("b", shell("q"))))
				s.Twice = true
				s.until(func() bool { return true })
				for range seed / 2 {
					s.Step()
				}
				tc.happens(s)
				for s.Step() {
				}
				root := s.Track("0")
				for _, c := range s.Chains {
					if !c.Track("0").Status.Terminal() {
						t.Fatalf("seed %d: the run ended %s, its stage's is %s", seed, root.Status, c.Track("0").Status)
					}
					if tc.run == core.Aborted && root.Ended < c.Track("0").Ended {
						t.Fatalf("seed %d: the run did not wait for its stage's", seed)
					}
				}
				if root.Status == tc.run && s.runs() == string(core.Aborted) {
					hit++
				} else if root.Status != core.Succeeded && root.Status != tc.run { // or it was just over
					t.Fatalf("seed %d: the run ended %s, its stage's %s", seed, root.Status, s.runs())
				}
				s.checkAll(seed)
			}
			if hit < 20 {
				t.Errorf("it came to that %d times", hit)
			}
		})
	}
}

// TestChainTimeout has the stage's time run out: the run it has started expires, unless
// it was just over.
func TestChainTimeout(t *testing.T) {
	hit := 0
	for seed := range uint64(40) {
		p := plan(chained("a"))
		p.Root.Children[0].Timeout = 1_000_000
		s := newSim(t, seed, p)
		s.Twice = true
		s.Held = func(_ string, h engine.Hold) bool { return h.Kind != "Child" }
		root := s.play()
		switch got := string(root.Status) + " " + s.runs(); got {
		case "EXPIRED EXPIRED":
			hit++
		case "EXPIRED SUCCEEDED", "SUCCEEDED SUCCEEDED":
		default:
			t.Fatalf("seed %d: the run and its stage's ended %s", seed, got)
		}
		s.checkAll(seed)
	}
	if hit < 10 {
		t.Errorf("it came to that %d times", hit)
	}
}

// TestChainValues: what a pipeline is given is data there, what it gives is read as the
// stage's outputs; a secret stays one.
func TestChainValues(t *testing.T) {
	read := func(text string) *core.Node {
		return step("read", "ShellScript", map[string]any{"source": text})
	}
	tests := map[string]struct {
		inputs  map[string]string
		child   string // what its step reads
		outputs string // the value of the output o
		parent  string // what a step behind reads
		in, out string // what they came to
		run     core.Status
	}{
		"text":                      {map[string]string{"i0": "<+pipeline.sequenceId>-<+stage.identifier>"}, "<+parentInputs.i0>", "<+pipeline.executionId.length()>", "<+pipeline.stages.a.output.o>", "1-a", "26", core.Succeeded},
		"data":                      {map[string]string{"i0": `<+<+pipeline.stages.first.spec.execution.steps.f.output.outputVariables.v>>`}, "<+parentInputs.i0>", "<+pipeline.stages.c.spec.execution.steps.read.output.outputVariables.v>", "<+pipeline.stages.a.output.o>", "<+x>", "<+x>", core.Succeeded},
		"by its name alone":         {nil, "-", "<+pipeline.stages.c.status>", "<+pipeline.a.o>", "-", "SUCCEEDED", core.Succeeded},
		"a secret":                  {map[string]string{"i0": `<+secrets.getValue("s")>`}, "<+parentInputs.i0>", `<+secrets.getValue("t")>`, "<+pipeline.stages.a.output.o>", `${ngSecretManager.obtain("s")}`, `${ngSecretManager.obtain("t")}`, core.Succeeded},
		"a secret in text":          {map[string]string{"i0": `x<+secrets.getValue("s")>`}, "<+parentInputs.i0>", "-", "-", "", "", core.Failed},
		"an input that is not":      {map[string]string{"i0": "<+pipeline.variables.nope>"}, "-", "-", "-", "", "", core.Failed},
		"an output that is not":     {nil, "-", "<+pipeline.variables.nope>", "-", "-", "", core.Failed},
		"too much":                  {map[string]string{"i0": strings.Repeat("x", core.MaxChainBytes)}, "-", "-", "-", "", "", core.Failed},
		"an input that nobody gave": {nil, "<+parentInputs.i7>", "-", "-", "", "", core.Failed},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(10) {
				a := stage("a")
				a.Chain = &core.Chain{Plan: plan(stage("c", read(tc.child))), Inputs: tc.inputs, Outputs: []core.ChainOutput{{Name: "o", Value: tc.outputs}}}
				s := newSim(t, seed, plan(stage("first", shell("f")), a, stage("b", read(tc.parent))))
				s.Twice = true
				got := map[string]string{}
				s.Work = func(task *engine.Task) (core.Completed, int64) {
					got[task.Node] = fmt.Sprint(task.Spec["source"])
					if n := strings.Count(got[task.Node], "obtain"); n != len(task.Secrets) {
						t.Errorf("%s knows of %d secrets, not %d", task.Node, len(task.Secrets), n)
					}
					return core.Completed{OK: true, Outputs: map[string]any{"outputVariables": map[string]any{"v": "<+x>"}}}, 0
				}
				root := s.play()
				in, out := got["pipeline.stages.c.spec.execution.steps.read"], got["pipeline.stages.b.spec.execution.steps.read"]
				if root.Status != tc.run || in != tc.in || out != tc.out {
					t.Fatalf("seed %d: %s with %q and %q: %v", seed, root.Status, in, out, root.Failure)
				}
				s.checkAll(seed)
			}
		})
	}
}
