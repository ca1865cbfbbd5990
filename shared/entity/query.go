package entity

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// Query says which entities of a kind are listed, and in which order.
type Query struct {
	Kind  core.EntityKind
	Scope core.Scope
	Also  []core.Scope // scopes whose entities are listed too

	Parent      string   // what they belong to; "" for anything
	Identifiers []string // none for all
	Search      string   // stands in the name, the identifier or a tag, in any case
	// Passes decides on what else is asked for; nil for all.
	Passes func(core.EntityRow) bool
	// Newest leaves of each template the version that was changed last.
	Newest bool

	Order      Order
	Descending bool
	After      string // the path of the last row of the page before; in the order of paths alone
	Skip       int    // rows before the page
	Limit      int    // rows of the page; 0 for all
}

// Listed is an entity in a list, and where it lives.
type Listed struct {
	core.EntityRow
	At core.Scope
}

// Ref is the reference of what is listed.
func (l Listed) Ref(kind core.EntityKind) core.EntityRef {
	return core.EntityRef{Kind: kind, Scope: l.At, Parent: l.Parent, Identifier: l.Identifier, Label: l.Label}
}

// List returns a page of what a query asks for, and how many there are in all. What rows
// hold is not the caller's to change.
func (c *Catalogue) List(ctx context.Context, q Query) (page []Listed, total int, err error) {
	q.Search = strings.ToLower(q.Search)
	scopes := append([]core.Scope{q.Scope}, q.Also...)
	lists := make([][]*line, len(scopes))
	for i, s := range scopes {
		dir, err := c.directory(ctx, s, q.Kind)
		if err != nil {
			return nil, 0, err
		}
		lists[i] = q.of(dir)
		total += len(lists[i])
	}
	end := 0
	for i := range lists {
		lists[i] = behind(lists[i], q.After)
		end += len(lists[i])
	}
	if q.Limit > 0 {
		end = min(q.Skip+q.Limit, end)
	}
	if q.Skip >= end {
		return nil, total, nil
	}
	page = make([]Listed, 0, end-q.Skip)
	m := merge{query: q, lists: lists, at: make([]int, len(lists))}
	m.skip(q.Skip)
	for range end - q.Skip {
		i, l := m.next()
		page = append(page, Listed{l.EntityRow, scopes[i]})
	}
	return page, total, nil
}

// directory is the directory of a scope, with what is there from the start.
func (c *Catalogue) directory(ctx context.Context, s core.Scope, kind core.EntityKind) (*directory, error) {
	for _, r := range []core.EntityRef{defaultOrg(s.Account), defaultProject(s.Account)} {
		if r.Kind == kind && r.Scope == s {
			if err := c.settle(ctx, r); err != nil {
				return nil, err
			}
		}
	}
	return c.directories.load(ctx, s, kind)
}

// of are the lines of one directory that a query asks for, in ascending order.
func (q Query) of(d *directory) []*line {
	var lines []*line
	have := ByPath
	switch {
	case len(q.Identifiers) > 0:
		lines, have = q.chosen(d.identified(q.Identifiers)), ByIdentifier
	case q.Newest:
		lines = q.chosen(d.sorted(ByPath))
	case q.Parent != "":
		lines = q.chosen(d.below(q.Parent))
	default:
		return q.chosen(d.sorted(q.Order))
	}
	if q.Newest {
		lines = newest(lines)
	}
	if have != q.Order {
		lines = slices.Clone(lines)
		slices.SortFunc(lines, q.Order.compare)
	}
	return lines
}

// chosen leaves out what a query does not want; nothing is copied when it wants all.
func (q Query) chosen(lines []*line) []*line {
	if q.Parent == "" && q.Search == "" && q.Passes == nil {
		return lines
	}
	out := []*line{}
	for _, l := range lines {
		if (q.Parent == "" || l.Parent == q.Parent) && (q.Search == "" || strings.Contains(l.text, q.Search)) &&
			(q.Passes == nil || q.Passes(l.EntityRow)) {
			out = append(out, l)
		}
	}
	return out
}

// newest leaves of each template, whose versions stand together, the one changed last.
func newest(lines []*line) []*line {
	out := []*line{}
	for _, l := range lines {
		last := len(out) - 1
		switch {
		case last < 0 || out[last].Identifier != l.Identifier:
			out = append(out, l)
		case l.Updated > out[last].Updated:
			out[last] = l
		}
	}
	return out
}

// behind leaves out lines, which are by path, up to a path.
func behind(lines []*line, path string) []*line {
	if path == "" {
		return lines
	}
	return lines[sort.Search(len(lines), func(i int) bool { return lines[i].path > path }):]
}

// below are the lines whose paths begin with a parent, by path.
func (d *directory) below(parent string) []*line {
	lines, prefix := d.sorted(ByPath), parent+"/"
	from := sort.Search(len(lines), func(i int) bool { return lines[i].path >= prefix })
	n := sort.Search(len(lines)-from, func(i int) bool { return !strings.HasPrefix(lines[from+i].path, prefix) })
	return lines[from : from+n]
}

// identified are the lines of some identifiers, by identifier.
func (d *directory) identified(ids []string) []*line {
	lines, out := d.sorted(ByIdentifier), []*line{}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for _, id := range ids {
		from, _ := slices.BinarySearchFunc(lines, id, func(l *line, id string) int { return cmp.Compare(l.Identifier, id) })
		for ; from < len(lines) && lines[from].Identifier == id; from++ {
			out = append(out, lines[from])
		}
	}
	return out
}

// find is the line of a path.
func (d *directory) find(path string) (*line, bool) {
	lines := d.sorted(ByPath)
	i, ok := slices.BinarySearchFunc(lines, path, func(l *line, path string) int { return cmp.Compare(l.path, path) })
	if !ok {
		return nil, false
	}
	return lines[i], true
}

// merge walks over lists, each in ascending order, as over one.
type merge struct {
	query Query
	lists [][]*line
	at    []int // how many of each are behind
}

func (m *merge) skip(n int) {
	if len(m.lists) == 1 {
		m.at[0] = n
		return
	}
	for range n {
		m.next()
	}
}

// next is the line that comes now, and of which list it is: of equals, the first's.
func (m *merge) next() (of int, l *line) {
	of = -1
	for i := range m.lists {
		x := m.peek(i)
		if x == nil {
			continue
		}
		if n := 0; l != nil {
			if n = m.query.Order.compare(x, l); m.query.Descending {
				n = -n
			}
			if n >= 0 {
				continue
			}
		}
		of, l = i, x
	}
	m.at[of]++
	return of, l
}

func (m *merge) peek(i int) *line {
	list, at := m.lists[i], m.at[i]
	switch {
	case at == len(list):
		return nil
	case m.query.Descending:
		return list[len(list)-1-at]
	}
	return list[at]
}
