package entity

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sort"
	"sync"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds of a directory's shards: small, so that a change rewrites little.
const (
	maxShardRows  = 128
	maxShardBytes = 48 << 10
	maxRowText    = 200 // bytes of a description
)

// directory lists the entities of one kind in one scope. It is not changed once it
// has been made.
type directory struct {
	version int64 // 0 when there is none yet
	shards  []shard

	once   sync.Once
	sorted []core.EntityRow // of all shards, by path
}

type shard struct {
	version int64
	bytes   int
	rows    []core.EntityRow
}

// directoryBody is the item a directory begins with: the versions of its shards.
type directoryBody struct {
	Shards []int64 `json:"shards"`
}

func (d *directory) rows() []core.EntityRow {
	d.once.Do(func() {
		for _, s := range d.shards {
			d.sorted = append(d.sorted, s.rows...)
		}
		slices.SortFunc(d.sorted, func(a, b core.EntityRow) int { return cmp.Compare(a.Path(), b.Path()) })
	})
	return d.sorted
}

// find is the row of a path.
func (d *directory) find(path string) (core.EntityRow, bool) {
	rows := d.rows()
	i := sort.Search(len(rows), func(i int) bool { return rows[i].Path() >= path })
	if i < len(rows) && rows[i].Path() == path {
		return rows[i], true
	}
	return core.EntityRow{}, false
}

// room is the shard that takes a new row: the last with room, else one half empty,
// else a new one.
func (d *directory) room() int {
	last := len(d.shards) - 1
	if last >= 0 && len(d.shards[last].rows) < maxShardRows && d.shards[last].bytes < maxShardBytes {
		return last
	}
	for i, s := range d.shards {
		if len(s.rows) < maxShardRows/2 && s.bytes < maxShardBytes/2 {
			return i
		}
	}
	return len(d.shards)
}

// edit is a directory on its way to its next version.
type edit struct {
	scope core.Scope
	kind  core.EntityKind
	from  *directory
	at    *places
	rows  map[int][]core.EntityRow // of the shards that change
	moved map[string]int           // paths that come to stand in a shard, or in none: -1
}

func (d *directory) edit(s core.Scope, kind core.EntityKind, at *places) *edit {
	return &edit{scope: s, kind: kind, from: d, at: at, rows: map[int][]core.EntityRow{}, moved: map[string]int{}}
}

// places tells the shard of each path of one version of a directory, so that a change
// need not look through all of them. It is the writer's, and changes with what it writes.
type places struct {
	version int64
	shard   map[string]int
}

func placesOf(d *directory) *places {
	p := &places{version: d.version, shard: map[string]int{}}
	for n, s := range d.shards {
		for _, r := range s.rows {
			p.shard[r.Path()] = n
		}
	}
	return p
}

// follow takes over what an edit has changed.
func (p *places) follow(e *edit, version int64) {
	p.version = version
	for path, n := range e.moved {
		if n < 0 {
			delete(p.shard, path)
		} else {
			p.shard[path] = n
		}
	}
}

// shard is a copy of a shard's rows, to be changed.
func (e *edit) shard(n int) []core.EntityRow {
	if rows, ok := e.rows[n]; ok {
		return rows
	}
	if n < len(e.from.shards) {
		return slices.Clone(e.from.shards[n].rows)
	}
	return nil
}

// locate finds the shard of a path.
func (e *edit) locate(path string) int {
	if n, ok := e.moved[path]; ok {
		return n
	}
	if n, ok := e.at.shard[path]; ok {
		return n
	}
	return -1
}

// set puts a row in, instead of an older one of its path.
func (e *edit) set(row core.EntityRow) {
	n := e.locate(row.Path())
	if n < 0 {
		n = e.from.room()
		e.rows[n], e.moved[row.Path()] = append(e.shard(n), row), n
		return
	}
	rows := e.shard(n)
	rows[slices.IndexFunc(rows, func(r core.EntityRow) bool { return r.Path() == row.Path() })] = row
	e.rows[n] = rows
}

func (e *edit) remove(path string) {
	if n := e.locate(path); n >= 0 {
		e.rows[n] = slices.DeleteFunc(e.shard(n), func(r core.EntityRow) bool { return r.Path() == path })
		e.moved[path] = -1
	}
}

// done returns the puts of the edit and the directory after it.
func (e *edit) done() ([]core.Put, *directory) {
	next := &directory{version: e.from.version + 1, shards: slices.Clone(e.from.shards)}
	cond := core.IfAbsent()
	if e.from.version > 0 {
		cond = core.IfVersion(e.from.version)
	}
	var puts []core.Put
	for n, rows := range e.rows {
		for n >= len(next.shards) {
			next.shards = append(next.shards, shard{})
		}
		text := []byte(mustJSON(rows))
		next.shards[n] = shard{version: next.version, bytes: len(text), rows: rows}
		puts = append(puts, core.Put{Item: core.Item{Key: core.ShardKey(e.scope, e.kind, n), Version: next.version, Body: text}})
	}
	var body directoryBody
	for _, s := range next.shards {
		body.Shards = append(body.Shards, s.version)
	}
	// Nobody writes a shard without the head, so the head's condition guards them all.
	return append(puts, core.Put{If: cond, Item: core.Item{Key: core.DirectoryKey(e.scope, e.kind), Version: next.version,
		Body: []byte(mustJSON(body))}}), next
}

// directories reads directories, and only what of them has changed since the last time.
type directories struct {
	store core.Store

	mu      sync.Mutex
	known   map[core.Key]*directory
	places  map[core.Key]*places // of the directories that this process writes
	writers map[core.Key]*sync.Mutex
}

// maxKnown bounds how many directories are kept in memory.
const maxKnown = 256

func newDirectories(s core.Store) *directories {
	return &directories{store: s, known: map[core.Key]*directory{}, places: map[core.Key]*places{}, writers: map[core.Key]*sync.Mutex{}}
}

// lock keeps this process's writers of a directory in line, where they would only
// make each other start again.
func (d *directories) lock(s core.Scope, kind core.EntityKind) (unlock func()) {
	key := core.DirectoryKey(s, kind)
	d.mu.Lock()
	m := d.writers[key]
	if m == nil {
		m = &sync.Mutex{}
		d.writers[key] = m
	}
	d.mu.Unlock()
	m.Lock()
	return m.Unlock
}

func (d *directories) keep(s core.Scope, kind core.EntityKind, dir *directory) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) >= maxKnown {
		clear(d.known)
		clear(d.places)
	}
	d.known[core.DirectoryKey(s, kind)] = dir
}

// placesIn is where the rows of a directory stand; for its writer alone.
func (d *directories) placesIn(s core.Scope, kind core.EntityKind, dir *directory) *places {
	key := core.DirectoryKey(s, kind)
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.places[key]
	if p == nil || p.version != dir.version {
		p = placesOf(dir)
		d.places[key] = p
	}
	return p
}

func (d *directories) forget(s core.Scope, kind core.EntityKind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.known, core.DirectoryKey(s, kind))
}

func (d *directories) remembered(s core.Scope, kind core.EntityKind) *directory {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.known[core.DirectoryKey(s, kind)]
}

// load returns a directory as it is now: one small read when it has not changed.
func (d *directories) load(ctx context.Context, s core.Scope, kind core.EntityKind) (*directory, error) {
	for range tries {
		item, err := d.store.Get(ctx, core.DirectoryKey(s, kind), true)
		if fault.Is(err, fault.NotFound) {
			return &directory{}, nil
		}
		if err != nil {
			return nil, err
		}
		old := d.remembered(s, kind)
		if old != nil && old.version == item.Version {
			return old, nil
		}
		dir, current, err := d.read(ctx, s, kind, item, old)
		if err != nil {
			return nil, err
		}
		if current {
			d.keep(s, kind, dir)
			return dir, nil
		}
	}
	return nil, fault.New(fault.Throttled, "the %ss of %s change too fast to be listed; retry", kind, where(s))
}

// read reads the shards that have changed since old. current is false when one of them
// is newer than the head that led to it.
func (d *directories) read(ctx context.Context, s core.Scope, kind core.EntityKind, head core.Item, old *directory) (*directory, bool, error) {
	var body directoryBody
	if err := json.Unmarshal(head.Body, &body); err != nil {
		return nil, false, err
	}
	dir := &directory{version: head.Version, shards: make([]shard, len(body.Shards))}
	for n, v := range body.Shards {
		if old != nil && n < len(old.shards) && old.shards[n].version == v {
			dir.shards[n] = old.shards[n]
			continue
		}
		item, err := d.store.Get(ctx, core.ShardKey(s, kind, n), true)
		if err != nil {
			return nil, false, err
		}
		if item.Version != v {
			return nil, false, nil
		}
		dir.shards[n] = shard{version: v, bytes: len(item.Body)}
		if err := json.Unmarshal(item.Body, &dir.shards[n].rows); err != nil {
			return nil, false, err
		}
	}
	return dir, true, nil
}
