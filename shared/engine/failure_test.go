package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// on gives a node a failure strategy, behind those it has.
func on(n *core.Node, a core.FailureAction, errors ...core.ErrorType) *core.Node {
	if errors == nil {
		errors = []core.ErrorType{core.AllErrors}
	}
	n.Failure = append(n.Failure, core.FailureStrategy{Errors: errors, Action: a})
	return n
}

func act(t core.ActionType) core.FailureAction { return core.FailureAction{Type: t} }

func retry(count int, then core.ActionType) core.FailureAction {
	return core.FailureAction{Type: core.ActionRetry, Retries: count, Intervals: []int64{1000, 5000}, Then: &core.FailureAction{Type: then}}
}

// script lets steps fail: "x=TIMEOUT_FAILURE*2" the first two tries of x, "y=…" all.
func script(text string) func(string) core.Completed {
	tries := map[string]int{}
	return func(node string) core.Completed {
		for word := range strings.FieldsSeq(text) {
			id, how, _ := strings.Cut(word, "=")
			typ, count, limited := strings.Cut(how, "*")
			most := 0
			if limited {
				_, _ = fmt.Sscan(count, &most)
			}
			if strings.HasSuffix(node, "."+id) {
				if tries[node]++; !limited || tries[node] <= most {
					return core.Completed{Failure: &core.Failure{Types: []string{typ}, Message: "no"}}
				}
			}
		}
		return core.Completed{OK: true}
	}
}

// attempts tells which steps were tried more than once: "x:3".
func (s *sim) attempts() string {
	var out []string
	r := s.Whole()
	r.Walk(func(n *core.Node) {
		if at := s.Node(r, n.FQN); at != nil && at.Attempt > 1 && n.Kind != core.KindParallel {
			out = append(out, fmt.Sprintf("%s:%d", n.Identifier, at.Attempt))
		}
	})
	return strings.Join(out, " ")
}

// TestStrategies is BEHAVIOUR §8: which strategy applies and what it does. Every
// plan is played in many orders with everything delivered twice.
func TestStrategies(t *testing.T) {
	const unknown, timeout = "UNKNOWN_FAILURE", "TIMEOUT_FAILURE"
	one := func(a core.FailureAction, errors ...core.ErrorType) func() *core.Plan {
		return func() *core.Plan {
			return plan(stage("a", on(shell("x"), a, errors...), shell("y"), when(core.WhenFailure, "", shell("z"))), stage("b", shell("q")))
		}
	}
	tests := map[string]struct {
		plan     func() *core.Plan
		fail     string
		run      core.Status
		want     string
		attempts string
	}{
		"Ignore":              {one(act(core.ActionIgnore)), "x=" + unknown, core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED z=SUCCEEDED b=SUCCEEDED q=SUCCEEDED", ""},
		"MarkAsSuccess":       {one(act(core.ActionMarkAsSuccess)), "x=" + unknown, core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SUCCEEDED z=SKIPPED b=SUCCEEDED q=SUCCEEDED", ""},
		"MarkAsFailure":       {one(act(core.ActionMarkAsFailure)), "x=" + timeout, core.Failed, "a=FAILED x=FAILED y=SKIPPED z=SUCCEEDED", ""},
		"Abort":               {one(act(core.ActionAbort)), "x=" + unknown, core.Aborted, "a=ABORTED x=ABORTED", ""},
		"ProceedWithDefault":  {one(act(core.ActionProceedDefault)), "x=" + unknown, core.Failed, "a=FAILED x=FAILED y=SKIPPED z=SUCCEEDED", ""},
		"nothing matches":     {one(act(core.ActionIgnore), "Connectivity", "Timeout"), "x=" + unknown, core.Failed, "a=FAILED x=FAILED y=SKIPPED z=SUCCEEDED", ""},
		"one of several":      {one(act(core.ActionIgnore), "Connectivity", "Timeout"), "x=" + timeout, core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED z=SUCCEEDED b=SUCCEEDED q=SUCCEEDED", ""},
		"a type nobody knows": {one(act(core.ActionIgnore)), "x=ODD", core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED z=SUCCEEDED b=SUCCEEDED q=SUCCEEDED", ""},
		"the first that matches": {func() *core.Plan {
			return plan(stage("a", on(on(on(shell("x"), act(core.ActionAbort), "Verification"), act(core.ActionMarkAsSuccess), "Timeout"), act(core.ActionIgnore))))
		}, "x=" + timeout, core.Succeeded, "a=SUCCEEDED x=SUCCEEDED", ""},
		"the innermost that matches": {func() *core.Plan {
			return plan(on(stage("a", on(group("g", on(group("h", on(shell("x"), act(core.ActionAbort), "Verification")), act(core.ActionIgnore), "Timeout")), act(core.ActionAbort))), act(core.ActionAbort)))
		}, "x=" + timeout, core.IgnoreFailed, "a=IGNORE_FAILED g=IGNORE_FAILED h=IGNORE_FAILED x=IGNORE_FAILED", ""},
		"falls through to the stage": {func() *core.Plan {
			return plan(on(stage("a", on(group("g", on(shell("x"), act(core.ActionAbort), "Verification")), act(core.ActionAbort), "Connectivity"), shell("y")), act(core.ActionIgnore)))
		}, "x=" + timeout, core.IgnoreFailed, "a=IGNORE_FAILED g=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED", ""},
		"in a branch, of the stage": {func() *core.Plan {
			return plan(on(stage("a", parallel(shell("x"), group("g", shell("l"), shell("m"))), shell("y")), act(core.ActionIgnore)))
		}, "x=" + timeout + " m=" + unknown, core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED g=IGNORE_FAILED l=SUCCEEDED m=IGNORE_FAILED y=SUCCEEDED", ""},
		"abort in a branch": {func() *core.Plan {
			return plan(parallel(stage("a", parallel(on(shell("x"), act(core.ActionAbort)), approval("ask", 1))), stage("b", approval("ask2", 1))), when(core.WhenAll, "", stage("c", shell("y"))))
		}, "x=" + timeout, core.Aborted, "", ""},
		"not even All after an abort": {func() *core.Plan {
			return plan(stage("a", on(shell("x"), act(core.ActionAbort)), when(core.WhenAll, "", shell("y"))), when(core.WhenAll, "", stage("b", shell("z"))))
		}, "x=" + unknown, core.Aborted, "a=ABORTED x=ABORTED", ""},
		"let in once": {func() *core.Plan {
			return plan(stage("a", when(core.WhenAll, `<+execution.steps.x.status> != "QUEUED"`, on(shell("x"), retry(2, core.ActionAbort)))))
		}, "x=" + unknown + "*2", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED", "x:3"},
		"retried":           {one(retry(3, core.ActionAbort)), "x=" + unknown + "*2", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SUCCEEDED z=SKIPPED b=SUCCEEDED q=SUCCEEDED", "x:3"},
		"retried in vain":   {one(retry(2, core.ActionIgnore)), "x=" + unknown, core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED z=SUCCEEDED b=SUCCEEDED q=SUCCEEDED", "x:3"},
		"never retried":     {one(retry(0, core.ActionMarkAsSuccess)), "x=" + unknown, core.Succeeded, "a=SUCCEEDED x=SUCCEEDED y=SUCCEEDED z=SKIPPED b=SUCCEEDED q=SUCCEEDED", ""},
		"nothing said then": {one(core.FailureAction{Type: core.ActionRetry, Retries: 1}), "x=" + unknown, core.Failed, "a=FAILED x=FAILED y=SKIPPED z=SUCCEEDED", "x:2"},
		"retry if": {func() *core.Plan {
			a := retry(5, core.ActionMarkAsFailure)
			a.Condition = "<+execution.steps.x.retryCount> < 2"
			return plan(stage("a", on(shell("x"), a)))
		}, "x=" + unknown, core.Failed, "a=FAILED x=FAILED", "x:3"},
		"each strategy counts": {func() *core.Plan {
			return plan(stage("a", on(on(shell("x"), retry(1, core.ActionAbort), "Timeout"), retry(2, core.ActionIgnore))))
		}, "x=" + timeout + "*1 x=" + unknown, core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED", "x:4"},
		"a branch retried, by the stage": {func() *core.Plan {
			return plan(on(stage("a", parallel(shell("x"), group("g", shell("l"), shell("m"))), shell("y")), retry(2, core.ActionAbort)))
		}, "m=" + unknown + "*2 x=" + unknown + "*1", core.Succeeded, "a=SUCCEEDED x=SUCCEEDED g=SUCCEEDED l=SUCCEEDED m=SUCCEEDED y=SUCCEEDED", "x:2 m:3"},
		"a condition nobody can decide": {func() *core.Plan {
			return plan(on(stage("a", when(core.WhenAll, "<+pipeline.startTs>", on(shell("x"), retry(2, core.ActionIgnore))), shell("y")), act(core.ActionAbort)))
		}, "", core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED y=SUCCEEDED", ""},
		"a step that cannot be rendered": {func() *core.Plan {
			return plan(stage("a", on(step("x", "ShellScript", map[string]any{"source": "<+pipeline.variables.none>"}), retry(2, core.ActionIgnore))))
		}, "", core.IgnoreFailed, "a=IGNORE_FAILED x=IGNORE_FAILED", "x:3"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(40) {
				s := newSim(t, seed, tc.plan())
				s.Twice, s.outcome = true, script(tc.fail)
				if got := s.play().Status; got != tc.run {
					t.Errorf("seed %d: the run ended %s, want %s", seed, got, tc.run)
				}
				if got := s.ends(); tc.want != "" && got != tc.want {
					t.Fatalf("seed %d:\n got %s\nwant %s", seed, got, tc.want)
				}
				if got := s.attempts(); tc.attempts != got {
					t.Fatalf("seed %d: attempts %q, want %q", seed, got, tc.attempts)
				}
				s.check(seed)
			}
		})
	}
}

// TestRejection asks again after a rejection: another instance, another answer.
func TestRejection(t *testing.T) {
	for name, tc := range map[string]struct {
		action core.FailureAction
		want   core.Status
		ends   string
	}{
		"retried": {retry(1, core.ActionIgnore), core.IgnoreFailed, "a=IGNORE_FAILED ask=IGNORE_FAILED x=SUCCEEDED"},
		"failed":  {act(core.ActionMarkAsFailure), core.Failed, "a=FAILED ask=FAILED x=SKIPPED"},
		"aborted": {act(core.ActionAbort), core.Aborted, "a=ABORTED ask=ABORTED"},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				s := newSim(t, seed, plan(stage("a", on(approval("ask", 1), tc.action, "ApprovalRejection"), shell("x"))))
				s.Twice, s.reject = true, true
				if got := s.play().Status; got != tc.want || s.ends() != tc.ends {
					t.Fatalf("seed %d: the run ended %s: %s", seed, got, s.ends())
				}
				s.check(seed)
			}
		})
	}
}

// TestPauses holds how long is waited before each try, and that each has a task of
// its own.
func TestPauses(t *testing.T) {
	s := newSim(t, 1, plan(stage("a", on(shell("x"), retry(4, core.ActionMarkAsFailure)))))
	s.outcome = script("x=UNKNOWN_FAILURE")
	s.play()
	var pauses []int64
	for _, ev := range s.Events["0.1"] {
		for _, c := range ev.Commands {
			if c.Do == core.DoFinish && c.Route.Kind == "BackOff" {
				pauses = append(pauses, c.Route.TimeoutSeconds)
			}
		}
	}
	if !slices.Equal(pauses, []int64{1, 5, 5, 5}) {
		t.Errorf("waited %v", pauses)
	}
	x := s.Node(s.Run, "pipeline.stages.a.spec.execution.steps.x")
	tasks := map[string]bool{x.Task: true}
	for _, a := range x.Earlier {
		tasks[a.Task] = true
	}
	if len(tasks) != 5 || x.Earlier[3].N != 4 || x.Earlier[0].Failure.Message != "no" {
		t.Errorf("attempts %+v", x.Earlier)
	}
}
