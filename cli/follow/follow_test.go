package follow_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/follow"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/view"
	"github.com/slipway-cd/slipway/shared/wire"
)

// source is a run as a test sets it. Logs are in pages of two lines.
type source struct {
	run   view.Run
	lines map[string][]string // by task
	fail  map[string]error    // by task, once
}

func (s *source) Run(context.Context, string) (view.Run, error) { return s.run, nil }

func (s *source) Logs(_ context.Context, _, task string, after int) (client.Logs, error) {
	if err := s.fail[task]; err != nil {
		delete(s.fail, task)
		return client.Logs{}, err
	}
	page := client.Logs{Next: after}
	for _, text := range s.lines[task][after:min(after+2, len(s.lines[task]))] {
		page.Lines = append(page.Lines, wire.LogLine{Text: text})
		page.Next++
	}
	return page, nil
}

func (s *source) set(fqn string, started, finished int64) {
	for i := range s.run.Nodes {
		if n := &s.run.Nodes[i]; n.FQN == fqn {
			n.Started, n.Finished = started, finished
		}
	}
}

// poll asks once and spells what happened.
func poll(t *testing.T, f *follow.Follower) ([]string, error) {
	t.Helper()
	var got []string
	_, err := f.Poll(t.Context(), func(e follow.Event) {
		text := string(e.Kind) + " " + e.Node.FQN
		switch e.Kind {
		case follow.Logged:
			text += ": " + e.Line.Text
		case follow.Asked:
			text += ": " + e.Approval.ID
		case follow.Started, follow.Ended, follow.Failed:
		}
		got = append(got, text)
	})
	return got, err
}

func expect(t *testing.T, f *follow.Follower, want ...string) {
	t.Helper()
	got, err := poll(t, f)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("events (-want +got):\n%s", diff)
	}
}

func serial() *source {
	return &source{
		run: view.Run{Nodes: []view.Node{
			{FQN: "s", Parent: "pipeline", Kind: core.KindStage},
			{FQN: "s.a", Parent: "s", Kind: core.KindStep, Task: "ta"},
			{FQN: "s.b", Parent: "s", Kind: core.KindStep, Task: "tb"},
		}},
		lines: map[string][]string{},
		fail:  map[string]error{},
	}
}

func TestLive(t *testing.T) {
	s := serial()
	f := follow.New(s, "R")
	expect(t, f)
	s.set("s", 10, 0)
	s.set("s.a", 10, 0)
	s.lines["ta"] = []string{"1"}
	expect(t, f, "start s", "start s.a", "log s.a: 1")
	expect(t, f)
	s.lines["ta"] = []string{"1", "2", "3", "4", "5"}
	expect(t, f, "log s.a: 2", "log s.a: 3")
	s.set("s.a", 10, 20)
	s.set("s.b", 20, 0)
	expect(t, f, "log s.a: 4", "log s.a: 5", "end s.a", "start s.b")
	s.set("s.b", 20, 30)
	s.set("s", 10, 30)
	expect(t, f, "end s.b", "end s")
	expect(t, f)
}

func TestEverythingBetweenTwoPolls(t *testing.T) {
	s := serial()
	s.set("s", 10, 10)
	s.set("s.a", 10, 10)
	s.set("s.b", 10, 10)
	s.lines["ta"], s.lines["tb"] = []string{"a1", "a2", "a3"}, []string{"b1"}
	expect(t, follow.New(s, "R"),
		"start s", "start s.a", "log s.a: a1", "log s.a: a2", "log s.a: a3", "end s.a", "start s.b", "log s.b: b1", "end s.b", "end s")
}

func TestParallel(t *testing.T) {
	s := &source{run: view.Run{Nodes: []view.Node{
		{FQN: "s", Parent: "pipeline", Kind: core.KindStage, Started: 1},
		{FQN: "s#0", Parent: "s", Kind: core.KindParallel, Started: 1, Finished: 9},
		{FQN: "s.slow", Parent: "s#0", Kind: core.KindStep, Started: 1, Finished: 8},
		{FQN: "s.fast", Parent: "s#0", Kind: core.KindStep, Started: 2, Finished: 3},
	}}}
	expect(t, follow.New(s, "R"), "start s", "start s.slow", "start s.fast", "end s.fast", "end s.slow")
}

func TestErrorLosesNothing(t *testing.T) {
	s := serial()
	s.set("s", 10, 0)
	s.set("s.a", 10, 20)
	s.lines["ta"] = []string{"1"}
	s.fail["ta"] = errors.New("gone for a moment")
	f := follow.New(s, "R")
	got, err := poll(t, f)
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff([]string{"start s", "start s.a"}, got); diff != "" {
		t.Fatalf("events before the error (-want +got):\n%s", diff)
	}
	expect(t, f, "log s.a: 1", "end s.a")
}

func TestApprovalIsAskedOnce(t *testing.T) {
	s := serial()
	s.set("s", 10, 0)
	s.set("s.a", 10, 0)
	s.run.Approvals = []view.Approval{
		{ID: "A", Node: "s.a", Approval: engine.Approval{Status: "WAITING"}},
		{ID: "B", Node: "s.b", Approval: engine.Approval{Status: "APPROVED"}},
	}
	f := follow.New(s, "R")
	expect(t, f, "start s", "start s.a", "approval s.a: A")
	expect(t, f)
}

// sources are runs by id.
type sources map[string]*source

func (s sources) Run(_ context.Context, id string) (view.Run, error) {
	if s[id] == nil {
		return view.Run{}, fault.New(fault.NotFound, "no run %s", id)
	}
	return s[id].run, nil
}

func (s sources) Logs(ctx context.Context, run, task string, after int) (client.Logs, error) {
	return s[run].Logs(ctx, run, task, after)
}

// TestChain tells what happens in the runs that a stage starts, each try's within it.
func TestChain(t *testing.T) {
	outer, inner := serial(), serial()
	all := sources{"R": outer}
	f := follow.New(all, "R")
	outer.set("s", 1, 0)
	outer.run.Nodes[0].Chained = &view.Chained{Run: "C"}
	expect(t, f, "start s") // its run is about to begin
	inner.set("s", 2, 0)
	all["C"] = inner
	expect(t, f, "start s")
	inner.set("s", 2, 3)
	inner.run.Ended = true
	outer.run.Nodes[0].Earlier, outer.run.Nodes[0].Chained = []engine.Attempt{{Chained: "C"}}, &view.Chained{Run: "D"}
	again := serial()
	again.set("s", 4, 5)
	again.run.Ended = true
	all["D"] = again
	outer.set("s", 1, 6)
	expect(t, f, "end s", "start s", "end s", "end s")
	expect(t, f)
}
