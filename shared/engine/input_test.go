package engine_test

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// asking is a step whose text is asked for while running.
func asking(id, def string) *core.Node {
	n := step(id, "ShellScript", map[string]any{"shell": "Bash", "text": core.AskExpression("stages.a." + id + ".text")})
	a := core.Ask{Path: "stages.a." + id + ".text", One: []string{"red", "blue"}}
	if def != "" {
		a.Default = &def
	}
	n.Asks = []core.Ask{a}
	return n
}

// TestInputs asks while running, in steps, branches, groups and stages; who does not
// answer in time is dealt with by strategies (BEHAVIOUR §12.3, §8.11).
func TestInputs(t *testing.T) {
	proceed := act(core.ActionProceedDefault)
	variable := func(n *core.Node) *core.Node {
		n.Variables = []core.Variable{{Name: "v", Type: "String", Value: core.AskExpression("v")}}
		n.Asks = []core.Ask{{Path: "v"}}
		return n
	}
	reading := func(id, text string) *core.Node {
		return step(id, "ShellScript", map[string]any{"shell": "Bash", "text": text})
	}
	tests := map[string]struct {
		plan  func() *core.Plan
		given string // "" for nobody
		fail  string
		run   core.Status
		want  string
		tried string
		text  string // of x
	}{
		"given":           {func() *core.Plan { return plan(stage("a", asking("x", ""), shell("y"))) }, "red", "", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SUCCEEDED", "", "red"},
		"in a branch":     {func() *core.Plan { return plan(stage("a", parallel(asking("x", ""), shell("y")))) }, "red", "", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SUCCEEDED", "", "red"},
		"kept by a retry": {func() *core.Plan { return plan(stage("a", on(asking("x", ""), retry(1, core.ActionAbort)))) }, "red", "x=ODD*1", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED", "x:2", "red"},
		"of a stage": {func() *core.Plan {
			return plan(variable(stage("a", reading("x", "<+stage.variables.v>"), parallel(reading("y", "<+stage.variables.v>")))))
		}, "red", "", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SUCCEEDED", "", "red"},
		"of a group, again": {func() *core.Plan {
			return plan(stage("a", on(variable(group("g", reading("x", "<+stepGroup.variables.v>"))), retryGroup(1))))
		}, "red", "x=ODD*1", core.Succeeded, "a=SUCCEEDED g=SUCCEEDED x=SUCCEEDED", "g:2 x:2", "red"},
		"nobody": {func() *core.Plan { return plan(stage("a", asking("x", "blue"), shell("y"))) }, "", "", core.Expired, "a=EXPIRED x=EXPIRED", "", ""},
		"nobody, ignored": {func() *core.Plan {
			return plan(stage("a", on(asking("x", ""), act(core.ActionIgnore), core.InputTimeoutError), shell("y")))
		}, "", "", core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED", "", ""},
		"nobody, the default": {func() *core.Plan { return plan(stage("a", on(asking("x", "blue"), proceed, core.InputTimeoutError))) }, "", "", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED", "", "blue"},
		"nobody, and no default": {func() *core.Plan {
			return plan(stage("a", on(asking("x", ""), proceed, core.InputTimeoutError), shell("y")))
		}, "", "", core.Failed, "a=FAILED x=FAILED y=SKIPPED", "", ""},
		"the default, other errors": {func() *core.Plan { return plan(stage("a", on(asking("x", "blue"), proceed), shell("y"))) }, "red", "x=ODD", core.Failed, "a=FAILED x=FAILED y=SKIPPED", "", "red"},
		"nobody, asked again":       {func() *core.Plan { return plan(stage("a", on(asking("x", ""), retry(1, core.ActionIgnore)))) }, "", "", core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED", "x:2", ""},
		"nobody, a stage": {func() *core.Plan {
			return plan(variable(stage("a", shell("x"))), when(core.WhenFailure, "", stage("b", shell("y"))))
		}, "", "", core.Failed, "a=FAILED b=SUCCEEDED y=SUCCEEDED", "", ""},
		"nobody, a stage, ignored": {func() *core.Plan {
			return plan(on(variable(stage("a", shell("x"))), act(core.ActionIgnore)), stage("b", shell("y")))
		}, "", "", core.IgnoreFailed, "a=IGNORE_FAILED b=SUCCEEDED y=SUCCEEDED", "", ""},
		"not let in": {func() *core.Plan { return plan(stage("a", when(core.WhenFailure, "", asking("x", "")), shell("y"))) }, "", "", core.Succeeded, "a=SUCCEEDED x=SKIPPED y=SUCCEEDED", "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				s := newSim(t, seed, tc.plan())
				outcome, text := script(tc.fail), ""
				s.Twice, s.given = true, tc.given
				s.outcome = func(node string) core.Completed {
					for _, tr := range s.Tracks {
						if tr.Task != nil && tr.Task.Node == node && s.Run.Node(node).Identifier == "x" {
							text, _ = tr.Task.Spec["text"].(string)
						}
					}
					return outcome(node)
				}
				if got := s.play().Status; got != tc.run || s.attempts() != tc.tried {
					t.Errorf("seed %d: the run ended %s, tries %q", seed, got, s.attempts())
				}
				if got := s.ends(); got != tc.want || text != tc.text {
					t.Fatalf("seed %d: text %q\n got %s\nwant %s", seed, text, got, tc.want)
				}
				s.check(seed)
			}
		})
	}
}

// TestInputRefused refuses what is not asked for, not allowed or too late.
func TestInputRefused(t *testing.T) {
	s := newSim(t, 1, plan(stage("a", asking("x", ""), shell("y"))))
	x := s.Run.TrackRoot("0.1").Children[0].FQN
	s.given = "?"
	s.until(func() bool { h := s.Track("0.1").Hold; return h != nil && h.Kind == "Input" })
	give := func(node string, values map[string]string) error {
		return s.Apply("0.1", core.Event{Type: core.EventGiven, Given: &core.Given{Node: node, Values: values, By: core.Actor{ID: "bob"}}})
	}
	for name, tc := range map[string]struct {
		node   string
		values map[string]string
		kind   fault.Kind
	}{
		"not allowed":     {x, map[string]string{"text": "green"}, fault.Invalid},
		"not asked for":   {x, map[string]string{"text": "red", "size": "1"}, fault.Invalid},
		"nothing":         {x, nil, fault.Invalid},
		"of another step": {"y", map[string]string{"text": "red"}, fault.Gone},
	} {
		if err := give(tc.node, tc.values); !fault.Is(err, tc.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := give(x, map[string]string{"x.text": "red"}); err != nil {
		t.Fatal(err)
	}
	if err := give(x, map[string]string{"text": "red"}); !fault.Is(err, fault.Gone) {
		t.Errorf("a second time: %v", err)
	}
	if in := s.Node(s.Run, x).Input; in.By.ID != "bob" || in.Given["stages.a.x.text"] != "red" || in.At == 0 {
		t.Errorf("kept %+v", in)
	}
}
