package file

import (
	"encoding/binary"

	bolt "go.etcd.io/bbolt"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Buckets of the file. Those of Records are named "records/…".
var (
	metaBucket   = []byte("meta")   // schemaKey → number, 4 bytes
	itemBucket   = []byte("items")  // itemKey → item
	indexBucket  = []byte("index")  // indexKey → nothing
	expiryBucket = []byte("expiry") // Expires, 8 bytes, and itemKey → nothing
	streamBucket = []byte("stream") // see stream.go

	schemaKey = []byte("schema")
)

const recordsPrefix = "records/"

// schema is how this program lays a file out: step i makes version i+1 of
// version i. Steps are only ever appended.
var schema = []func(*bolt.Tx) error{
	func(tx *bolt.Tx) error {
		for _, name := range [][]byte{itemBucket, indexBucket, expiryBucket, streamBucket} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return nil
	},
}

// prepare brings the file to the newest schema, in one transaction.
func prepare(db *bolt.DB, steps []func(*bolt.Tx) error) error {
	tx, err := db.Begin(true)
	if err != nil {
		return fault.New(fault.Unavailable, "preparing the data file: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	have, err := schemaOf(tx)
	switch {
	case err != nil:
		return err
	case have > len(steps):
		return fault.New(fault.Invalid, "%s was written by a newer slipway (schema %d, this one knows %d): install that one", db.Path(), have, len(steps))
	case have == len(steps):
		return nil
	}
	for i, step := range steps[have:] {
		if err := step(tx); err != nil {
			return fault.New(fault.Internal, "migrating the data file to schema %d: %w", have+i+1, err)
		}
	}
	b, err := tx.CreateBucketIfNotExists(metaBucket)
	if err == nil {
		err = b.Put(schemaKey, binary.BigEndian.AppendUint32(nil, uint32(len(steps))))
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return fault.New(fault.Unavailable, "preparing the data file: %w", err)
	}
	return nil
}

// schemaOf reads the file's schema number, 0 when the file is new.
func schemaOf(tx *bolt.Tx) (int, error) {
	b := tx.Bucket(metaBucket)
	if b == nil {
		if name, _ := tx.Cursor().First(); name != nil {
			return 0, fault.New(fault.Invalid, "%s is another program's file: choose another data folder", tx.DB().Path())
		}
		return 0, nil
	}
	v := b.Get(schemaKey)
	if len(v) != 4 {
		return 0, fault.New(fault.Invalid, "%s has no schema number: choose another data folder", tx.DB().Path())
	}
	return int(binary.BigEndian.Uint32(v)), nil
}
