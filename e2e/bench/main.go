// Command bench measures the platform on this machine and prints a table: one
// run, many at once, decisions, cold starts, start-up and memory. `make bench` runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"sync"
	"time"

	"github.com/slipway-cd/slipway/delegate/runner"
	"github.com/slipway-cd/slipway/e2e/noop"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/launch"
	"github.com/slipway-cd/slipway/shared/meter"
)

const (
	stages, steps = 3, 5
	serialRuns    = 30
	manyRuns      = 200
)

func main() {
	profile := flag.String("cpuprofile", "", "write a CPU profile of the runs to this file")
	only := flag.Bool("cold", false, "measure the functions' cold starts alone")
	lang := flag.Bool("language", false, "measure validating, compiling and expressions alone")
	many := flag.Bool("open", false, "measure many open runs alone")
	entities := flag.Bool("catalogue", false, "measure a catalogue of 100,000 entities alone")
	flag.Parse()
	measure := func(ctx context.Context) error { return bench(ctx, *profile) }
	switch {
	case *only:
		measure = inFolder(cold)
	case *lang:
		measure = inFolder(language)
	case *many:
		measure = inFolder(openTable)
	case *entities:
		measure = inFolder(manyEntities)
	}
	if err := measure(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, profile string) error {
	dir, err := os.MkdirTemp("", "slipway-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	row("disk: one fdatasync (4 KB)", "p50", syncTime(dir).String(), "")
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
	}
	err = runs(ctx, dir+"/runs")
	pprof.StopCPUProfile()
	if err != nil {
		return err
	}
	if err := openTable(ctx, dir+"/open"); err != nil {
		return err
	}
	if err := catalogue(ctx, dir+"/catalogue", fewEntities); err != nil {
		return err
	}
	decisions()
	if err := language(ctx, dir); err != nil {
		return err
	}
	if err := cold(ctx, dir); err != nil {
		return err
	}
	return binary(ctx, dir)
}

// inFolder gives what is measured alone a folder.
func inFolder(measure func(ctx context.Context, dir string) error) func(context.Context) error {
	return func(ctx context.Context) error {
		dir, err := os.MkdirTemp("", "slipway-bench-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		return measure(ctx, dir)
	}
}

func row(what, figure, value, aim string) {
	if aim != "" {
		aim = "(aim " + aim + ")"
	}
	fmt.Printf("%-44s %-10s %14s  %s\n", what, figure, value, aim)
}

// world is a platform whose ShellScript does nothing.
type world struct {
	*platform.Platform
	mu    sync.Mutex
	ended map[string]chan struct{}
}

func start(ctx context.Context, dir string) (*world, error) {
	cfg := platform.Config{Dir: dir, Delegate: true, Capacity: 256, Runners: []runner.Runner{noop.Runner{}}}
	w := &world{ended: map[string]chan struct{}{}}
	cfg.Wrap = func(p core.Ports) core.Ports {
		p.Bus = watchBus{p.Bus, w}
		return p
	}
	var err error
	w.Platform, err = platform.Start(ctx, cfg)
	return w, err
}

// watchBus sees runs end the moment the engine says so.
type watchBus struct {
	core.Bus
	w *world
}

// Publish implements core.Bus.
func (b watchBus) Publish(ctx context.Context, events ...core.BusEvent) error {
	err := b.Bus.Publish(ctx, events...)
	for _, e := range events {
		b.w.mu.Lock()
		run := e.ID[:26]
		if b.w.ended[run] == nil {
			b.w.ended[run] = make(chan struct{})
		}
		select {
		case <-b.w.ended[run]:
		default:
			close(b.w.ended[run])
		}
		b.w.mu.Unlock()
	}
	return err
}

func (w *world) wait(run string) {
	w.mu.Lock()
	if w.ended[run] == nil {
		w.ended[run] = make(chan struct{})
	}
	c := w.ended[run]
	w.mu.Unlock()
	<-c
}

// one starts a run and waits for its end.
func (w *world) one(ctx context.Context) (took time.Duration, run string, err error) {
	begin := time.Now()
	s, err := w.Launch().Start(ctx, launch.Request{Account: core.DefaultAccount, Trigger: "MANUAL", By: core.Actor{ID: "bench"},
		Source: compile.Source{File: "bench.yaml", Data: []byte(noop.Pipeline(stages, steps))}})
	if err != nil {
		return 0, "", err
	}
	w.wait(s.Run)
	return time.Since(begin), s.Run, nil
}

// costs prints what a step of a run has used.
func (w *world) costs(ctx context.Context, run string) error {
	by, _, err := meter.Read(ctx, w.Ports().Store, core.DefaultAccount, run)
	if err != nil {
		return err
	}
	transitions, err := w.Journal().Transitions(ctx, core.DefaultAccount, run, true)
	if err != nil {
		return err
	}
	fmt.Printf("\na step, by cause:\n%s\n", meter.NewBill(by, transitions).Table(stages*steps))
	return nil
}

// runs measures one run at a time, then many at once.
func runs(ctx context.Context, dir string) error {
	w, err := start(ctx, dir)
	if err != nil {
		return err
	}
	var each []time.Duration
	last := ""
	for i := range serialRuns + 5 {
		d, run, err := w.one(ctx)
		if err != nil {
			return err
		}
		if last = run; i >= 5 { // warm
			each = append(each, d)
		}
	}
	slices.Sort(each)
	p50 := each[len(each)/2]
	name := fmt.Sprintf("one run of %d × %d no-op steps", stages, steps)
	row(name, "p50", p50.Round(10*time.Microsecond).String(), "≤ 75ms")
	row(name, "p90", each[len(each)*9/10].Round(10*time.Microsecond).String(), "")
	row("control plane, one step", "p50", (p50 / (stages * steps)).Round(time.Microsecond).String(), "≤ 5ms")
	if err := w.costs(ctx, last); err != nil {
		return err
	}
	before := w.Stats()
	begin := time.Now()
	var wg sync.WaitGroup
	failed := make(chan error, manyRuns)
	for range manyRuns {
		wg.Go(func() {
			if _, _, err := w.one(ctx); err != nil {
				failed <- err
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	select {
	case err := <-failed:
		return err
	default:
	}
	after := w.Stats()
	name = fmt.Sprintf("%d such runs at once", manyRuns)
	row(name, "wall", took.Round(time.Millisecond).String(), "")
	row(name, "steps/s", fmt.Sprintf("%.0f", float64(manyRuns*stages*steps)/took.Seconds()), "≥ 1500")
	row(name, "writes a commit", fmt.Sprintf("%.1f", float64(after.Writes-before.Writes)/float64(after.Commits-before.Commits)), "")
	return w.Close(ctx)
}
