package weak

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// store is a weak core.Store.
type store struct {
	inner core.Store
	dice  *dice
	past  *past
}

// Store weakens a store.
func Store(inner core.Store, o Options) core.Store {
	return &store{inner: inner, dice: newDice(o), past: &past{was: map[core.Key][]state{}}}
}

func (s *store) Get(ctx context.Context, key core.Key, strong bool) (core.Item, error) {
	s.past.tick()
	if err := s.dice.throttle("get"); err != nil {
		return core.Item{}, err
	}
	it, err := s.inner.Get(ctx, key, strong)
	if strong || err != nil && !fault.Is(err, fault.NotFound) || !s.dice.hit(s.dice.Stale) {
		return it, err
	}
	old, late := s.past.view()[key]
	switch {
	case !late:
		return it, err
	case old == nil:
		return core.Item{}, fault.New(fault.NotFound, "no item %q %q, as weak mode has it", key.PK, key.SK)
	default:
		return clone(*old), nil
	}
}

func (s *store) Query(ctx context.Context, q core.Query) (core.Page, error) {
	s.past.tick()
	if err := s.dice.throttle("query"); err != nil {
		return core.Page{}, err
	}
	inner := q
	if s.dice.hit(s.dice.ShortPage) {
		short := s.dice.n(3)
		wellFormed := q.PK != "" && q.Limit >= 0 && !(q.Index && q.Strong)
		if short == 0 && q.After != "" && wellFormed {
			return core.Page{Cursor: q.After}, nil
		}
		if q.Limit == 0 || q.Limit > short {
			inner.Limit = max(short, 1)
		}
	}
	page, err := s.inner.Query(ctx, inner)
	if err != nil || q.Strong || !q.Index && !s.dice.hit(s.dice.Stale) {
		return page, err
	}
	page.Items = overlay(q, page, s.past.view())
	return page, nil
}

// overlay shows a page as it was before the writes that are hidden. What is gone
// since is added on a first page only, where no cursor hides its place.
func overlay(q core.Query, page core.Page, view map[core.Key]*core.Item) []core.Item {
	var items []core.Item
	for _, it := range page.Items {
		if _, late := view[it.Key]; !late {
			items = append(items, it)
		}
	}
	end := ""
	if n := len(page.Items); page.Cursor != "" && n > 0 {
		end = sortKey(q, page.Items[n-1])
	}
	for _, key := range slices.SortedFunc(maps.Keys(view), compareKeys) { // an order, so that a seed repeats it
		old := view[key]
		if old == nil || !selects(q, *old) {
			continue
		}
		sk := sortKey(q, *old)
		onPage := slices.ContainsFunc(page.Items, func(it core.Item) bool { return it.Key == old.Key && sortKey(q, it) == sk })
		inside := q.After == "" && (page.Cursor == "" || len(page.Items) > 0 && (sk < end) != q.Reverse && sk != end)
		if room := q.Limit == 0 || len(items) < q.Limit; onPage || inside && room {
			items = append(items, clone(*old))
		}
	}
	slices.SortStableFunc(items, func(a, b core.Item) int {
		c := strings.Compare(sortKey(q, a), sortKey(q, b))
		if c == 0 {
			c = compareKeys(a.Key, b.Key)
		}
		if q.Reverse {
			c = -c
		}
		return c
	})
	return items
}

func compareKeys(a, b core.Key) int {
	return cmp.Or(strings.Compare(a.PK, b.PK), strings.Compare(a.SK, b.SK))
}

func sortKey(q core.Query, it core.Item) string {
	if q.Index {
		return it.Index.SK
	}
	return it.SK
}

func selects(q core.Query, it core.Item) bool {
	key := it.Key
	if q.Index {
		key = it.Index
	}
	return key.PK == q.PK && strings.HasPrefix(key.SK, q.SKPrefix)
}

func (s *store) Write(ctx context.Context, puts ...core.Put) error {
	s.past.tick()
	if err := s.dice.throttle("write"); err != nil {
		return err
	}
	keys := make([]core.Key, len(puts))
	for i, p := range puts {
		keys[i] = p.Item.Key
	}
	return s.change(ctx, "write", keys, func() error { return s.inner.Write(ctx, puts...) })
}

func (s *store) Delete(ctx context.Context, keys ...core.Key) error {
	s.past.tick()
	if err := s.dice.throttle("delete"); err != nil {
		return err
	}
	return s.change(ctx, "delete", keys, func() error { return s.inner.Delete(ctx, keys...) })
}

// change makes a change and remembers how things were.
func (s *store) change(ctx context.Context, op string, keys []core.Key, do func() error) error {
	before := make([]*core.Item, len(keys))
	if s.dice.Lag > 0 {
		for i, k := range keys {
			if it, err := s.inner.Get(ctx, k, true); err == nil {
				before[i] = &it
			}
		}
	}
	err := do()
	if err == nil && s.dice.Lag > 0 {
		for i, k := range keys {
			s.past.remember(k, before[i], 1+s.dice.n(s.dice.Lag))
		}
	}
	return s.dice.afterwards(op, err)
}

// Watch delivers batches in another order, cut in two, and some again.
func (s *store) Watch(ctx context.Context, consumer string, fn func(context.Context, []core.Item) error) error {
	var earlier []core.Item
	return s.inner.Watch(ctx, consumer, func(ctx context.Context, items []core.Item) error {
		batch := slices.Clone(items)
		if len(earlier) > 0 && s.dice.hit(s.dice.Duplicate) {
			batch = append(slices.Clone(earlier), batch...)
		}
		batch = shuffle(s.dice, batch, func(it core.Item) core.Key { return it.Key })
		cut := s.dice.n(len(batch) + 1)
		for _, part := range [][]core.Item{batch[:cut], batch[cut:]} {
			if len(part) == 0 {
				continue
			}
			if err := fn(ctx, part); err != nil {
				return err
			}
		}
		earlier = slices.Clone(items)
		if s.dice.hit(s.dice.Duplicate) {
			return fn(ctx, items)
		}
		return nil
	})
}
