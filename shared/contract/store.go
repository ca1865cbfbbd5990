package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Store tests an adapter of core.Store. open returns a store that may be shared:
// the suite uses partitions and consumers no one else does.
func Store(t *testing.T, open func(t *testing.T) core.Store) {
	tests := map[string]func(*testing.T, store){
		"an item comes back as it was put":       storeRoundTrip,
		"a put replaces the whole item":          storeReplace,
		"conditions":                             storeConditions,
		"a write of several does all or none":    storeAllOrNone,
		"malformed writes and reads are refused": storeRefusals,
		"size of one item, ± 1 byte":             storeItemBound,
		"size of a key, ± 1 byte":                storeKeyBound,
		"size of a write, ± 1 byte and ± 1 item": storeWriteBound,
		"delete":                                    storeDelete,
		"query orders by bytes":                     storeQueryOrder,
		"query ranges":                              storeQueryRange,
		"query pages by limit":                      storeQueryLimit,
		"query pages end at 1 MB":                   storeQueryPages,
		"index follows the item":                    storeIndex,
		"index pages through equal keys":            storeIndexTies,
		"1,000 create one item: one wins":           storeRaceAbsent,
		"1,000 update one version: one wins":        storeRaceVersion,
		"no update is lost":                         storeRaceCounter,
		"writes of several do not mix":              storeRacePairs,
		"watch delivers what is pending":            storeWatchPending,
		"watch delivers again after a failure":      storeWatchFailure,
		"watch keeps the order of each item":        storeWatchOrder,
		"watch goes on where it was, each consumer": storeWatchResume,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test(t, store{Store: open(t), t: t, pk: unique("contract")})
		})
	}
}

// store is the store under test with a partition of the test's own.
type store struct {
	core.Store
	t  *testing.T
	pk string
}

func (s store) key(sk string) core.Key { return core.Key{PK: s.pk, SK: sk} }

func (s store) item(sk string, version int64) core.Item {
	return core.Item{Key: s.key(sk), Version: version, Body: fmt.Appendf(nil, `{"v":%d}`, version)}
}

func (s store) write(puts ...core.Put) error {
	return try(func() error { return s.Write(s.t.Context(), puts...) })
}

// put puts items one by one, whatever is there.
func (s store) put(items ...core.Item) {
	s.t.Helper()
	for _, it := range items {
		if err := s.write(core.Put{Item: it}); err != nil {
			s.t.Fatalf("put %s: %v", it.SK, err)
		}
	}
}

func (s store) get(sk string, strong bool) (it core.Item, err error) {
	err = try(func() error { it, err = s.Get(s.t.Context(), s.key(sk), strong); return err })
	return it, err
}

func (s store) query(q core.Query) core.Page {
	s.t.Helper()
	var page core.Page
	err := try(func() (err error) { page, err = s.Query(s.t.Context(), q); return err })
	if err != nil {
		s.t.Fatalf("query %+v: %v", q, err)
	}
	return page
}

// all reads all pages.
func (s store) all(q core.Query) []core.Item {
	s.t.Helper()
	var items []core.Item
	for {
		page := s.query(q)
		items = append(items, page.Items...)
		if q.After = page.Cursor; q.After == "" {
			return items
		}
	}
}

// sks reads all pages and returns the SKs.
func (s store) sks(q core.Query) []string {
	s.t.Helper()
	var sks []string
	for _, it := range s.all(q) {
		sks = append(sks, it.SK)
	}
	return sks
}

func storeRoundTrip(t *testing.T, s store) {
	tests := map[string]core.Item{
		"plain":      {Body: []byte(`{"a":1}`), Version: 1},
		"everything": {Body: []byte(`"ü"`), Version: 1 << 60, Index: core.Key{PK: s.pk + "i", SK: "i"}, Pending: true, Expires: 4102444800},
		"negative":   {Body: []byte(`[]`), Version: -1},
	}
	for name, want := range tests {
		want.Key = s.key(name)
		s.put(want)
		got, err := s.get(name, true)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
		eventually(t, "an eventual read", func() bool {
			got, err := s.get(name, false)
			return err == nil && cmp.Equal(want, got)
		})
	}
	_, err := s.get("other", true)
	wantKind(t, "an absent item", err, fault.NotFound)
}

func storeReplace(t *testing.T, s store) {
	full := s.item("a", 1)
	full.Index, full.Pending, full.Expires = core.Key{PK: s.pk + "i", SK: "i"}, true, 4102444800
	bare := s.item("a", 2)
	s.put(full, bare)
	got, err := s.get("a", true)
	if diff := cmp.Diff(bare, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func storeConditions(t *testing.T, s store) {
	s.put(s.item("there", 5))
	tests := map[string]struct {
		sk  string
		if_ core.Condition
		ok  bool
	}{
		"absent, and is":             {"new", core.IfAbsent(), true},
		"absent, but is there":       {"there", core.IfAbsent(), false},
		"version, and it is":         {"there", core.IfVersion(5), true},
		"version, but it is another": {"there", core.IfVersion(4), false},
		"version 0, but is absent":   {"gone", core.IfVersion(0), false},
		"always, and is there":       {"there", core.Always(), true},
	}
	for name, tc := range tests {
		err := s.write(core.Put{Item: s.item(tc.sk, 5), If: tc.if_})
		if tc.ok {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		wantFailed(t, name, err, 0)
	}
}

// wantFailed checks a write's verdict: a conflict that names these positions.
func wantFailed(t *testing.T, what string, err error, positions ...int) {
	t.Helper()
	wantKind(t, what, err, fault.Conflict)
	conflict, ok := errors.AsType[*core.ConflictError](err)
	if !ok || !slices.Equal(conflict.Failed, positions) {
		t.Errorf("%s: error %v does not name the positions %v", what, err, positions)
	}
}

func storeAllOrNone(t *testing.T, s store) {
	s.put(s.item("b", 1), s.item("d", 1))
	err := s.write(
		core.Put{Item: s.item("a", 2)},
		core.Put{Item: s.item("b", 2), If: core.IfAbsent()},
		core.Put{Item: s.item("c", 2), If: core.IfAbsent()},
		core.Put{Item: s.item("d", 2), If: core.IfVersion(7)},
	)
	wantFailed(t, "two conditions fail", err, 1, 3)
	if diff := cmp.Diff([]string{"b", "d"}, s.sks(core.Query{PK: s.pk, Strong: true})); diff != "" {
		t.Errorf("a refused write left something (-want +got)\n%s", diff)
	}
	err = s.write(
		core.Put{Item: s.item("a", 2)},
		core.Put{Item: s.item("b", 2), If: core.IfVersion(1)},
		core.Put{Item: s.item("c", 2), If: core.IfAbsent()},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, sk := range []string{"a", "b", "c"} {
		if it, err := s.get(sk, true); err != nil || it.Version != 2 {
			t.Errorf("%s: version %d, %v", sk, it.Version, err)
		}
	}
}

func storeRefusals(t *testing.T, s store) {
	ctx := t.Context()
	query := func(q core.Query) error { return try(func() error { _, err := s.Query(ctx, q); return err }) }
	half := s.item("a", 1)
	half.Index.PK = "only"
	tests := map[string]error{
		"key that is not UTF-8":   s.write(core.Put{Item: s.item("\xff", 1)}),
		"write of nothing":        s.write(),
		"write without PK":        s.write(core.Put{Item: core.Item{Key: core.Key{SK: "a"}}}),
		"write without SK":        s.write(core.Put{Item: core.Item{Key: s.key("")}}),
		"half an index key":       s.write(core.Put{Item: half}),
		"the same key twice":      s.write(core.Put{Item: s.item("a", 1)}, core.Put{Item: s.item("b", 1)}, core.Put{Item: s.item("a", 2)}),
		"get without SK":          try(func() error { _, err := s.Get(ctx, s.key(""), true); return err }),
		"query without PK":        query(core.Query{}),
		"strong query of index":   query(core.Query{PK: s.pk, Index: true, Strong: true}),
		"query, limit under zero": query(core.Query{PK: s.pk, Limit: -1}),
	}
	for name, err := range tests {
		wantKind(t, name, err, fault.Invalid)
	}
	if left := s.sks(core.Query{PK: s.pk, Strong: true}); left != nil {
		t.Errorf("refused writes left %v", left)
	}
}

// sized is an item with a body of n bytes of JSON.
func (s store) sized(sk string, n int) core.Item {
	return core.Item{Key: s.key(sk), Body: []byte(`"` + strings.Repeat("x", n-2) + `"`)}
}

// largest returns the size of the largest body an item with an SK of one letter has.
func (s store) largest() int {
	return core.MaxItemBytes - core.Item{Key: s.key("z")}.Size()
}

func storeItemBound(t *testing.T, s store) {
	n := s.largest()
	if err := s.write(core.Put{Item: s.sized("z", n)}); err != nil {
		t.Errorf("the largest item: %v", err)
	}
	wantKind(t, "a byte more", s.write(core.Put{Item: s.sized("z", n+1)}), fault.TooLarge)
	if it, err := s.get("z", true); err != nil || len(it.Body) != n {
		t.Errorf("the largest item came back with %d of %d bytes, %v", len(it.Body), n, err)
	}
}

func storeKeyBound(t *testing.T, s store) {
	pad := func(start string, n int) string { return start + strings.Repeat("x", n-len(start)) }
	for pk, ok := range map[int]bool{core.MaxPK: true, core.MaxPK + 1: false} {
		for sk, okSK := range map[int]bool{core.MaxSK: true, core.MaxSK + 1: false} {
			k := core.Key{PK: pad(s.pk, pk), SK: pad("s", sk)}
			for what, it := range map[string]core.Item{
				"key":       {Key: k, Body: []byte("{}")},
				"index key": {Key: s.key("indexed"), Index: k, Body: []byte("{}")},
			} {
				err := s.write(core.Put{Item: it})
				if ok && okSK {
					if err != nil {
						t.Errorf("%s of %d and %d bytes: %v", what, pk, sk, err)
					}
					continue
				}
				wantKind(t, fmt.Sprintf("%s of %d and %d bytes", what, pk, sk), err, fault.TooLarge)
			}
		}
	}
	wantKind(t, "a query's PK of a byte more", try(func() error {
		_, err := s.Query(t.Context(), core.Query{PK: pad(s.pk, core.MaxPK+1)})
		return err
	}), fault.TooLarge)
}

func storeWriteBound(t *testing.T, s store) {
	n := s.largest()
	besides := core.MaxItemBytes - n
	write := func(extra int) error {
		var puts []core.Put
		for left, sk := core.MaxWriteBytes+extra, 'a'; left > 0; sk++ {
			size := min(left, core.MaxItemBytes)
			puts = append(puts, core.Put{Item: s.sized(string(sk), size-besides)})
			left -= size
		}
		return s.write(puts...)
	}
	if err := write(0); err != nil {
		t.Errorf("the largest write: %v", err)
	}
	wantKind(t, "a byte more", write(1), fault.TooLarge)

	var puts []core.Put
	for i := range core.MaxWriteItems {
		puts = append(puts, core.Put{Item: s.item(fmt.Sprint("n", i), 1)})
	}
	if err := s.write(puts...); err != nil {
		t.Errorf("%d items: %v", len(puts), err)
	}
	wantKind(t, "an item more", s.write(append(puts, core.Put{Item: s.item("one more", 1)})...), fault.TooLarge)
}

func storeDelete(t *testing.T, s store) {
	ctx := t.Context()
	s.put(s.item("a", 1), s.item("b", 1), s.item("c", 1))
	if err := try(func() error { return s.Delete(ctx, s.key("a"), s.key("nobody"), s.key("c")) }); err != nil {
		t.Fatal(err)
	}
	if err := try(func() error { return s.Delete(ctx, s.key("a")) }); err != nil {
		t.Errorf("again: %v", err)
	}
	if diff := cmp.Diff([]string{"b"}, s.sks(core.Query{PK: s.pk, Strong: true})); diff != "" {
		t.Errorf("left (-want +got)\n%s", diff)
	}
	if err := s.write(core.Put{Item: s.item("a", 1), If: core.IfAbsent()}); err != nil {
		t.Errorf("creating it anew: %v", err)
	}
}
