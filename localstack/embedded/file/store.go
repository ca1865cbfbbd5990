package file

import (
	"context"
	"encoding/binary"

	bolt "go.etcd.io/bbolt"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// store is the Store port on a File. Every read is strong: a snapshot taken when
// it begins.
type store struct{ f *File }

// Store returns the file's items.
func (f *File) Store() core.Store { return store{f} }

func (s store) Get(ctx context.Context, key core.Key, _ bool) (core.Item, error) {
	if err := key.Check("key"); err != nil {
		return core.Item{}, err
	}
	var it core.Item
	err := s.f.view(ctx, func(tx *bolt.Tx) error {
		v := tx.Bucket(itemBucket).Get(itemKey(key))
		if v == nil {
			return fault.New(fault.NotFound, "no item %q %q", key.PK, key.SK)
		}
		it = decodeItem(key, v)
		return nil
	})
	return it, err
}

// prepared is one Put encoded by its caller's goroutine, not the writer's.
type prepared struct {
	key, value []byte
	index      core.Key
	expires    int64
	pending    bool
	cond       core.Condition
}

func (s store) Write(ctx context.Context, puts ...core.Put) error {
	size, err := core.CheckWrite(puts)
	if err != nil {
		return err
	}
	batch := make([]prepared, len(puts))
	for i, p := range puts {
		it := p.Item
		batch[i] = prepared{itemKey(it.Key), encodeItem(it), it.Index, max(it.Expires, 0), it.Pending, p.If}
	}
	return s.f.update(ctx, size, func(tx *bolt.Tx) error { return s.f.applyWrite(tx, batch) })
}

// applyWrite checks all conditions, then puts all items.
func (f *File) applyWrite(tx *bolt.Tx, batch []prepared) error {
	items := tx.Bucket(itemBucket)
	var failed []int
	old := make([][]byte, len(batch))
	for i, p := range batch {
		old[i] = items.Get(p.key)
		if _, bound := p.cond.Version(); !bound && !p.cond.Absent() {
			continue
		}
		var version int64
		if old[i] != nil {
			version = headerOf(old[i]).version
		}
		if !p.cond.Holds(old[i] != nil, version) {
			failed = append(failed, i)
		}
	}
	if failed != nil {
		return fault.New(fault.Conflict, "write: %w", &core.ConflictError{Failed: failed})
	}
	for i, p := range batch {
		if err := f.put(tx, items, p, old[i]); err != nil {
			return torn{err}
		}
	}
	return nil
}

func (f *File) put(tx *bolt.Tx, items *bolt.Bucket, p prepared, old []byte) error {
	var was header
	if old != nil {
		was = headerOf(old)
		if err := f.stream.preserve(tx, was, old); err != nil {
			return err
		}
	}
	if p.pending {
		seq, err := f.stream.add(tx, p.key)
		if err != nil {
			return err
		}
		binary.BigEndian.PutUint64(p.value[seqAt:], seq)
	}
	if err := reindex(tx, p.key, was, p.index, p.expires); err != nil {
		return err
	}
	return items.Put(p.key, p.value)
}

// reindex moves an item's entries in the index and expiry buckets from where its
// old header has them to where they shall be; zero values mean none.
func reindex(tx *bolt.Tx, key []byte, was header, index core.Key, expires int64) error {
	if string(was.index[0]) != index.PK || string(was.index[1]) != index.SK {
		if err := move(tx.Bucket(indexBucket), was.flags&flagIndex != 0, !index.IsZero(), func(now bool) []byte {
			if now {
				return indexKey(index, key)
			}
			return indexKey(was.indexKey(), key)
		}); err != nil {
			return err
		}
	}
	if was.expires == expires {
		return nil
	}
	return move(tx.Bucket(expiryBucket), was.expires != 0, expires != 0, func(now bool) []byte {
		if now {
			return expiryKey(expires, key)
		}
		return expiryKey(was.expires, key)
	})
}

// move deletes the key of before and puts that of now, where there are such.
func move(b *bolt.Bucket, before, now bool, key func(now bool) []byte) error {
	if before {
		if err := b.Delete(key(false)); err != nil {
			return err
		}
	}
	if now {
		return b.Put(key(true), nil)
	}
	return nil
}

// deletePart bounds the keys deleted in one transaction.
const deletePart = 500

func (s store) Delete(ctx context.Context, keys ...core.Key) error {
	encoded := make([][]byte, len(keys))
	for i, k := range keys {
		if err := k.Check("key"); err != nil {
			return err
		}
		encoded[i] = itemKey(k)
	}
	for len(encoded) > 0 {
		n := min(len(encoded), deletePart)
		part := encoded[:n]
		encoded = encoded[n:]
		err := s.f.update(ctx, 0, func(tx *bolt.Tx) error {
			for _, k := range part {
				if err := s.f.remove(tx, k); err != nil {
					return torn{err}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// remove deletes an item and all that points to it.
func (f *File) remove(tx *bolt.Tx, key []byte) error {
	items := tx.Bucket(itemBucket)
	v := items.Get(key)
	if v == nil {
		return nil
	}
	was := headerOf(v)
	if err := f.stream.preserve(tx, was, v); err != nil {
		return err
	}
	if err := reindex(tx, key, was, core.Key{}, 0); err != nil {
		return err
	}
	return items.Delete(key)
}
