package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/slipway-cd/slipway/e2e/noop"
	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// syncTime is the median time of making one 4 KB page durable.
func syncTime(dir string) time.Duration {
	f, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	page := make([]byte, 4096)
	var each []time.Duration
	for i := range 200 {
		_, _ = f.WriteAt(page, int64(i)*4096)
		begin := time.Now()
		_ = f.Sync()
		each = append(each, time.Since(begin))
	}
	slices.Sort(each)
	return each[len(each)/2].Round(time.Microsecond)
}

// decisions measures the pure engine: a completion that leads to the next step.
func decisions() {
	p, diags := compile.Compile(compile.Source{File: "bench.yaml", Data: []byte(noop.Pipeline(1, 2))}, compile.Options{})
	if p == nil {
		fmt.Println(diags)
		return
	}
	r := engine.NewRun(core.Launch{Run: "R", Plan: p})
	t := &engine.Track{ID: "0.1"}
	for _, ev := range []core.Event{
		{Type: core.EventEntered, Entered: &core.Entered{Segment: 1, Token: "t"}},
		{Type: core.EventClaimed, Claimed: &core.Claimed{Delegate: core.DelegateRef{ID: "d"}}},
	} {
		ev.N = t.N + 1
		if ev.Claimed != nil {
			ev.Claimed.Task = t.Task.ID
		}
		res, err := engine.Apply(r, t, ev, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		t = res.Track
	}
	const n = 20_000
	ev := core.Event{N: t.N + 1, Type: core.EventCompleted, Completed: &core.Completed{Task: t.Task.ID, Fence: t.Task.Fence, Delegate: "d", OK: true, More: true}}
	begin := time.Now()
	for range n {
		if _, err := engine.Apply(r, t, ev, nil); err != nil {
			fmt.Println(err)
			return
		}
	}
	row("a decision (complete → next step)", "mean", (time.Since(begin) / n).String(), "")
}
