// Package flowtest helps tests to run state machines: records in memory that
// fail and crash on command, and functions that a test answers by hand.
package flowtest

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Fate is what becomes of a Save.
type Fate int

// The fates.
const (
	Saved  Fate = iota
	Failed      // nothing was saved
	Torn        // it was saved, and the caller is told that it failed
)

// Records is workflow.Records in memory.
type Records struct {
	mu    sync.Mutex
	kept  map[string][]byte
	saves int
	fate  func(n int) Fate
}

// NewRecords returns empty records.
func NewRecords() *Records { return &Records{kept: map[string][]byte{}} }

// Decide sets the fate of coming saves; they are counted from 1.
func (r *Records) Decide(fate func(n int) Fate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.saves, r.fate = 0, fate
}

// Saves returns how many saves were tried since the last Decide.
func (r *Records) Saves() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.saves
}

// Crash returns what a process that is started anew would find.
func (r *Records) Crash() *Records {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &Records{kept: maps.Clone(r.kept)}
}

// Save implements workflow.Records.
func (r *Records) Save(_ context.Context, put map[string][]byte, del []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.saves++
	fate := Saved
	if r.fate != nil {
		fate = r.fate(r.saves)
	}
	if fate != Failed {
		for _, k := range del {
			delete(r.kept, k)
		}
		for k, v := range put {
			r.kept[k] = bytes.Clone(v)
		}
	}
	if fate != Saved {
		return fault.New(fault.Unavailable, "the disk failed at save %d", r.saves)
	}
	return nil
}

// Get implements workflow.Records.
func (r *Records) Get(key string) ([]byte, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.kept[key]
	return bytes.Clone(v), ok, nil
}

// Each implements workflow.Records.
func (r *Records) Each(fn func(key string, value []byte) error) error {
	r.mu.Lock()
	kept := maps.Clone(r.kept)
	r.mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(kept)) {
		if err := fn(k, kept[k]); err != nil {
			return err
		}
	}
	return nil
}
