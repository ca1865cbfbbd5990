// Package entity keeps what users write: documents byte for byte, versioned, with
// optimistic locking, their history, and an index of who refers to whom.
package entity

import (
	"context"
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
)

// Catalogue is safe for concurrent use, by several processes too.
type Catalogue struct {
	clock core.Clock
	store core.Store

	ids         core.IDs
	secrets     core.Secrets
	people      *govern.Directory
	directories *directories
	sequences
}

// NewCatalogue returns the catalogue in the store of the ports.
func NewCatalogue(p core.Ports) *Catalogue {
	return &Catalogue{store: p.Store, clock: p.Clock, ids: p.IDs, secrets: p.Secrets, people: govern.NewDirectory(p), directories: newDirectories(p.Store), sequences: sequences{last: map[core.Key]int64{}}}
}

// Get returns an entity; fault.NotFound when there is none. A template without a
// label is its stable version.
func (c *Catalogue) Get(ctx context.Context, r core.EntityRef) (core.Entity, error) {
	if err := c.settle(ctx, r); err != nil {
		return core.Entity{}, err
	}
	if r.Kind == core.EntityTemplate && r.Label == "" {
		label, err := c.stable(ctx, r)
		if err != nil {
			return core.Entity{}, err
		}
		r.Label = label
	}
	e, err := c.head(ctx, r)
	if err == nil && (e == nil || e.Deleted) {
		err = missing(r)
	}
	if err != nil {
		return core.Entity{}, err
	}
	if err := c.mark(ctx, e); err != nil {
		return core.Entity{}, err
	}
	return c.whole(ctx, *e)
}

// mark says of a template whether it is the stable version now.
func (c *Catalogue) mark(ctx context.Context, e *core.Entity) error {
	if e.Kind != core.EntityTemplate {
		return nil
	}
	dir, err := c.directories.load(ctx, e.Scope, e.Kind)
	if err != nil {
		return err
	}
	l, ok := dir.find(e.Path())
	e.Stable = ok && l.Stable
	return nil
}

// stable is the label of a template's stable version.
func (c *Catalogue) stable(ctx context.Context, r core.EntityRef) (string, error) {
	dir, err := c.directories.load(ctx, r.Scope, r.Kind)
	if err != nil {
		return "", err
	}
	for _, l := range dir.identified([]string{r.Identifier}) {
		if l.Stable {
			return l.Label, nil
		}
	}
	return "", missing(r)
}

func missing(r core.EntityRef) error {
	return fault.New(fault.NotFound, "there is no %s in %s", r, where(r.Scope))
}

// where is a scope in words.
func where(s core.Scope) string {
	switch {
	case s.Org == "":
		return "the account"
	case s.Project == "":
		return "organization " + s.Org
	}
	return "project " + s.Project + " of organization " + s.Org
}

// Exists reports whether there is an entity, at one small read.
func (c *Catalogue) Exists(ctx context.Context, r core.EntityRef) (bool, error) {
	if r.Kind == core.EntityTemplate && r.Label == "" {
		_, err := c.stable(ctx, r)
		if fault.Is(err, fault.NotFound) {
			return false, nil
		}
		return err == nil, err
	}
	e, err := c.head(ctx, r)
	return e != nil && !e.Deleted, err
}

// head reads what stands at a reference, a deleted entity too; nil for nothing.
func (c *Catalogue) head(ctx context.Context, r core.EntityRef) (*core.Entity, error) {
	item, err := c.store.Get(ctx, core.EntityKey(r), true)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var e core.Entity
	return &e, json.Unmarshal(item.Body, &e)
}

// Change is who changes something, and of which version they think it is.
type Change struct {
	By string // a user
	// Version, when not 0, must be the stored one; fault.Conflict otherwise.
	Version int64
}

// Create stores a new entity; fault.AlreadyExists when there is one.
func (c *Catalogue) Create(ctx context.Context, e core.Entity, by Change) (core.Entity, error) {
	return c.change(ctx, e.EntityRef, by, func(old *core.Entity) (*core.Entity, error) {
		if old != nil && !old.Deleted {
			return nil, fault.New(fault.AlreadyExists, "%s already exists in %s", e.EntityRef, where(e.Scope))
		}
		return &e, nil
	})
}

// Update replaces an entity; fault.NotFound when there is none.
func (c *Catalogue) Update(ctx context.Context, e core.Entity, by Change) (core.Entity, error) {
	return c.change(ctx, e.EntityRef, by, func(old *core.Entity) (*core.Entity, error) {
		if old == nil || old.Deleted {
			return nil, missing(e.EntityRef)
		}
		return &e, nil
	})
}

// Put stores an entity, whether there is one or not. One that is there already, word
// for word, is left as it is.
func (c *Catalogue) Put(ctx context.Context, e core.Entity, by Change) (core.Entity, error) {
	return c.change(ctx, e.EntityRef, by, func(*core.Entity) (*core.Entity, error) { return &e, nil })
}

// Delete removes an entity and keeps its history; fault.NotFound when there is none.
// Whether others refer to it is the caller's to ask (Users).
func (c *Catalogue) Delete(ctx context.Context, r core.EntityRef, by Change) error {
	_, err := c.change(ctx, r, by, func(old *core.Entity) (*core.Entity, error) {
		if old == nil || old.Deleted {
			return nil, missing(r)
		}
		gone := core.Entity{EntityRef: r, Name: old.Name, Deleted: true}
		return &gone, nil
	})
	return err
}
