package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// entered counts the states that the interpreter enters.
type entered struct {
	mu sync.Mutex
	by map[string]int64
	at []string
}

func (e *entered) note(machine, state string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.by[machine]++
	e.at = append(e.at, machine+"."+state)
}

func (e *entered) sums() map[string]int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.by)
}

func onePipeline(steps string) string {
	return "pipeline:\n  name: p\n  identifier: p\n  stages:\n    - stage:\n        name: s\n        identifier: s\n        type: Custom\n" +
		"        spec:\n          execution:\n            steps:\n" + steps
}

const (
	askItem   = "              - step: {name: ask, identifier: ask, type: HarnessApproval, timeout: 5m, spec: {approvalMessage: x, includePipelineExecutionHistory: false, approvers: {userGroups: [account.approvers], minimumCount: 1, disallowPipelineExecutor: false}}}\n"
	waitItem  = "              - step: {name: wait, identifier: wait, type: Wait, spec: {duration: 10s}}\n"
	shellItem = "              - step: {name: x, identifier: x, type: ShellScript, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: \"true\"}}}}\n"
	failItem  = "              - step: {name: f, identifier: f, type: ShellScript, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: \"exit 3\"}}}}\n"
	slowItem  = "              - step: {name: l, identifier: l, type: ShellScript, timeout: 10s, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: \"sleep 5\"}}}}\n"
)

// TestTransitions compares the transitions that the engine counts by its tokens and
// routes with the states that the interpreter enters.
func TestTransitions(t *testing.T) {
	reject := func(in *inside, r view.Run) {
		for _, a := range r.Approvals {
			if a.Approval.Status == "WAITING" {
				_ = in.alice.Decide(in.t.Context(), a.ID, client.Decision{Action: client.Reject})
			}
		}
	}
	approve := func(in *inside, r view.Run) {
		for _, a := range r.Approvals {
			if a.Approval.Status == "WAITING" {
				_ = in.alice.Decide(in.t.Context(), a.ID, client.Decision{Action: client.Approve})
			}
		}
	}
	abort := func(in *inside, r view.Run) {
		if len(r.Approvals) > 0 {
			_, _ = in.admin.Abort(in.t.Context(), r.ID, "")
		}
	}
	intervene := func(in *inside, r view.Run) {
		if len(node(r, "x").Allowed) > 0 {
			_, _ = in.alice.Intervene(in.t.Context(), r.ID, "x", core.ActionIgnore)
		}
	}
	again := strategies(onFailure("AllErrors", "{type: Retry, spec: {retryCount: 2, retryIntervals: [10s], onRetryFailure: {action: {type: Ignore}}}}"))
	type test struct {
		yaml string
		do   func(*inside, view.Run)
		weak float64
	}
	tests := map[string]test{
		"steps":                    {yaml: onePipeline(shellItem)},
		"a failure":                {yaml: onePipeline(shellItem + failItem)},
		"a step's timeout":         {yaml: onePipeline(slowItem)},
		"a wait":                   {yaml: onePipeline(waitItem + shellItem)},
		"a wait at the end":        {yaml: onePipeline(shellItem + waitItem)},
		"an approval":              {onePipeline(shellItem + askItem), approve, 0},
		"a rejection":              {onePipeline(askItem + shellItem), reject, 0},
		"an approval that expires": {yaml: onePipeline(askItem)},
		"an abort in a hold":       {onePipeline(askItem), abort, 0},
		"functions invoked twice":  {onePipeline(shellItem + askItem), approve, 0.5},
		"conditions":               {yaml: stages(aStage("a", "", shellStep("x", "true", ""), shellStep("y", "true", ", when: {stageStatus: Failure}")), aStage("b", "when: {pipelineStatus: Failure}", shellStep("z", "true", "")))},
		"a retry":                  {yaml: stages(aStage("a", "", shellStep("x", "test $SLIPWAY_ATTEMPT -ge 3", ", "+again), shellStep("y", "true", "")))},
		"a retry at the end":       {yaml: stages(aStage("a", "", shellStep("x", "exit 1", ", "+again)))},
		"a rejection, asked again": {stages(aStage("a", again, strings.TrimPrefix(strings.TrimSpace(askItem), "- "))), reject, 0},
		"an intervention":          {stages(aStage("a", "", shellStep("x", "exit 1", ", "+askAPerson("1d", "Abort")), shellStep("y", "true", ""))), intervene, 0},
		"nobody intervenes":        {yaml: stages(aStage("a", "", shellStep("x", "exit 1", ", "+askAPerson("20s", "Abort")), shellStep("y", "true", "")))},
		"a retry, doubled":         {stages(aStage("a", "", shellStep("x", "test $SLIPWAY_ATTEMPT -ge 2", ", "+again))), nil, 0.5},
	}
	for name, tc := range rollbacks(filepath.Join(t.TempDir(), "effects")) {
		tests["rollback of "+name] = test{yaml: tc.yaml}
	}
	files, _ := filepath.Glob("../examples/*.yaml")
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		tests[filepath.Base(f)] = test{string(body), approve, 0}
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			seen := &entered{by: map[string]int64{}}
			cfg := platform.Config{Delegate: true, OnTransition: seen.note, Clock: clock.Fast(50, time.Now())}
			if tc.weak > 0 {
				cfg.Weak = &workflow.Weak{Seed: 1, Duplicate: tc.weak}
			}
			in := startInside(t, cfg)
			run := in.launch(tc.yaml, nil)
			in.until(run, func(r view.Run) bool {
				if tc.do != nil {
					tc.do(in, r)
				}
				return r.Ended
			})
			name := core.ExecutionName(run, "0", 1)
			in.until(run, func(view.Run) bool {
				e, err := in.Ports().Workflow.Describe(t.Context(), core.MachinePipeline, name)
				return err == nil && e.Status == core.ExecutionSucceeded
			})
			counted, err := in.Journal().Transitions(t.Context(), core.DefaultAccount, run, true)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range in.chainsOf(in.until(run, ended)) { // theirs are counted with them
				more, err := in.Journal().Transitions(t.Context(), core.DefaultAccount, c.ID, true)
				if err != nil {
					t.Fatal(err)
				}
				for machine, n := range more {
					counted[machine] += n
				}
			}
			if counted[core.MachineBranch] == 0 {
				delete(counted, core.MachineBranch)
			}
			if want := seen.sums(); !maps.Equal(counted, want) {
				t.Errorf("counted %v, the machines entered %v:\n%v", counted, want, seen.at)
			}
		})
	}
}
