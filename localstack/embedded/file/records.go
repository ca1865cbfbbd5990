package file

import (
	"bytes"
	"context"

	bolt "go.etcd.io/bbolt"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds of Records.Each's snapshots.
const (
	eachRecords = 256
	eachBytes   = 1 << 20
)

// maxRecordKey is what the B+tree takes as a key.
const maxRecordKey = bolt.MaxKeySize

// Records is a durable map from strings to bytes, one of many in a file, for
// adapters that keep things of their own.
type Records struct {
	f    *File
	name []byte
}

// Records returns the records of a name, which may be any but empty.
func (f *File) Records(name string) *Records {
	return &Records{f: f, name: []byte(recordsPrefix + name)}
}

// Save deletes del, then puts put, all or nothing and on the disk when it returns.
// Keys are 1 to 32,768 bytes. Concurrent calls share a commit.
func (r *Records) Save(ctx context.Context, put map[string][]byte, del []string) error {
	if len(put)+len(del) == 0 {
		return nil
	}
	size := 0
	for k, v := range put {
		if k == "" || len(k) > maxRecordKey {
			return fault.New(fault.Invalid, "a record's key has 1 to %d bytes, not %d", maxRecordKey, len(k))
		}
		size += len(k) + len(v)
	}
	return r.f.update(ctx, size, func(tx *bolt.Tx) error { return r.apply(tx, put, del) })
}

func (r *Records) apply(tx *bolt.Tx, put map[string][]byte, del []string) error {
	b, err := tx.CreateBucketIfNotExists(r.name)
	if err != nil {
		return torn{err}
	}
	for _, k := range del {
		if err := b.Delete([]byte(k)); err != nil {
			return torn{err}
		}
	}
	for k, v := range put {
		if err := b.Put([]byte(k), v); err != nil {
			return torn{err}
		}
	}
	return nil
}

// Get returns one record and whether there is one.
func (r *Records) Get(key string) ([]byte, bool, error) {
	var value []byte
	err := r.f.view(context.Background(), func(tx *bolt.Tx) error {
		if b := tx.Bucket(r.name); b != nil {
			value = bytes.Clone(b.Get([]byte(key)))
		}
		return nil
	})
	return value, value != nil, err
}

// Each calls fn for every record in the order of the keys until it fails. fn may
// call Save and keep what it gets; of records saved meanwhile it may see some.
func (r *Records) Each(fn func(key string, value []byte) error) error {
	type record struct {
		key   string
		value []byte
	}
	var from []byte
	for {
		var part []record
		err := r.f.view(context.Background(), func(tx *bolt.Tx) error {
			b := tx.Bucket(r.name)
			if b == nil {
				return nil
			}
			size := 0
			c := b.Cursor()
			for k, v := c.Seek(from); k != nil && len(part) < eachRecords && size < eachBytes; k, v = c.Next() {
				part = append(part, record{string(k), bytes.Clone(v)})
				size += len(v)
			}
			return nil
		})
		if err != nil || len(part) == 0 {
			return err
		}
		for _, rec := range part {
			if err := fn(rec.key, rec.value); err != nil {
				return err
			}
		}
		from = append([]byte(part[len(part)-1].key), 0) // the next key there can be
	}
}
