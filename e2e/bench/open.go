package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/launch"
)

const openRuns = 10_000

// opened is what many runs that were open at once have cost.
type opened struct {
	ended     map[core.Status]int
	start     time.Duration   // until all were open
	decisions []time.Duration // of people, while the others were open; sorted
	memory    uint64          // bytes of heap for all that were open
}

// holding is a pipeline that waits for a person between two steps.
const holding = `pipeline:
  name: open
  identifier: open
  stages:
    - stage:
        name: s
        identifier: s
        type: Custom
        spec:
          execution:
            steps:
              - step: {name: a, identifier: a, type: ShellScript, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: "true"}}}}
              - step: {name: ask, identifier: ask, type: HarnessApproval, timeout: 1d, spec: {approvalMessage: Go?, includePipelineExecutionHistory: false,
                  approvers: {userGroups: [approvers], minimumCount: 1, disallowPipelineExecutor: false}}}
              - step: {name: b, identifier: b, type: ShellScript, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: "true"}}}}
`

// open has n runs wait for a person at once, answers all of them and sees them end.
func open(ctx context.Context, dir string, n int) (o opened, err error) {
	w, err := start(ctx, dir)
	if err != nil {
		return o, err
	}
	defer func() { err = cmp.Or(err, w.Close(ctx)) }()
	before := heap()
	begin := time.Now()
	runs := make([]string, n)
	err = each(n, func(i int) error {
		s, err := w.Launch().Start(ctx, launch.Request{Account: core.DefaultAccount, Trigger: "MANUAL", By: core.Actor{ID: "bench"},
			Source: compile.Source{File: "open.yaml", Data: []byte(holding)}})
		runs[i] = s.Run
		return err
	})
	if err != nil {
		return o, err
	}
	asked := make([]core.Decided, n)
	err = each(n, func(i int) (err error) { asked[i], err = w.asked(ctx, runs[i]); return err })
	if err != nil {
		return o, err
	}
	o.start, o.memory = time.Since(begin), heap()-before
	o.decisions = make([]time.Duration, n)
	err = each(n, func(i int) error {
		at := time.Now()
		_, err := w.Journal().Apply(ctx, stage(runs[i]), core.Event{Type: core.EventDecided, Actor: "alice", Decided: &asked[i]})
		o.decisions[i] = time.Since(at)
		return err
	})
	if err != nil {
		return o, err
	}
	slices.Sort(o.decisions)
	o.ended = map[core.Status]int{}
	for _, run := range runs {
		w.wait(run)
		_, t, err := w.Journal().Load(ctx, journal.Ref{Account: core.DefaultAccount, Run: run, Track: "0"})
		if err != nil {
			return o, err
		}
		o.ended[t.Status]++
	}
	return o, nil
}

func stage(run string) journal.Ref {
	return journal.Ref{Account: core.DefaultAccount, Run: run, Track: "0.1"}
}

// asked waits until a run waits for a person, and is that person's yes.
func (w *world) asked(ctx context.Context, run string) (core.Decided, error) {
	for range time.Tick(10 * time.Millisecond) {
		_, t, err := w.Journal().Load(ctx, stage(run))
		if err != nil {
			return core.Decided{}, err
		}
		if t.Status.Terminal() {
			return core.Decided{}, fmt.Errorf("run %s ended %s before it asked", run, t.Status)
		}
		if h := t.Hold; h != nil && h.Kind == "Approval" && t.Segment.Kind == h.Kind && t.Segment.Token != "" {
			return core.Decided{Approval: t.Nodes[h.Node].Approval.ID, Action: "APPROVE", By: core.Actor{ID: "alice", Groups: []string{"approvers"}}}, nil
		}
	}
	return core.Decided{}, errors.New("no time passes")
}

// each does something n times, 32 at once, and returns what went wrong first.
func each(n int, do func(i int) error) error {
	var next atomic.Int64
	var all sync.WaitGroup
	failed := make(chan error, 32)
	for range cap(failed) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	return <-failed
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// openTable measures openRuns runs that are open at once.
func openTable(ctx context.Context, dir string) error {
	o, err := open(ctx, dir, openRuns)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%d runs open at once", openRuns)
	row(name, "lost", fmt.Sprint(openRuns-o.ended[core.Succeeded]), "0")
	row(name, "until open", o.start.Round(time.Millisecond).String(), "")
	row(name, "a run", fmt.Sprintf("%.1f KB", float64(o.memory)/1024/openRuns), "")
	row("a person's decision among them", "p50", o.decisions[len(o.decisions)/2].Round(10*time.Microsecond).String(), "")
	row("a person's decision among them", "p99", o.decisions[len(o.decisions)*99/100].Round(10*time.Microsecond).String(), "")
	return nil
}
