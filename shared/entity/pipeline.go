// Package entity keeps what users write: documents byte for byte, versioned,
// with optimistic locking.
package entity

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Pipelines keeps pipelines.
type Pipelines struct {
	store core.Store
	clock core.Clock

	counting sync.Mutex
	last     map[core.Key]int64 // the newest run number this process has seen
}

// NewPipelines returns the pipelines in the store.
func NewPipelines(s core.Store, c core.Clock) *Pipelines {
	return &Pipelines{store: s, clock: c, last: map[core.Key]int64{}}
}

// Create stores a new pipeline; fault.AlreadyExists when the identifier is taken.
func (p *Pipelines) Create(ctx context.Context, x core.Pipeline) (core.Pipeline, error) {
	x.Version, x.Created = 1, core.Millis(p.clock.Now())
	x.Updated = x.Created
	err := p.put(ctx, x, core.IfAbsent())
	if fault.Is(err, fault.Conflict) {
		return x, fault.New(fault.AlreadyExists, "a pipeline with identifier %q already exists in project %s of organization %s", x.Identifier, x.Scope.Project, x.Scope.Org)
	}
	return x, err
}

// Update replaces a pipeline. ifVersion, when not 0, must be the stored version
// (fault.Conflict otherwise).
func (p *Pipelines) Update(ctx context.Context, x core.Pipeline, ifVersion int64) (core.Pipeline, error) {
	old, err := p.Get(ctx, x.Scope, x.Identifier)
	if err != nil {
		return x, err
	}
	if ifVersion != 0 && ifVersion != old.Version {
		return x, fault.New(fault.Conflict, "pipeline %q is at version %d, not %d: read it again", x.Identifier, old.Version, ifVersion)
	}
	x.Version, x.Created, x.Updated = old.Version+1, old.Created, core.Millis(p.clock.Now())
	err = p.put(ctx, x, core.IfVersion(old.Version))
	if fault.Is(err, fault.Conflict) {
		return x, fault.New(fault.Conflict, "pipeline %q was changed by somebody else: read it again", x.Identifier)
	}
	return x, err
}

// Get returns a pipeline; fault.NotFound when there is none.
func (p *Pipelines) Get(ctx context.Context, s core.Scope, id string) (core.Pipeline, error) {
	var x core.Pipeline
	item, err := p.store.Get(ctx, core.PipelineKey(s, id), true)
	if fault.Is(err, fault.NotFound) {
		return x, fault.New(fault.NotFound, "there is no pipeline %q in project %s of organization %s", id, s.Project, s.Org)
	}
	if err != nil {
		return x, err
	}
	return x, json.Unmarshal(item.Body, &x)
}

// Delete removes a pipeline; fault.NotFound when there is none.
func (p *Pipelines) Delete(ctx context.Context, s core.Scope, id string) error {
	if _, err := p.Get(ctx, s, id); err != nil {
		return err
	}
	return p.store.Delete(ctx, core.PipelineKey(s, id))
}

// List returns the project's pipelines by identifier.
func (p *Pipelines) List(ctx context.Context, s core.Scope) ([]core.Pipeline, error) {
	var all []core.Pipeline
	q := core.Query{PK: core.PipelinePK(s)}
	for {
		page, err := p.store.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range page.Items {
			var x core.Pipeline
			if err := json.Unmarshal(it.Body, &x); err != nil {
				return nil, err
			}
			all = append(all, x)
		}
		if page.Cursor == "" {
			return all, nil
		}
		q.After = page.Cursor
	}
}

// NextSequence counts a pipeline's runs, from 1. A run that fails to start
// leaves a gap.
func (p *Pipelines) NextSequence(ctx context.Context, s core.Scope, pipeline string) (int64, error) {
	key := core.SequenceKey(s, pipeline)
	p.counting.Lock()
	defer p.counting.Unlock()
	for range 100 {
		last, known := p.last[key]
		cond := core.IfVersion(last)
		if last == 0 {
			cond = core.IfAbsent()
		}
		err := p.store.Write(ctx, core.Put{If: cond, Item: core.Item{Key: key, Body: []byte("{}"), Version: last + 1}})
		if err == nil {
			p.last[key] = last + 1
			return last + 1, nil
		}
		if !fault.Is(err, fault.Conflict) {
			return 0, err
		}
		item, err := p.store.Get(ctx, key, true) // another process counts too, or this one has just begun
		if err != nil && !fault.Is(err, fault.NotFound) {
			return 0, err
		}
		if p.last[key] = item.Version; known && item.Version == last {
			break
		}
	}
	return 0, fault.New(fault.Throttled, "too many runs of pipeline %q start at once; retry", pipeline)
}

func (p *Pipelines) put(ctx context.Context, x core.Pipeline, c core.Condition) error {
	body, err := json.Marshal(x)
	if err != nil {
		return err
	}
	if len(body) > core.MaxItemBytes-4096 {
		return fault.New(fault.TooLarge, "a stored pipeline may have %d bytes, not %d", core.MaxItemBytes-4096, len(body))
	}
	return p.store.Write(ctx, core.Put{If: c, Item: core.Item{Key: core.PipelineKey(x.Scope, x.Identifier), Body: body, Version: x.Version}})
}
