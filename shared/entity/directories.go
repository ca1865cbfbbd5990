package entity

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

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
			return &directory{views: &views{}}, nil
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
func (d *directories) read(ctx context.Context, s core.Scope, kind core.EntityKind, head core.Item, old *directory) (dir *directory, current bool, err error) {
	var body directoryBody
	if err := json.Unmarshal(head.Body, &body); err != nil {
		return nil, false, err
	}
	dir = &directory{version: head.Version, shards: make([]*shard, len(body.Shards)), views: &views{}}
	if old != nil {
		dir.views = old.views
	}
	unread := 0
	for n, v := range body.Shards {
		if old != nil && n < len(old.shards) && old.shards[n].version == v {
			dir.shards[n] = old.shards[n]
		} else {
			unread++
		}
	}
	if unread > 4 && unread > len(body.Shards)/2 {
		if err := d.readAll(ctx, s, kind, body.Shards, dir); err != nil {
			return nil, false, err
		}
	}
	for n, v := range body.Shards {
		if dir.shards[n] != nil {
			continue
		}
		item, err := d.store.Get(ctx, core.ShardKey(s, kind, n), true)
		if err != nil {
			return nil, false, err
		}
		if item.Version != v {
			return nil, false, nil
		}
		if dir.shards[n], err = readShard(item); err != nil {
			return nil, false, err
		}
	}
	return dir, true, nil
}

// readAll reads shards that a directory lacks in as few calls as can be. What comes back
// older than wanted is left out: these reads are the cheap ones.
func (d *directories) readAll(ctx context.Context, s core.Scope, kind core.EntityKind, wanted []int64, dir *directory) error {
	number := map[string]int{}
	for n := range wanted {
		number[core.ShardKey(s, kind, n).SK] = n
	}
	first := core.ShardKey(s, kind, 0)
	q := core.Query{PK: first.PK, SKPrefix: first.SK[:strings.Index(first.SK, "#")+1]}
	for {
		page, err := d.store.Query(ctx, q)
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			n, ok := number[item.SK]
			if !ok || item.Version != wanted[n] || dir.shards[n] != nil {
				continue
			}
			if dir.shards[n], err = readShard(item); err != nil {
				return err
			}
		}
		if page.Cursor == "" {
			return nil
		}
		q.After = page.Cursor
	}
}
