package parity

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
)

// TestGenerate makes the same from the same seed, and what every seed makes has two
// features and compiles.
func TestGenerate(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(200) {
		c := Generate(seed)
		if diff := cmp.Diff(c, Generate(seed)); diff != "" {
			t.Fatalf("seed %d makes one thing and another: %s", seed, diff)
		}
		first := 0
		for _, f := range c.Has {
			seen[f]++
			if slices.Contains([]string{Parallel, Group, Approval, Wait, Failure, Timeout}, f) {
				first++
			}
			if !strings.Contains(c.YAML, map[string]string{Parallel: `"parallel"`, Group: `"stepGroup"`, Approval: `"HarnessApproval"`,
				Wait: `"Wait"`, Condition: `"when"`, Trouble: `"failureStrategies"`, Loop: `"strategy"`}[f]) {
				t.Errorf("%s says it has %s: %s", c.Name, f, c.YAML)
			}
		}
		if first < 2 {
			t.Errorf("%s has only %v", c.Name, c.Has)
		}
		for _, a := range core.ActionTypes {
			if strings.Contains(c.YAML, `"`+string(a)+`"`) {
				seen[string(a)]++
			}
		}
		_, diags := compile.Compile(compile.Source{File: c.Name, Data: []byte(c.YAML)}, compile.Options{Scope: core.Scope{Account: "a", Org: "o", Project: "p"}})
		if diags.Blocks() {
			t.Errorf("%s: %v", c.Name, diags)
		}
	}
	for _, f := range []string{Parallel, Group, Approval, Wait, Failure, Timeout, Condition, Trouble, Loop} {
		if seen[f] < 30 {
			t.Errorf("only %d of 200 have %s", seen[f], f)
		}
	}
	for _, a := range core.ActionTypes {
		unsupported := a == core.ActionPipelineRollback || a == core.ActionProceedDefault || a == core.ActionRetryStepGroup
		if !unsupported && seen[string(a)] < 5 {
			t.Errorf("only %d of 200 have the action %s", seen[string(a)], a)
		}
	}
}

// sample is a run of a stage with two branches and a person's answer.
func sample(run string, at int64) Log {
	finish := func(token, kind string, segment int) core.Command {
		return core.Command{Do: core.DoFinish, Token: token, Route: &core.Route{Kind: kind, Segment: segment, TimeoutSeconds: at / 1000}}
	}
	task := strings.Repeat("0", 16) + run[len(run)-8:]
	return Log{Run: run, URL: "http://" + run, Bus: []json.RawMessage{json.RawMessage(`{"run":"` + run + `","status":"SUCCEEDED","ended":` + "1}")},
		Tracks: map[string][]core.Event{"0.1": {
			{N: 1, At: at, Type: core.EventEntered, Entered: &core.Entered{Segment: 1, Token: run + "t1", At: at},
				Commands: []core.Command{{Do: core.DoQueue, Task: &core.QueuedTask{ID: task, Run: run, Track: "0.1", At: at}}}},
			{N: 2, At: at, Type: core.EventClaimed, Claimed: &core.Claimed{Task: task, Delegate: core.DelegateRef{ID: "d" + run[len(run)-8:], Name: "n", Boot: "b"}}},
			{N: 3, At: at, Type: core.EventCompleted, Completed: &core.Completed{Task: task, Fence: 2, Delegate: "d" + run[len(run)-8:], OK: true, Duration: at,
				Outputs: map[string]any{"outputVariables": map[string]any{"v": "1"}}},
				Commands: []core.Command{finish(run+"t1", "Branches", 2)}},
			{N: 4, At: at, Type: core.EventEntered, Entered: &core.Entered{Segment: 2, Token: run + "t2", At: at}},
			{N: 5, At: at, Type: core.EventChild, Source: "child:0.1.1", Child: &core.Child{Track: "0.1.1", Status: core.Succeeded, Started: at}},
			{N: 6, At: at, Type: core.EventChild, Source: "child:0.1.2", Child: &core.Child{Track: "0.1.2", Status: core.Succeeded, Started: at},
				Commands: []core.Command{finish(run+"t2", "Work", 3)}},
			{N: 7, At: at, Type: core.EventEntered, Entered: &core.Entered{Segment: 3, Token: run + "t3", At: at}, Commands: []core.Command{finish(run+"t3", "Approval", 4)}},
			{N: 8, At: at, Type: core.EventEntered, Entered: &core.Entered{Segment: 4, Token: run + "t4", At: at}},
			{N: 9, At: at, Type: core.EventDecided, Decided: &core.Decided{Approval: run + ".0.1.0123abcd", Action: "APPROVE", By: core.Actor{ID: "alice"}},
				Commands: []core.Command{finish(run+"t4", "Work", 5)}},
		}},
	}
}

// change edits a copy of the events of the sample's track.
func change(edit func(events []core.Event) []core.Event) Log {
	l := sample("01RUNB000000000000bbbbbbbb", 9_000_000)
	l.Tracks["0.1"] = edit(l.Tracks["0.1"])
	return l
}

// TestDiff sees every difference but those that runtimes may have.
func TestDiff(t *testing.T) {
	swap := func(i, j int) func([]core.Event) []core.Event {
		return func(e []core.Event) []core.Event {
			e[i], e[j] = e[j], e[i]
			return e
		}
	}
	late := func(entered, last int) func([]core.Event) []core.Event { // the machine arrives behind what it waits for
		return func(e []core.Event) []core.Event {
			e[entered].Commands, e[last].Commands = e[last].Commands, nil
			moved := e[entered]
			e = slices.Delete(e, entered, entered+1)
			return slices.Insert(e, last, moved)
		}
	}
	tests := map[string]struct {
		edit func([]core.Event) []core.Event
		same bool
	}{
		"ids, times, tokens and delegates": {func(e []core.Event) []core.Event { return e }, true},
		"children in another order": {func(e []core.Event) []core.Event {
			e[4].Child, e[5].Child = e[5].Child, e[4].Child
			e[4].Source, e[5].Source = e[5].Source, e[4].Source
			return e
		}, true},
		"a machine behind its children": {late(3, 5), true},
		"a machine behind its answer":   {late(7, 8), true},
		"a token of another segment":    {func(e []core.Event) []core.Event { e[5].Commands[0].Token = e[0].Entered.Token; return e }, false},
		"a status":                      {func(e []core.Event) []core.Event { e[4].Child.Status = core.Failed; return e }, false},
		"an output": {func(e []core.Event) []core.Event {
			e[2].Completed.Outputs = map[string]any{"outputVariables": map[string]any{"v": "2"}}
			return e
		}, false},
		"a fence":                 {func(e []core.Event) []core.Event { e[2].Completed.Fence = 1; return e }, false},
		"who answered":            {func(e []core.Event) []core.Event { e[8].Decided.By.ID = "bob"; return e }, false},
		"where a machine is sent": {func(e []core.Event) []core.Event { e[8].Commands[0].Route.Kind = "Leave"; return e }, false},
		"how long it holds":       {func(e []core.Event) []core.Event { e[6].Commands[0].Route.TimeoutSeconds++; return e }, false},
		"a command less":          {func(e []core.Event) []core.Event { e[0].Commands = nil; return e }, false},
		"a command twice":         {func(e []core.Event) []core.Event { e[5].Commands = append(e[5].Commands, e[5].Commands...); return e }, false},
		"an event less":           {func(e []core.Event) []core.Event { return e[:8] }, false},
		"an event twice":          {func(e []core.Event) []core.Event { return append(e, e[8]) }, false},
		"a claim behind the end":  {swap(1, 2), false},
		"another delegate's end":  {func(e []core.Event) []core.Event { e[2].Completed.Delegate = "x"; return e }, false},
		"a fact": {func(e []core.Event) []core.Event {
			e[6].Facts = map[string]core.Fact{"node:x": {Found: true}}
			return e
		}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := sample("01RUNA000000000000aaaaaaaa", 9_000_000)
			if diff := Diff(a, change(tc.edit)); (diff == "") != tc.same {
				t.Errorf("same is %v, want %v:\n%s", diff == "", tc.same, diff)
			}
		})
	}
	t.Run("the bus", func(t *testing.T) {
		a, b := sample("01RUNA000000000000aaaaaaaa", 9_000_000), change(func(e []core.Event) []core.Event { return e })
		b.Bus = append(b.Bus, b.Bus[0]) // at least once
		if diff := Diff(a, b); diff != "" {
			t.Error(diff)
		}
		if b.Bus = []json.RawMessage{json.RawMessage(`{"status":"FAILED"}`)}; Diff(a, b) == "" {
			t.Error("another end on the bus is not seen")
		}
	})
}
