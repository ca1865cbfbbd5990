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

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/localstack/embedded/weak"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// waits are steps of ten seconds, each with an effect behind it.
func waits(n int, prefix, effects string) (list []string) {
	for i := range n {
		id := fmt.Sprint(prefix, i)
		list = append(list, fmt.Sprintf(`step: {name: w%[1]s, identifier: w%[1]s, type: Wait, spec: {duration: 10s}}`, id), shellStep(id, "echo "+id+" >> "+effects, ""))
	}
	return list
}

// TestContinued runs a long stage, long parallel stages and many tries with executions
// that may have 60 events each: they go on as others,
// and every step runs once. On weak adapters too.
func TestContinued(t *testing.T) {
	for name, seed := range map[string]uint64{"well": 0, "weak": weak.Seed(t)} {
		t.Run(name, func(t *testing.T) {
			effects := filepath.Join(t.TempDir(), "effects")
			seen := &entered{by: map[string]int64{}}
			cfg := platform.Config{Delegate: true, HistoryEdge: 60, Clock: clock.Fast(100, time.Now()), OnTransition: seen.note}
			if seed != 0 {
				cfg.Clock, cfg.Weak = clock.Fast(50, time.Now()), &workflow.Weak{Seed: seed, Duplicate: 0.3, Delay: 2 * time.Second}
				cfg.Wrap = func(p core.Ports) core.Ports {
					p.Store, p.Bus = weak.Store(p.Store, weak.Usual(seed)), weak.Bus(p.Bus, weak.Usual(seed))
					return p
				}
			}
			in := startInside(t, cfg)
			again := strategies(onFailure("AllErrors", "{type: Retry, spec: {retryCount: 9, retryIntervals: [10s], onRetryFailure: {action: {type: Abort}}}}"))
			var short []string
			for i := range 12 {
				short = append(short, aStage(fmt.Sprint("s", i), "", shellStep(fmt.Sprint("y", i), "echo y >> "+effects, "")))
			}
			run := in.launchWeak(stages(slices.Concat([]string{
				aStage("a", "", waits(7, "a", effects)...),
				beside(aStage("b", "", waits(6, "b", effects)...), aStage("c", "", waits(6, "c", effects)...)),
				aStage("d", "", shellStep("x", "test $SLIPWAY_ATTEMPT -ge 9", ", "+again), shellStep("z", "echo z >> "+effects, "")),
			}, short)...))
			r := in.until(run, ended)
			if r.Status != "Success" {
				t.Error(show(r))
			}
			body, err := os.ReadFile(effects)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := len(strings.Fields(string(body))), 7+6+6+1+12; got != want {
				t.Errorf("%d effects, want %d:\n%s", got, want, body)
			}
			in.foldsAgain(t, r)
			in.historiesEnd(t, run)
			if seed == 0 {
				in.countedAll(t, run, seen)
			}
		})
	}
}

// historiesEnd checks that executions have gone on as others, and that all have ended
// well.
func (in *inside) historiesEnd(t *testing.T, run string) {
	t.Helper()
	_, tracks, err := in.Journal().Whole(t.Context(), acct, run)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"0", "0.1", "0.2", "0.3", "0.4"} {
		x := tracks[id].Execution
		if x == nil || x.Continued == 0 {
			t.Errorf("track %s never went on elsewhere", id)
			continue
		}
		machine := core.MachineStage
		if id == "0" {
			machine = core.MachinePipeline
		}
		for k := range x.Continued + 1 {
			name := core.ExecutionID{Round: tracks[id].Round, Generation: x.Generation, Continued: k}.Name(run, id)
			in.until(run, func(view.Run) bool {
				e, err := in.Ports().Workflow.Describe(t.Context(), machine, name)
				return err == nil && e.Status == core.ExecutionSucceeded
			})
		}
	}
}

// countedAll compares how many states the engine has counted with how many the machines
// have entered, in sum: the pipeline's machine is not told of what goes on elsewhere.
func (in *inside) countedAll(t *testing.T, run string, seen *entered) {
	t.Helper()
	counted, err := in.Journal().Transitions(t.Context(), acct, run, true)
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for n := range maps.Values(counted) {
		sum += n
	}
	if sum != seen.sum() {
		t.Errorf("counted %v, entered %v", counted, seen.sums())
	}
}
