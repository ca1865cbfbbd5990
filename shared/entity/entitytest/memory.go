package entitytest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Memory is a core.Store in memory without an index, for tests that keep much.
type Memory struct {
	mu    sync.Mutex
	parts map[string]map[string]core.Item
	order map[string][]string // the sort keys of partitions that were queried
}

// Get implements core.Store.
func (m *Memory) Get(_ context.Context, key core.Key, _ bool) (core.Item, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if it, ok := m.parts[key.PK][key.SK]; ok {
		return it, nil
	}
	return core.Item{}, fault.New(fault.NotFound, "there is no %v", key)
}

// Query implements core.Store.
func (m *Memory) Query(_ context.Context, q core.Query) (page core.Page, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := m.order[q.PK]
	if keys == nil {
		keys = slices.Sorted(maps.Keys(m.parts[q.PK]))
		m.order[q.PK] = keys
	}
	if keys = slices.Clone(keys); q.Reverse {
		slices.Reverse(keys)
	}
	read := 0
	for _, sk := range keys {
		behind := cmp.Compare(sk, q.After)
		if q.Reverse {
			behind = -behind
		}
		if !strings.HasPrefix(sk, q.SKPrefix) || q.After != "" && behind <= 0 {
			continue
		}
		if len(page.Items) > 0 && (len(page.Items) == q.Limit || read >= core.MaxPageBytes) {
			page.Cursor = page.Items[len(page.Items)-1].SK
			return page, nil
		}
		it := m.parts[q.PK][sk]
		page.Items, read = append(page.Items, it), read+it.Size()
	}
	return page, nil
}

// Write implements core.Store.
func (m *Memory) Write(_ context.Context, puts ...core.Put) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range puts {
		old, ok := m.parts[p.Item.PK][p.Item.SK]
		if !p.If.Holds(ok, old.Version) {
			return fault.New(fault.Conflict, "a condition on %v did not hold", p.Item.Key)
		}
	}
	for _, p := range puts {
		if m.parts == nil {
			m.parts, m.order = map[string]map[string]core.Item{}, map[string][]string{}
		}
		if m.parts[p.Item.PK] == nil {
			m.parts[p.Item.PK] = map[string]core.Item{}
		}
		m.parts[p.Item.PK][p.Item.SK] = p.Item
		delete(m.order, p.Item.PK)
	}
	return nil
}

// Delete implements core.Store.
func (m *Memory) Delete(_ context.Context, keys ...core.Key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range keys {
		delete(m.parts[k.PK], k.SK)
		delete(m.order, k.PK)
	}
	return nil
}

// Watch implements core.Store; nothing is ever delivered.
func (m *Memory) Watch(ctx context.Context, _ string, _ func(context.Context, []core.Item) error) error {
	<-ctx.Done()
	return ctx.Err()
}

// Values is core.Secrets in memory.
type Values struct {
	mu sync.Mutex
	of map[string][]byte
}

// Get implements core.Secrets.
func (v *Values) Get(_ context.Context, name string) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if value, ok := v.of[name]; ok {
		return value, nil
	}
	return nil, fault.New(fault.NotFound, "there is no secret %s", name)
}

// Put implements core.Secrets.
func (v *Values) Put(_ context.Context, name string, value []byte) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.of == nil {
		v.of = map[string][]byte{}
	}
	v.of[name] = value
	return nil
}

// Delete implements core.Secrets.
func (v *Values) Delete(_ context.Context, name string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.of, name)
	return nil
}
