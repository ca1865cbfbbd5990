package contract

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Blobs tests an adapter of core.Blobs, which may be shared.
func Blobs(t *testing.T, open func(t *testing.T) core.Blobs) {
	tests := map[string]func(*testing.T, blobs){
		"put, get, replace, delete":          blobsCycle,
		"keys":                               blobsKeys,
		"keys that are close stay apart":     blobsApart,
		"a reader never sees half of a blob": blobsWhole,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, blobs{open(t), t}) })
	}
}

type blobs struct {
	core.Blobs
	t *testing.T
}

func (b blobs) put(key string, data []byte) error {
	return try(func() error { return b.Put(b.t.Context(), key, data) })
}

func (b blobs) get(key string) (data []byte, err error) {
	err = try(func() error { data, err = b.Get(b.t.Context(), key); return err })
	return data, err
}

func (b blobs) remove(key string) error {
	return try(func() error { return b.Delete(b.t.Context(), key) })
}

func (b blobs) want(key string, data []byte) {
	b.t.Helper()
	if got, err := b.get(key); err != nil || !bytes.Equal(got, data) {
		b.t.Errorf("blob %s: %d bytes, want %d, %v", key, len(got), len(data), err)
	}
}

func blobsCycle(t *testing.T, b blobs) {
	key := unique("runs/1/logs/step")
	_, err := b.get(key)
	wantKind(t, "absent", err, fault.NotFound)
	for _, data := range [][]byte{[]byte("one"), {}, bytes.Repeat([]byte{0, 255}, 3<<20)} {
		if err := b.put(key, data); err != nil {
			t.Fatal(err)
		}
		b.want(key, data)
	}
	for range 2 {
		if err := b.remove(key); err != nil {
			t.Fatal(err)
		}
		_, err := b.get(key)
		wantKind(t, "deleted", err, fault.NotFound)
	}
}

func blobsKeys(t *testing.T, b blobs) {
	long := unique("long/")
	long += strings.Repeat("x", 1024-len(long))
	for _, key := range []string{long, unique("ü ñ=+&?#%"), unique("a..b/...c")} {
		if err := b.put(key, []byte(key)); err != nil {
			t.Errorf("%q: %v", key, err)
		}
		b.want(key, []byte(key))
		if err := b.remove(key); err != nil {
			t.Error(err)
		}
	}
	wantKind(t, "1,025 bytes", b.put(long+"x", nil), fault.TooLarge)
	for _, key := range []string{"", "/a", "a/", "a//b", "..", "../a", "a/../b", ".", "a/./b", "a/..", "\xff"} {
		wantKind(t, "put "+key, b.put(key, []byte("x")), fault.Invalid)
		_, err := b.get(key)
		wantKind(t, "get "+key, err, fault.Invalid)
		wantKind(t, "delete "+key, b.remove(key), fault.Invalid)
	}
}

func blobsApart(t *testing.T, b blobs) {
	key := unique("a")
	keys := []string{key, key + "/b", key + "/b/c", key + "/B", key + "/b.tmp"}
	for _, k := range keys {
		if err := b.put(k, []byte(k)); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range keys {
		b.want(k, []byte(k))
		if err := b.remove(k); err != nil {
			t.Error(err)
		}
	}
}

func blobsWhole(t *testing.T, b blobs) {
	key := unique("whole")
	versions := [][]byte{bytes.Repeat([]byte("a"), 100_000), bytes.Repeat([]byte("b"), 200_000)}
	if err := b.put(key, versions[0]); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	for _, v := range versions {
		done.Go(func() {
			for range 10 {
				if err := b.put(key, v); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 50 {
		got, err := b.get(key)
		if err != nil || !bytes.Equal(got, versions[0]) && !bytes.Equal(got, versions[1]) {
			t.Errorf("read %d bytes, %v", len(got), err)
		}
	}
	done.Wait()
}
