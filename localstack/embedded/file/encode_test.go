package file

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

// TestIndexKeyOrder: whatever bytes are in an SK, index keys have its order, and
// lead back to the item.
func TestIndexKeyOrder(t *testing.T) {
	sks := []string{"\x00", "\x00\x00", "\x00\x01", "\x00\x02", "\x00\xff", "\x01", "a", "a\x00", "a\x00\x00", "a\x00\x01", "a\x01", "ab", "b", "\xff", "\xff\x00"}
	slices.Sort(sks)
	items := [][]byte{itemKey(core.Key{PK: "p", SK: "\x00\x01"}), itemKey(core.Key{PK: "zz", SK: "s"})}
	var last []byte
	for _, sk := range sks {
		for _, item := range items {
			k := indexKey(core.Key{PK: "i", SK: sk}, item)
			if bytes.Compare(last, k) >= 0 {
				t.Errorf("%q is not behind %q", k, last)
			}
			if got := itemKeyIn(k); !bytes.Equal(got, item) {
				t.Errorf("index key of %q leads to %q, want %q", sk, got, item)
			}
			if !bytes.HasPrefix(k, indexPrefix("i", sk)) || bytes.HasPrefix(k, indexPrefix("i", sk+"\x00")) {
				t.Errorf("prefixes of %q", k)
			}
			last = k
		}
	}
}

func TestItemCode(t *testing.T) {
	index := core.Key{PK: "\x00i", SK: "\xff"}
	tests := map[string]core.Item{
		"bare":       {},
		"body":       {Body: []byte("{}"), Version: 300},
		"pending":    {Body: []byte("{}"), Pending: true},
		"index":      {Body: []byte("{}"), Index: index, Version: -1},
		"expires":    {Expires: math.MaxInt64, Version: math.MinInt64},
		"everything": {Body: bytes.Repeat([]byte{0}, 1000), Version: math.MaxInt64, Index: index, Pending: true, Expires: 1},
	}
	for name, want := range tests {
		want.Key = core.Key{PK: "p\x00", SK: "s"}
		v := encodeItem(want)
		got := decodeItem(keyOf(itemKey(want.Key)), v)
		if diff := cmp.Diff(want.Body, got.Body); diff != "" && len(want.Body)+len(got.Body) > 0 {
			t.Errorf("%s: body (-want +got)\n%s", name, diff)
		}
		got.Body, want.Body = nil, nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		clear(v)
		if !cmp.Equal(want, got) {
			t.Errorf("%s: the item shares memory with its code", name)
		}
	}
}
