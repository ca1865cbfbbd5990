package contract

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

func storeQueryOrder(t *testing.T, s store) {
	want := []string{"#", "10", "9", "A", "Z", "a", "a#", "aa", "é", "\U0001F680"}
	for _, sk := range slices.Backward(want) {
		s.put(s.item(sk, 1))
	}
	other := s
	other.pk += "x"
	other.put(other.item("a", 1))
	if diff := cmp.Diff(want, s.sks(core.Query{PK: s.pk, Strong: true})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	backward := s.sks(core.Query{PK: s.pk, Strong: true, Reverse: true})
	slices.Reverse(backward)
	if diff := cmp.Diff(want, backward); diff != "" {
		t.Errorf("reversed (-want +got)\n%s", diff)
	}
	eventually(t, "an eventual query", func() bool {
		return cmp.Equal(want, s.sks(core.Query{PK: s.pk}))
	})
}

func storeQueryRange(t *testing.T, s store) {
	for _, sk := range []string{"a", "b#1", "b#2", "b#3", "b$", "c"} {
		s.put(s.item(sk, 1))
	}
	tests := map[string]struct {
		q    core.Query
		want []string
	}{
		"prefix":                        {core.Query{SKPrefix: "b#"}, []string{"b#1", "b#2", "b#3"}},
		"prefix, reversed":              {core.Query{SKPrefix: "b#", Reverse: true}, []string{"b#3", "b#2", "b#1"}},
		"prefix of nothing":             {core.Query{SKPrefix: "x"}, nil},
		"prefix is a whole key":         {core.Query{SKPrefix: "c"}, []string{"c"}},
		"after a key":                   {core.Query{After: "b#3"}, []string{"b$", "c"}},
		"after no key":                  {core.Query{After: "b#25"}, []string{"b#3", "b$", "c"}},
		"after, reversed":               {core.Query{After: "b#2", Reverse: true}, []string{"b#1", "a"}},
		"after no key, reversed":        {core.Query{After: "b#15", Reverse: true}, []string{"b#1", "a"}},
		"after the last":                {core.Query{After: "c"}, nil},
		"after the first, reversed":     {core.Query{After: "a", Reverse: true}, nil},
		"after, inside prefix":          {core.Query{SKPrefix: "b#", After: "b#1"}, []string{"b#2", "b#3"}},
		"after, inside prefix reversed": {core.Query{SKPrefix: "b#", After: "b#3", Reverse: true}, []string{"b#2", "b#1"}},
	}
	for name, tc := range tests {
		tc.q.PK, tc.q.Strong = s.pk, true
		if diff := cmp.Diff(tc.want, s.sks(tc.q)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	if page := s.query(core.Query{PK: s.pk + "nobody", Strong: true}); len(page.Items) > 0 || page.Cursor != "" {
		t.Errorf("an empty partition: %+v", page)
	}
}

func storeQueryLimit(t *testing.T, s store) {
	want := []string{"a", "b", "c", "d", "e"}
	for _, sk := range want {
		s.put(s.item(sk, 1))
	}
	for _, reverse := range []bool{false, true} {
		for limit := 1; limit <= len(want)+1; limit++ {
			q := core.Query{PK: s.pk, Limit: limit, Strong: true, Reverse: reverse}
			if n := len(s.query(q).Items); n > limit {
				t.Errorf("a page of %d items for a limit of %d", n, limit)
			}
			got := s.sks(q)
			if reverse {
				slices.Reverse(got)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("limit %d, reverse %v (-want +got)\n%s", limit, reverse, diff)
			}
		}
	}
}

func storeQueryPages(t *testing.T, s store) {
	const n = 300 << 10
	want := []string{"a", "b", "c", "d", "e", "f", "g"}
	for _, sk := range want {
		s.put(s.sized(sk, n))
	}
	for _, reverse := range []bool{false, true} {
		var got []string
		q := core.Query{PK: s.pk, Strong: true, Reverse: reverse}
		for {
			page := s.query(q)
			size := 0
			for _, it := range page.Items {
				got = append(got, it.SK)
				size += len(it.Body)
			}
			if size > core.MaxPageBytes+n {
				t.Errorf("a page of %d bytes", size)
			}
			if q.After = page.Cursor; q.After == "" {
				break
			}
		}
		if reverse {
			slices.Reverse(got)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("reverse %v (-want +got)\n%s", reverse, diff)
		}
	}
}

// indexed is an item that the index shows under s.pk+"i".
func (s store) indexed(sk, index string) core.Item {
	it := s.item(sk, 1)
	it.Index = core.Key{PK: s.pk + "i", SK: index}
	return it
}

func storeIndex(t *testing.T, s store) {
	index := func(what string, q core.Query, want ...string) {
		t.Helper()
		q.PK, q.Index = s.pk+"i", true
		eventually(t, what, func() bool { return slices.Equal(s.sks(q), want) })
	}
	s.put(s.indexed("a", "3"), s.indexed("b", "1"), s.indexed("c", "2"), s.item("d", 1))
	index("in the order of the index", core.Query{}, "b", "c", "a")
	index("reversed", core.Query{Reverse: true}, "a", "c", "b")
	index("behind an SK", core.Query{After: "1"}, "c", "a")
	index("behind an SK, reversed", core.Query{After: "2", Reverse: true}, "b")
	index("with a prefix", core.Query{SKPrefix: "2"}, "c")

	whole := s.indexed("c", "2")
	eventually(t, "the whole item in the index", func() bool {
		items := s.all(core.Query{PK: s.pk + "i", SKPrefix: "2", Index: true})
		return len(items) == 1 && items[0].Key == whole.Key && items[0].Index == whole.Index &&
			items[0].Version == 1 && bytes.Equal(items[0].Body, whole.Body)
	})

	s.put(s.indexed("b", "4"), s.item("a", 2), s.indexed("d", "0"))
	index("moved, left and joined", core.Query{}, "d", "c", "b")
	if err := try(func() error { return s.Delete(t.Context(), s.key("c")) }); err != nil {
		t.Fatal(err)
	}
	index("deleted", core.Query{}, "d", "b")

	elsewhere := s.indexed("d", "0")
	elsewhere.Index.PK += "j"
	s.put(elsewhere)
	index("moved to another partition", core.Query{}, "b")
	eventually(t, "what has moved", func() bool {
		return slices.Equal(s.sks(core.Query{PK: elsewhere.Index.PK, Index: true}), []string{"d"})
	})
}

func storeIndexTies(t *testing.T, s store) {
	want := []string{"a", "b", "c", "d"}
	for _, sk := range want {
		s.put(s.indexed(sk, "same"))
	}
	for _, q := range []core.Query{{Limit: 1}, {Limit: 3}, {Limit: 1, Reverse: true}, {}} {
		q.PK, q.Index = s.pk+"i", true
		eventually(t, "each item once", func() bool {
			got := s.sks(q)
			slices.Sort(got) // the order of equal keys is not defined
			return slices.Equal(got, want)
		})
	}
}
