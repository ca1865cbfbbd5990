package e2e

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/replay"
	"github.com/slipway-cd/slipway/shared/view"
)

var update = flag.Bool("update", false, "record the runs anew that package replay holds the engine to")

// recorded is a kind of run that package replay keeps a recording of.
type recorded struct {
	yaml    string
	drive   func(in *inside, run string) // until it ends; nil: nobody does anything
	outside bool                         // no delegate
	edge    int                          // events of an execution's history, 0 for as many as there may be
	child   string                       // the pipeline child, which a stage runs
	inner   bool                         // it is the run of that which is recorded
}

const approvalItem = `step: {name: ask, identifier: ask, type: HarnessApproval, timeout: %s, spec: {approvalMessage: ok?, includePipelineExecutionHistory: true, approvers: {userGroups: [approvers], minimumCount: 1, disallowPipelineExecutor: false}}}`

// decides answers every approval of a run.
func decides(action string) func(*inside, string) {
	return func(in *inside, run string) {
		r := in.until(run, func(r view.Run) bool { return len(r.Approvals) > 0 })
		_ = in.alice.Decide(in.t.Context(), r.Approvals[0].ID, client.Decision{Action: action, Comments: "looked at it"})
	}
}

func intervenes(action core.ActionType) func(*inside, string) {
	return func(in *inside, run string) {
		in.until(run, func(r view.Run) bool { return r.Status == core.InterventionWaiting.API() })
		_, _ = in.alice.Intervene(in.t.Context(), run, "stages.only.steps.x", action)
	}
}

// kinds are all kinds of runs that there are recordings of, by file.
func kinds() map[string]recorded {
	rest := []string{shellStep("y", "true", ""), shellStep("z", "true", ", when: {stageStatus: Failure}")}
	fails := func(action string) recorded {
		return recorded{yaml: stages(aStage("only", "", append([]string{shellStep("x", "exit 1", ", "+strategies(onFailure("Unknown", action)))}, rest...)...))}
	}
	all := map[string]recorded{
		"linear": {yaml: stages(aStage("build", "", outputStep("made", 20), shellStep("test", "echo <+execution.steps.made.output.outputVariables.v>", "")),
			aStage("ship", "", shellStep("use", "echo <+pipeline.stages.build.spec.execution.steps.made.output.outputVariables.v>", "")))},
		"outputs by digest": {yaml: stages(aStage("build", "", outputStep("made", 3<<10), outputStep("large", 12<<10)),
			aStage("ship", "", shellStep("use", "echo <+pipeline.stages.build.spec.execution.steps.made.output.outputVariables.v> | wc -c", ""),
				shellStep("uselarge", "echo <+pipeline.stages.build.spec.execution.steps.large.output.outputVariables.v> | wc -c", "")))},
		"parallel steps": {yaml: oneStage("parallel:\n                  - "+shellStep("x", "true", "")+"\n                  - "+shellStep("y", "exit 1", ""), shellStep("z", "true", ""))},
		"parallel stages": {yaml: stages(beside(aStage("a", "", shellStep("x", "true", "")), aStage("b", "", shellStep("y", "true", ""))),
			aStage("c", "", shellStep("z", "true", "")))},
		"groups":              {yaml: stages(aStage("only", "", aGroup("g", "when: {stageStatus: All}", shellStep("x", "true", ""), shellStep("y", "true", "")), shellStep("z", "true", "")))},
		"approval approved":   {yaml: oneStage(fmt.Sprintf(approvalItem, "1d"), shellStep("x", "true", "")), drive: decides(client.Approve)},
		"approval rejected":   {yaml: oneStage(fmt.Sprintf(approvalItem, "1d"), shellStep("x", "true", "")), drive: decides(client.Reject)},
		"approval expired":    {yaml: oneStage(fmt.Sprintf(approvalItem, "10s"), shellStep("x", "true", ""))},
		"wait":                {yaml: oneStage("step: {name: w, identifier: w, type: Wait, spec: {duration: 10s}}")},
		"step timeout":        {yaml: oneStage(shellStep("x", "sleep 60", ", timeout: 10s"))},
		"stage timeout":       {yaml: stages(aStage("only", "timeout: 15s", shellStep("x", "sleep 60", "")))},
		"ignore":              fails("{type: Ignore}"),
		"mark as success":     fails("{type: MarkAsSuccess}"),
		"mark as failure":     fails("{type: MarkAsFailure}"),
		"abort by strategy":   fails("{type: Abort}"),
		"retry in vain":       fails("{type: Retry, spec: {retryCount: 2, retryIntervals: [10s], onRetryFailure: {action: {type: Ignore}}}}"),
		"no strategy":         {yaml: stages(aStage("only", strategies(onFailure("Timeout", "{type: Ignore}")), append([]string{shellStep("x", "exit 1", "")}, rest...)...))},
		"retry":               {yaml: stages(aStage("only", strategies(onFailure("AllErrors", "{type: Retry, spec: {retryCount: 2, retryIntervals: [10s], onRetryFailure: {action: {type: Abort}}}}")), shellStep("x", "test $SLIPWAY_ATTEMPT -ge 2", "")))},
		"intervention":        {yaml: stages(aStage("only", "", shellStep("x", "test $SLIPWAY_ATTEMPT -ge 2", ", "+askAPerson("1d", "Ignore")))), drive: intervenes(core.ActionRetry)},
		"nobody intervenes":   {yaml: stages(aStage("only", "", shellStep("x", "exit 1", ", "+askAPerson("20s", "Ignore"))))},
		"conditions":          {yaml: stages(aStage("a", "", shellStep("x", "exit 1", ""), shellStep("y", "true", ", when: {stageStatus: Failure, condition: <+pipeline.name> == 'test'}"), shellStep("z", "true", ", when: {stageStatus: All, condition: <+pipeline.name> == 'other'}")), aStage("b", "when: {pipelineStatus: Failure}", shellStep("q", "true", "")), aStage("c", "", shellStep("r", "true", "")))},
		"condition undecided": {yaml: stages(aStage("only", "", shellStep("x", "true", ", when: {stageStatus: All, condition: 1 + 1}")))},
		"abort": {yaml: oneStage("parallel:\n                  - " + shellStep("x", "sleep 300", "") + "\n                  - " + fmt.Sprintf(approvalItem, "1d")), drive: func(in *inside, run string) {
			in.until(run, func(r view.Run) bool { return node(r, "x").Delegate != "" && len(r.Approvals) == 1 })
			_, _ = in.admin.Abort(in.t.Context(), run, "enough")
		}},
		"pause": {yaml: oneStage(shellStep("x", "sleep 1", ""), shellStep("y", "true", "")), drive: func(in *inside, run string) {
			in.until(run, func(r view.Run) bool { return node(r, "x").Delegate != "" })
			_, _ = in.alice.Pause(in.t.Context(), run, "")
			in.until(run, reaches("y", "Paused"))
			_, _ = in.alice.Resume(in.t.Context(), run, "")
		}},
		"infrastructure": {yaml: "pipeline:\n  name: test\n  identifier: test\n  stages:\n  - stage:\n      name: a\n      identifier: a\n      type: Deployment\n      spec:\n        deploymentType: Kubernetes\n        service: {serviceRef: web}\n" +
			"        environment: {environmentRef: staging, infrastructureDefinitions: [{identifier: cluster}]}\n        execution: {steps: [{" + shellStep("x", "exit 1", "") + "}], rollbackSteps: [{" + shellStep("u", "true", "") + "}]}\n" +
			"      failureStrategies: [{onFailure: {errors: [AllErrors], action: {type: StageRollback}}}]\n"},
		"continued":       {yaml: stages(aStage("a", "", waits(3, "a", "/dev/null")...), aStage("b", "", shellStep("z", "true", ""))), edge: 30},
		"loop of a step":  {yaml: oneStage(shellStep("x", "v=<+repeat.item>; test <+repeat.item> != two", ", strategy: {repeat: {items: [one, two, three], maxConcurrency: 2}}"), shellStep("y", "true", ", when: {stageStatus: All}"))},
		"loop of a stage": {yaml: stages(aStage("a", "strategy: {matrix: {os: [linux, mac], maxConcurrency: 1}}", shellStep("x", "echo <+matrix.os>", "")), aStage("b", "", shellStep("y", "true", "")))},
		"delegate lost":   {yaml: oneStage(shellStep("x", "true", "")), outside: true, drive: func(in *inside, _ string) { in.hands("a").take(in.t) }},
		"no delegate":     {yaml: oneStage(shellStep("x", "true", "")), outside: true},
		"budget stop":     {yaml: withBudget("0.000001", "stop", shellItem+askItem)},
		"budget warning": {yaml: withBudget("0.000001", "warn", shellItem+askItem), drive: func(in *inside, run string) {
			in.until(run, func(r view.Run) bool { return len(r.Warnings) > 0 })
			decides(client.Approve)(in, run)
		}},
	}
	calls := stages(aStage("before", "", say("say", "'a word'")), aChain("call", chaining), aStage("after", "", shellStep("read", "echo '<+pipeline.stages.call.output.answer>'", "")))
	hears := childOf(aStage("inner", "", say("echo", "'heard <+pipeline.variables.word>'")))
	all["chain"] = recorded{yaml: calls, child: hears}
	all["chain, inner"] = recorded{yaml: calls, child: hears, inner: true}
	all["chain, tried again"] = recorded{child: childOf(aStage("inner", "", shellStep("x", "exit 1", ""))),
		yaml: stages(aChain("call", "        "+strategies(onFailure("AllErrors", "{type: Retry, spec: {retryCount: 1, retryIntervals: [10s], onRetryFailure: {action: {type: Ignore}}}}"))+"\n"))}
	all["chain, aborted"] = recorded{yaml: stages(aChain("call", "")), child: childOf(aStage("inner", "", shellStep("x", "sleep 300", ""))), drive: func(in *inside, run string) {
		in.until(run, func(r view.Run) bool { c := node(r, "call").Chained; return c != nil && c.Run != "" })
		_, _ = in.admin.Abort(in.t.Context(), run, "enough")
	}}
	for name, tc := range rollbacks("effects") {
		all["rollback, "+name] = recorded{yaml: tc.yaml}
	}
	return all
}

const recordings = "../shared/replay/testdata"

// TestRecord runs a pipeline of every kind and writes what happened where package
// replay reads it, when it is asked to: a recording is of its time, and holds later
// engines to it. Without -update it looks whether there is one of each kind.
func TestRecord(t *testing.T) {
	dir := filepath.Join(recordings, fmt.Sprintf("semantics%d", core.Semantics))
	if !*update {
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		var have, want []string
		for _, f := range files {
			have = append(have, strings.TrimSuffix(filepath.Base(f), ".json"))
		}
		for name := range kinds() {
			want = append(want, file(name))
		}
		slices.Sort(want)
		slices.Sort(have)
		if d := cmp.Diff(want, have); d != "" {
			t.Errorf("recordings that lack (-) or that nobody makes (+): go test ./e2e -run TestRecord/NAME -update\n%s", d)
		}
		return
	}
	for _, name := range slices.Sorted(maps.Keys(kinds())) {
		t.Run(file(name), func(t *testing.T) {
			k := kinds()[name]
			in := startInside(t, platform.Config{Delegate: !k.outside, HistoryEdge: k.edge, Clock: clock.Fast(20, time.Now()), MeterEach: strings.HasPrefix(name, "budget"), KillGrace: 100 * time.Millisecond})
			run := ""
			if k.child == "" {
				run = in.launch(k.yaml, nil)
			} else {
				run = in.launchChain(k.yaml, k.child, "")
			}
			if k.drive != nil {
				k.drive(in, run)
			}
			r := in.until(run, ended)
			if k.inner {
				r = in.chainsOf(r)[0]
			}
			rec, err := in.admin.Record(t.Context(), r.ID)
			if err == nil {
				err = rec.WriteStates()
			}
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, file(name)+".json"), rec)
			t.Log(r.Status, standings(r))
		})
	}
}

func file(name string) string { return strings.NewReplacer(" ", "-", ",", "").Replace(name) }

func write(t *testing.T, file string, rec *replay.Recording) {
	t.Helper()
	body, err := rec.Text()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = os.WriteFile(file, body, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
