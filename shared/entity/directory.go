package entity

import (
	"encoding/json"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
)

// Bounds of a directory's shards. A change writes one shard and the head, which names
// them all: so shards become larger as they become more, and both stay small.
const (
	minShardRows  = 8
	maxShardRows  = 128
	shardsPerRow  = 32  // a shard may have a row for so many shards
	usualRowBytes = 384 // larger rows have fewer neighbours
	maxRowText    = 200 // bytes of a description
)

// directory lists the entities of one kind in one scope. It is not changed once it
// has been made.
type directory struct {
	version int64 // 0 when there is none yet
	shards  []*shard
	views   *views
}

// shard is a part of a directory. It is not changed once it has been made.
type shard struct {
	version int64
	bytes   int
	lines   []*line
}

// directoryBody is the item a directory begins with: the versions of its shards.
type directoryBody struct {
	Shards []int64 `json:"shards"`
}

// readShard reads the item of a shard.
func readShard(item core.Item) (*shard, error) {
	var rows []core.EntityRow
	if err := json.Unmarshal(item.Body, &rows); err != nil {
		return nil, err
	}
	s := &shard{version: item.Version, bytes: len(item.Body), lines: make([]*line, len(rows))}
	for i, r := range rows {
		s.lines[i] = newLine(r)
	}
	return s, nil
}

// room is the shard that takes a new row: the last with room, else one half empty,
// else a new one.
func (d *directory) room() int {
	rows := min(max(minShardRows, len(d.shards)/shardsPerRow), maxShardRows)
	last := len(d.shards) - 1
	if last >= 0 && d.shards[last].under(rows) {
		return last
	}
	for i, s := range d.shards {
		if s.under(rows / 2) {
			return i
		}
	}
	return len(d.shards)
}

func (s *shard) under(rows int) bool { return len(s.lines) < rows && s.bytes < rows*usualRowBytes }

// edit is a directory on its way to its next version.
type edit struct {
	scope core.Scope
	kind  core.EntityKind
	from  *directory
	at    *places
	lines map[int][]*line // of the shards that change
	moved map[string]int  // paths that come to stand in a shard, or in none: -1
}

func (d *directory) edit(s core.Scope, kind core.EntityKind, at *places) *edit {
	return &edit{scope: s, kind: kind, from: d, at: at, lines: map[int][]*line{}, moved: map[string]int{}}
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
		for _, l := range s.lines {
			p.shard[l.path] = n
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

// shard is a copy of a shard's lines, to be changed.
func (e *edit) shard(n int) []*line {
	if lines, ok := e.lines[n]; ok {
		return lines
	}
	if n < len(e.from.shards) {
		return slices.Clone(e.from.shards[n].lines)
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
	l := newLine(row)
	n := e.locate(l.path)
	if n < 0 {
		n = e.from.room()
		e.lines[n], e.moved[l.path] = append(e.shard(n), l), n
		return
	}
	lines := e.shard(n)
	lines[slices.IndexFunc(lines, func(x *line) bool { return x.path == l.path })] = l
	e.lines[n] = lines
}

func (e *edit) remove(path string) {
	if n := e.locate(path); n >= 0 {
		e.lines[n] = slices.DeleteFunc(e.shard(n), func(l *line) bool { return l.path == path })
		e.moved[path] = -1
	}
}

// done returns the puts of the edit and the directory after it.
func (e *edit) done() ([]core.Put, *directory) {
	next := &directory{version: e.from.version + 1, shards: slices.Clone(e.from.shards), views: e.from.views}
	cond := core.IfAbsent()
	if e.from.version > 0 {
		cond = core.IfVersion(e.from.version)
	}
	var puts []core.Put
	for n, lines := range e.lines {
		for n >= len(next.shards) {
			next.shards = append(next.shards, &shard{})
		}
		text := []byte(mustJSON(lines))
		next.shards[n] = &shard{version: next.version, bytes: len(text), lines: lines}
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
