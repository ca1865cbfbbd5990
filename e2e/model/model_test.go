package model_test

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/e2e/model"
)

var (
	only  = flag.Int64("seed", -1, "hold the engine to the model for this seed alone")
	few   = flag.Bool("few", false, "try a few cases, and leave what differs as it is")
	cases = flag.Int("cases", 100_000, "how many cases the slow suite tries")
)

// each is how many times a pipeline is run, each time otherwise.
const each = 6

// TestModel holds the engine to the model on random pipelines in which random things
// happen, in random order and now and then twice.
func TestModel(t *testing.T) {
	n := 2000
	if raced || *few {
		n = 400
	}
	hold(t, n)
}

// ties counts the cases that nobody can decide.
var ties atomic.Int64

// hold compares n cases on all processors. A case is a pipeline, by seed/each, and what
// happens to it, by seed.
func hold(t *testing.T, n int) {
	if *only >= 0 {
		if err := differs(uint64(*only), 1); err != nil {
			t.Error(err)
		}
		return
	}
	start := time.Now()
	var next, bad atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for {
				seed := uint64(next.Add(each) - each)
				if seed >= uint64(n) || bad.Load() > 2 {
					return
				}
				if err := differs(seed, each); err != nil {
					bad.Add(1)
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d cases from seed 0, %.0f a second, %d of them ties", next.Load(), float64(next.Load())/time.Since(start).Seconds(), ties.Load())
	if ties.Load() > next.Load()/50 {
		t.Errorf("%d of %d cases are ties, which say nothing", ties.Load(), next.Load())
	}
}

// differs reports the first of n cases from a seed on in which engine and model differ.
func differs(seed uint64, n int) error {
	p := model.Generate(seed / each)
	plan, err := compiled(p)
	if err != nil {
		return fmt.Errorf("seed %d: %w\n%s", seed, err, model.YAML(p))
	}
	for ; n > 0; n-- {
		model.Happen(p, seed)
		g, err := run(p, plan, seed)
		if err != nil || compare(p, model.Interpret(p), g) != nil {
			return smallest(p, seed)
		}
		seed++
	}
	return nil
}

// smallest reports a case of which as much is left out as can be.
func smallest(p *model.Node, seed uint64) error {
	p = model.Shrink(p, func(p *model.Node) bool {
		plan, err := compiled(p)
		if err != nil || *few {
			return false
		}
		g, err := run(p, plan, seed)
		return err != nil || compare(p, model.Interpret(p), g) != nil
	})
	plan, err := compiled(p)
	if err != nil {
		return err
	}
	g, err := run(p, plan, seed)
	if err != nil {
		return fmt.Errorf("seed %d: %w\n%s%s", seed, err, model.Outline(p), model.YAML(p))
	}
	return fmt.Errorf("%s", report(p, seed, compare(p, model.Interpret(p), g), g))
}

// TestApart holds that the model has nothing from the house but what it was written
// from: it imports the standard library alone.
func TestApart(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		for _, i := range f.Imports {
			if strings.Contains(i.Path.Value, ".") {
				t.Errorf("%s imports %s: the model may know nothing of the engine", name, i.Path.Value)
			}
		}
	}
	if seen < 4 {
		t.Errorf("only %d files were looked at", seen)
	}
}
