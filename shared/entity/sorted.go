package entity

import (
	"slices"
	"sync"
)

// views are a directory's lines in each order that somebody has asked for. All versions
// of a directory share them: one is made from another by what has changed.
type views struct {
	mu sync.Mutex
	of map[Order]view
}

// view are the lines of some shards, sorted. It is never changed.
type view struct {
	shards []*shard
	lines  []*line
}

// sorted are the lines of a directory in an order. They are not to be changed.
func (d *directory) sorted(o Order) []*line {
	d.views.mu.Lock()
	defer d.views.mu.Unlock()
	v := d.views.of[o].follow(d.shards, o)
	if d.views.of == nil {
		d.views.of = map[Order]view{}
	}
	d.views.of[o] = v
	return v.lines
}

// follow is the view of other shards.
func (v view) follow(shards []*shard, o Order) view {
	gone, come, few := v.difference(shards)
	switch {
	case !few:
		return build(shards, o)
	case len(gone)+len(come) == 0:
		return v
	}
	slices.SortFunc(gone, o.compare)
	slices.SortFunc(come, o.compare)
	return view{shards, weave(without(v.lines, gone, o), come, o)}
}

func build(shards []*shard, o Order) view {
	v := view{shards: shards}
	for _, s := range shards {
		v.lines = append(v.lines, s.lines...)
	}
	slices.SortFunc(v.lines, o.compare)
	return v
}

// difference are the lines that are no more and those that are new; not few when sorting
// everything is no more work.
func (v view) difference(shards []*shard) (gone, come []*line, few bool) {
	changed := 0
	for n := range max(len(shards), len(v.shards)) {
		old, now := nth(v.shards, n), nth(shards, n)
		if old == now {
			continue
		}
		if changed++; changed > 4 && changed > len(shards)/8 {
			return nil, nil, false
		}
		gone, come = append(gone, missingFrom(now, old)...), append(come, missingFrom(old, now)...)
	}
	return gone, come, true
}

func nth(shards []*shard, n int) *shard {
	if n < len(shards) {
		return shards[n]
	}
	return nil
}

// missingFrom are the lines of a shard that another has not.
func missingFrom(other, s *shard) (out []*line) {
	if s == nil {
		return nil
	}
	has := map[*line]bool{}
	if other != nil {
		for _, l := range other.lines {
			has[l] = true
		}
	}
	for _, l := range s.lines {
		if !has[l] {
			out = append(out, l)
		}
	}
	return out
}

// without leaves out lines, which are in order too.
func without(lines, gone []*line, o Order) []*line {
	out, from := make([]*line, 0, len(lines)), 0
	for _, l := range gone {
		at, _ := slices.BinarySearchFunc(lines[from:], l, o.compare)
		out = append(out, lines[from:from+at]...)
		from += at + 1
	}
	return append(out, lines[from:]...)
}

// weave puts lines, which are in order too, among others.
func weave(lines, come []*line, o Order) []*line {
	out := make([]*line, 0, len(lines)+len(come))
	for _, l := range come {
		at, _ := slices.BinarySearchFunc(lines, l, o.compare)
		out = append(append(out, lines[:at]...), l)
		lines = lines[at:]
	}
	return append(out, lines...)
}
