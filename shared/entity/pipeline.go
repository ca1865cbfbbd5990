// Package entity keeps what users write: documents byte for byte, versioned,
// with optimistic locking.
package entity

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Pipelines keeps pipelines.
type Pipelines struct {
	store core.Store
	clock core.Clock
}

// NewPipelines returns the pipelines in the store.
func NewPipelines(s core.Store, c core.Clock) *Pipelines { return &Pipelines{s, c} }

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
	for range 100 {
		item, err := p.store.Get(ctx, key, true)
		cond := core.IfVersion(item.Version)
		if fault.Is(err, fault.NotFound) {
			cond = core.IfAbsent()
		} else if err != nil {
			return 0, err
		}
		next := item.Version + 1
		err = p.store.Write(ctx, core.Put{If: cond, Item: core.Item{Key: key, Body: []byte("{}"), Version: next}})
		if _, lost := errors.AsType[*core.ConflictError](err); lost || fault.Is(err, fault.Conflict) {
			continue
		}
		return next, err
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
