package e2e

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
	"github.com/slipway-cd/slipway/statemachines"
)

// waitsYAML has what crashYAML has not: a key to wait for, a barrier, a group that is tried
// again, a value that is asked for, in a branch, and a person about a failure. One script
// runs at a time.
func waitsYAML(effects string) string {
	leave := func(id, when, more string) string {
		return shellStep(id, when+"echo "+id+" >> "+effects, more)
	}
	const second = "test $SLIPWAY_ATTEMPT -ge 2 && "
	barrier := func(id string) string {
		return "step: {name: " + id + ", identifier: " + id + ", type: Barrier, timeout: 1h, spec: {barrierRef: k}}"
	}
	asks := strings.Replace(leave("i", "echo $V; ", ""), "spec: {", "spec: {environmentVariables: [{name: V, type: String, value: <+input>.executionInput()}], ", 1)
	yaml := stages(
		beside(
			aStage("a", "", queueStep("q", "crash", "Stage", ""), aGroup("g", strategies(onFailure("Unknown", again)), leave("x", second, "")), barrier("m")),
			aStage("b", "", barrier("n"), leave("v", second, ", "+strategies(onFailure("Unknown", "{type: ManualIntervention, spec: {timeout: 1d, onTimeout: {action: {type: Abort}}}}"))))),
		aStage("c", "", "parallel:\n                  - "+asks+"\n                  - "+queueStep("r", "crash", "Pipeline", "")))
	return strings.Replace(yaml, "  stages:\n", "  flowControl: {barriers: [{name: K, identifier: k}]}\n  stages:\n", 1)
}

// respond gives what a run waits for: values, and another try.
func respond(t *testing.T, c *client.Client, r view.Run) {
	for _, n := range r.Nodes {
		if len(n.Asks) > 0 {
			_, _ = c.Give(t.Context(), r.ID, n.FQN, map[string]string{"V": "given"})
		}
		if slices.Contains(n.Allowed, core.ActionRetry) {
			_, _ = c.Intervene(t.Context(), r.ID, n.FQN, core.ActionRetry)
		}
	}
}

// awaitPoints are the states in which machines wait for somebody, as "machine state".
func awaitPoints(t *testing.T) (all []string) {
	for machine, text := range statemachines.Definitions() {
		var def struct {
			States map[string]struct{ Resource string }
		}
		if err := json.Unmarshal(text, &def); err != nil {
			t.Fatal(err)
		}
		for name, s := range def.States {
			if strings.HasSuffix(s.Resource, ".waitForTaskToken") {
				all = append(all, machine+" "+name)
			}
		}
	}
	slices.Sort(all)
	return all
}

// constants are the values of a string type's constants in package core.
func constants(t *testing.T, typ string) (all []string) {
	files, err := filepath.Glob("../shared/core/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				if of, ok := v.Type.(*ast.Ident); ok && of.Name == typ {
					all = append(all, strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`))
				}
			}
			return true
		})
	}
	slices.Sort(all)
	return all
}

// elsewhere are awaited by the crash suite nowhere, and held by other tests.
var elsewhere = map[string]bool{
	"state Watch": true,                      // nothing waits there yet
	"state Pause": true, "event pause": true, // people pause in TestPause, on weak adapters
	"event stop": true, "command unqueue": true, // an abort: TestAbort and its like
	"event recovered": true, "event warned": true, // kills bring the first; budgets the second
	"command deployed": true, // TestInfrastructureLock
}

// TestAwaitPoints holds that the runs which the crash suite interrupts at every call wait
// at everything there is to wait at: states of the machines, events and commands, as the
// code lists them.
func TestAwaitPoints(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true, Clock: clock.Fast(50, time.Now())})
	file := filepath.Join(t.TempDir(), "effects")
	passed := map[string]bool{}
	note := func(run string) {
		rec, err := in.admin.Record(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		machine := map[string]string{"0": core.MachinePipeline}
		for _, track := range slices.SortedFunc(maps.Keys(rec.Tracks), func(a, b string) int { return len(a) - len(b) }) {
			if machine[track] == "" { // the pipeline's machine runs it
				machine[track] = core.MachineStage
			}
			for _, s := range rec.Tracks[track] {
				passed["event "+string(s.Event.Type)] = true
				for _, c := range s.Event.Commands {
					passed["command "+string(c.Do)] = true
					switch {
					case c.Do == core.DoStart:
						machine[c.Track] = c.Machine
						passed[c.Machine+" "+c.Route.Kind] = true
					case c.Do == core.DoFinish:
						passed[machine[track]+" "+c.Route.Kind] = true
					}
				}
			}
		}
	}
	for name, yaml := range map[string]string{"crash": crashYAML(file), "waits": waitsYAML(file)} {
		r := in.until(in.launch(yaml, nil), func(r view.Run) bool {
			for _, a := range r.Approvals {
				_ = in.alice.Decide(t.Context(), a.ID, client.Decision{Action: client.Approve})
			}
			respond(t, in.admin, r)
			return r.Ended
		})
		if r.Status != "Success" {
			t.Fatalf("%s: %s", name, show(r))
		}
		note(r.ID)
	}
	chained := in.until(in.launchChain(stages(aChain("call", "")), childOf(aStage("inner", "", shellStep("a", "true", ""))), ""), ended)
	note(chained.ID)

	states, waited, pairs := map[string]bool{}, map[string]bool{}, 0
	all := awaitPoints(t)
	for _, p := range all {
		_, state, _ := strings.Cut(p, " ")
		states["state "+state] = true
		if passed[p] {
			waited["state "+state] = true
			pairs++
		}
	}
	t.Logf("%d of %d states that wait, in all machines", pairs, len(all))
	report := func(what string, list []string, covered map[string]bool) {
		n := 0
		for _, p := range list {
			if covered[p] {
				n++
			} else if !elsewhere[p] {
				t.Errorf("no run of the crash suite comes to %s: add it to one, or say what holds it", p)
			}
		}
		t.Logf("%d of %d %s", n, len(list), what)
	}
	report("kinds of states", slices.Sorted(maps.Keys(states)), waited)
	for what, typ := range map[string]string{"event": "EventType", "command": "CommandKind"} {
		var list []string
		for _, c := range constants(t, typ) {
			list = append(list, fmt.Sprintf("%s %s", what, c))
		}
		if len(list) < 8 {
			t.Errorf("only %d constants of %s were found", len(list), typ)
		}
		report(what+"s", list, passed)
	}
}
