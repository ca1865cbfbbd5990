package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/localstack/embedded/weak"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// untilThere is a step that ends once there is such a file.
func untilThere(id, file string) string {
	return shellStep(id, "while [ ! -e "+file+" ]; do sleep 0.02; done", ", timeout: 1d")
}

// TestPause pauses a run while a step runs: that ends, nothing else begins and no machine
// moves, however long; what is approved is kept. Then it goes on.
func TestPause(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there")
	seen := &entered{by: map[string]int64{}}
	in := startInside(t, platform.Config{Delegate: true, OnTransition: seen.note, Clock: clock.Fast(200, time.Now())})
	yaml := stages(beside(aStage("a", "", untilThere("x", there), shellStep("y", "true", "")), aStage("b", "", askStep, shellStep("z", "true", ""))),
		aStage("c", "", shellStep("q", "true", "")))
	run := in.launch(yaml, nil)
	in.until(run, func(r view.Run) bool { return node(r, "x").Delegate != "" && stands(r, "ask") == "ApprovalWaiting" })
	out, err := in.alice.Pause(t.Context(), run, "")
	if err != nil || !out.Accepted {
		t.Fatal(out, err)
	}
	if out, err = in.alice.Pause(t.Context(), run, ""); err != nil || out.Accepted {
		t.Error(out, err)
	}
	r := in.until(run, func(r view.Run) bool { return r.Status == "Pausing" })
	if len(r.Paused) != 1 || r.Paused[0].By.ID != "alice" {
		t.Errorf("%+v", r.Paused)
	}
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	in.until(run, func(r view.Run) bool { return r.Status == "Paused" && stands(r, "y") == "Paused" })
	in.finishApprovals(run)
	in.until(run, func(r view.Run) bool { return stands(r, "z") == "Paused" })
	for before := int64(-1); before != seen.sum(); wait(50 * time.Millisecond) { // until the machines are there
		before = seen.sum()
	}
	before := seen.sum()
	for until := in.Ports().Clock.Now().Add(10 * time.Minute); in.Ports().Clock.Now().Before(until); wait(20 * time.Millisecond) {
	}
	if after := seen.sum(); after != before {
		t.Errorf("%d states were entered within ten minutes of being paused: %v", after-before, seen.at[before:])
	}
	if _, err := in.alice.Resume(t.Context(), run, "stages.a"); err == nil || !strings.Contains(err.Error(), "paused with its run") {
		t.Error(err)
	}
	if out, err = in.alice.Resume(t.Context(), run, ""); err != nil || !out.Accepted {
		t.Fatal(out, err)
	}
	r = in.until(run, ended)
	if r.Status != "Success" || len(r.Paused) > 0 {
		t.Error(show(r))
	}
	in.foldsAgain(t, r)
	in.until(run, func(view.Run) bool {
		e, err := in.Ports().Workflow.Describe(t.Context(), core.MachinePipeline, core.ExecutionName(run, "0", 1))
		return err == nil && e.Status == core.ExecutionSucceeded
	})
	counted, err := in.Journal().Transitions(t.Context(), acct, run, true)
	delete(counted, core.MachineBranch)
	if err != nil || !maps.Equal(counted, seen.sums()) {
		t.Errorf("counted %v, entered %v, %v", counted, seen.sums(), err)
	}
}

// launchWeak starts a run where a call may fail: its key makes it safe to repeat.
func (in *inside) launchWeak(yaml string) string {
	in.t.Helper()
	for {
		if out, err := in.admin.Launch(in.t.Context(), client.Launch{YAML: yaml, File: "test.yaml", Key: in.t.Name()}); err == nil {
			return out.Run
		}
		wait(time.Millisecond)
	}
}

func (e *entered) sum() (n int64) {
	for _, m := range e.sums() {
		n += m
	}
	return n
}

// finishApprovals has alice approve what waits.
func (in *inside) finishApprovals(run string) {
	in.t.Helper()
	all, err := in.admin.Approvals(in.t.Context(), run)
	if err != nil || len(all) == 0 {
		in.t.Fatal(all, err)
	}
	for _, a := range all {
		if err := in.alice.Decide(in.t.Context(), a.ID, client.Decision{Action: client.Approve}); err != nil {
			in.t.Fatal(err)
		}
	}
}

// TestPausedOverRestart pauses a stage, ends the platform, and resumes it on the next;
// then the same between two stages, and an abort.
func TestPausedOverRestart(t *testing.T) {
	dir, there := t.TempDir(), filepath.Join(t.TempDir(), "there")
	run := ""
	for i, do := range []func(in *inside){
		func(in *inside) {
			run = in.launch(stages(aStage("a", "", untilThere("x", there), shellStep("y", "true", "")), aStage("b", "", shellStep("z", "true", ""))), nil)
			in.until(run, func(r view.Run) bool { return node(r, "x").Delegate != "" })
			in.paused(run, "a")
			_ = os.WriteFile(there, nil, 0o600)
			in.until(run, reaches("y", "Paused"))
		},
		func(in *inside) {
			r := in.until(run, reaches("y", "Paused"))
			if r.Status != "Paused" || stands(r, "a") != "Paused" || stands(r, "b") != "NotStarted" {
				t.Error(show(r))
			}
			in.paused(run, "")
			if _, err := in.admin.Resume(t.Context(), run, "a"); err != nil {
				t.Fatal(err)
			}
			if r = in.until(run, reaches("y", "Paused")); stands(r, "a") != "Paused" {
				t.Error(show(r))
			}
			if _, err := in.admin.Abort(t.Context(), run, ""); err != nil {
				t.Fatal(err)
			}
			if r := in.until(run, ended); r.Status != "Aborted" || stands(r, "y") != "NotStarted" {
				t.Error(show(r))
			}
		},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			in := startInside(t, platform.Config{Delegate: true, Dir: dir})
			do(in)
		})
	}
}

func (in *inside) paused(run, stage string) {
	in.t.Helper()
	if out, err := in.admin.Pause(in.t.Context(), run, stage); err != nil || !out.Accepted {
		in.t.Fatal(out, err)
	}
}

// TestPauseChain pauses a run whose stage runs another pipeline: that is paused with it.
func TestPauseChain(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there")
	in := startInside(t, platform.Config{Delegate: true})
	run := in.launchChain(stages(aChain("call", "")), childOf(aStage("inner", "", untilThere("x", there), shellStep("y", "true", ""))), "")
	r := in.until(run, func(r view.Run) bool { return node(r, "call").Chained != nil })
	child := node(r, "call").Chained.Run
	in.until(child, func(r view.Run) bool { return node(r, "x").Delegate != "" })
	in.paused(run, "")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	in.until(child, reaches("y", "Paused"))
	if _, err := in.admin.Resume(t.Context(), child, ""); err == nil || !strings.Contains(err.Error(), "paused with its run") {
		t.Error(err)
	}
	if _, err := in.admin.Resume(t.Context(), run, ""); err != nil {
		t.Fatal(err)
	}
	if r = in.until(run, ended); r.Status != "Success" {
		t.Error(show(r))
	}
}

// TestWeakPause pauses and resumes runs at random moments while the adapters do all that
// their contracts allow: each step is run once, and each run ends.
func TestWeakPause(t *testing.T) {
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			seed := weak.Seed(t)
			effects := filepath.Join(t.TempDir(), "effects")
			in := startInside(t, platform.Config{Delegate: true, Clock: clock.Fast(20, time.Now()),
				Weak: &workflow.Weak{Seed: seed, Duplicate: 0.3, Delay: 2 * time.Second}, Wrap: func(p core.Ports) core.Ports {
					p.Store, p.Bus = weak.Store(p.Store, weak.Usual(seed)), weak.Bus(p.Bus, weak.Usual(seed))
					return p
				}})
			effect := func(id string) string { return shellStep(id, "echo "+id+" >> "+effects, "") }
			run := in.launchWeak(stages(aStage("a", "", effect("x"), "parallel:\n                  - "+effect("p")+"\n                  - "+effect("q"), effect("y")),
				aStage("b", "", effect("z"), shellStep("l", "echo l >> "+effects, ", strategy: {repeat: {times: 3, maxConcurrency: 1}}"))))
			for k := range 12 {
				pause := in.admin.Pause
				if k%2 == 1 {
					pause = in.admin.Resume
				}
				stage := []string{"", "a", "", "b"}[k/2%4]
				_, _ = pause(t.Context(), run, stage) // it may be refused, or fail
				wait(20 * time.Millisecond)
			}
			r := in.until(run, func(r view.Run) bool {
				for _, p := range r.Paused {
					_, _ = in.admin.Resume(t.Context(), run, p.Node)
				}
				return r.Ended
			})
			if r.Status != "Success" {
				t.Error(show(r))
			}
			body, err := os.ReadFile(effects)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Fields(string(body))
			slices.Sort(got)
			if want := "l l l p q x y z"; strings.Join(got, " ") != want {
				t.Errorf("ran %v, want %s", got, want)
			}
			in.foldsAgain(t, r)
		})
	}
}
