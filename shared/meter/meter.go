// Package meter counts what a platform uses, by cause: read and write units as
// DynamoDB would bill them, state transitions and function invocations.
package meter

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Count is what was used. Units are in halves inside and whole in their methods.
type Count struct {
	Writes      int // calls
	Reads       int
	Invocations int
	Transitions int
	Workflow    int // calls of Start, Finish and Beat

	halfWriteUnits, halfReadUnits int
}

// WriteUnits are DynamoDB's, index and transaction surcharges included.
func (c Count) WriteUnits() float64 { return float64(c.halfWriteUnits) / 2 }

// ReadUnits are DynamoDB's.
func (c Count) ReadUnits() float64 { return float64(c.halfReadUnits) / 2 }

func (c *Count) add(d Count) {
	c.Writes += d.Writes
	c.Reads += d.Reads
	c.Invocations += d.Invocations
	c.Transitions += d.Transitions
	c.Workflow += d.Workflow
	c.halfWriteUnits += d.halfWriteUnits
	c.halfReadUnits += d.halfReadUnits
}

// Meter is safe for concurrent use. The zero value is ready.
type Meter struct {
	mu sync.Mutex
	by map[string]*Count
}

func (m *Meter) count(cause string, d Count) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.by == nil {
		m.by = map[string]*Count{}
	}
	if m.by[cause] == nil {
		m.by[cause] = &Count{}
	}
	m.by[cause].add(d)
}

// Transition counts one state entered.
func (m *Meter) Transition(machine, _ string) { m.count("machine "+machine, Count{Transitions: 1}) }

// Invoke counts one invocation of a function.
func (m *Meter) Invoke(function string) { m.count("function "+function, Count{Invocations: 1}) }

// Reset forgets everything counted.
func (m *Meter) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.by = nil
}

// ByCause returns the counts.
func (m *Meter) ByCause() map[string]Count {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]Count{}
	for cause, c := range m.by {
		out[cause] = *c
	}
	return out
}

// Total returns the sum over the causes that are not in except.
func (m *Meter) Total(except ...string) Count {
	var sum Count
	for cause, c := range m.ByCause() {
		if !slices.Contains(except, cause) {
			sum.add(c)
		}
	}
	return sum
}

// Table is the counts as text, divided by n: per step, say.
func (m *Meter) Table(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-22s %8s %8s %8s %8s %8s %8s\n", "cause", "writes", "WCU", "reads", "RCU", "invoked", "states")
	by := m.ByCause()
	f := func(v float64) string { return fmt.Sprintf("%.2f", v/float64(n)) }
	row := func(name string, c Count) {
		fmt.Fprintf(&b, "%-22s %8s %8s %8s %8s %8s %8s\n", name, f(float64(c.Writes)), f(c.WriteUnits()),
			f(float64(c.Reads)), f(c.ReadUnits()), f(float64(c.Invocations)), f(float64(c.Transitions)))
	}
	for _, cause := range slices.Sorted(maps.Keys(by)) {
		row(cause, by[cause])
	}
	row("total", m.Total())
	return b.String()
}

// Wrap returns the ports with their store and workflow counted.
func (m *Meter) Wrap(p core.Ports) core.Ports {
	p.Store = &store{p.Store, m}
	p.Workflow = &workflow{p.Workflow, m}
	return p
}

type store struct {
	core.Store
	meter *Meter
}

// attributeBytes is about what the names of an item's attributes take.
const attributeBytes = 24

func size(it core.Item) int {
	n := len(it.PK) + len(it.SK) + len(it.Body) + attributeBytes
	if !it.Index.IsZero() {
		n += len(it.Index.PK) + len(it.Index.SK)
	}
	return n
}

// readUnits are in halves: an eventual read of up to 4 KB is one half.
func readUnits(bytes int, strong bool) int {
	n := max(1, (bytes+4095)/4096)
	if strong {
		return 2 * n
	}
	return n
}

// Get implements core.Store.
func (s *store) Get(ctx context.Context, key core.Key, strong bool) (core.Item, error) {
	it, err := s.Store.Get(ctx, key, strong)
	s.meter.count(core.CauseOf(ctx), Count{Reads: 1, halfReadUnits: readUnits(size(it), strong)})
	return it, err
}

// Query implements core.Store.
func (s *store) Query(ctx context.Context, q core.Query) (core.Page, error) {
	p, err := s.Store.Query(ctx, q)
	bytes := 0
	for _, it := range p.Items {
		bytes += size(it)
	}
	s.meter.count(core.CauseOf(ctx), Count{Reads: 1, halfReadUnits: readUnits(bytes, q.Strong)})
	return p, err
}

// Write implements core.Store. A write whose condition failed is billed too.
func (s *store) Write(ctx context.Context, puts ...core.Put) error {
	err := s.Store.Write(ctx, puts...)
	if fault.Is(err, fault.Throttled) {
		return err
	}
	units := 0
	for _, p := range puts {
		u := (size(p.Item) + 1023) / 1024
		if !p.Item.Index.IsZero() {
			u *= 2
		}
		units += u
	}
	if len(puts) > 1 {
		units *= 2
	}
	s.meter.count(core.CauseOf(ctx), Count{Writes: 1, halfWriteUnits: 2 * units})
	return err
}

// Delete implements core.Store. What was there is not known; items that are
// deleted here are below 1 KB and not in the index.
func (s *store) Delete(ctx context.Context, keys ...core.Key) error {
	s.meter.count(core.CauseOf(ctx), Count{Writes: 1, halfWriteUnits: 2 * len(keys)})
	return s.Store.Delete(ctx, keys...)
}

type workflow struct {
	core.Workflow
	meter *Meter
}

// Start implements core.Workflow.
func (w *workflow) Start(ctx context.Context, machine, name string, input json.RawMessage) error {
	w.meter.count(core.CauseOf(ctx), Count{Workflow: 1})
	return w.Workflow.Start(ctx, machine, name, input)
}

// Finish implements core.Workflow.
func (w *workflow) Finish(ctx context.Context, token string, output json.RawMessage) error {
	w.meter.count(core.CauseOf(ctx), Count{Workflow: 1})
	return w.Workflow.Finish(ctx, token, output)
}

// Beat implements core.Workflow.
func (w *workflow) Beat(ctx context.Context, token string) error {
	w.meter.count(core.CauseOf(ctx), Count{Workflow: 1})
	return w.Workflow.Beat(ctx, token)
}
