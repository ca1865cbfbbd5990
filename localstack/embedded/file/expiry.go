package file

import (
	"bytes"
	"encoding/binary"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Expired items are removed a good while late, as DynamoDB does: nobody may rely
// on either.
const (
	sweepEvery = 15 * time.Minute
	sweepGrace = time.Hour
	sweepPart  = 200 // items in one transaction
)

func (f *File) sweepLoop() {
	defer f.users.Done()
	for {
		f.sleep(f.closing, sweepEvery)
		if f.closing.Err() != nil {
			return
		}
		_ = f.sweep() // what fails now is swept next time
	}
}

// sweep removes all items that expired at least sweepGrace ago.
func (f *File) sweep() error {
	limit := f.clock.Now().Add(-sweepGrace).Unix()
	for {
		n := 0
		err := f.update(f.closing, 0, func(tx *bolt.Tx) error {
			var old [][]byte
			c := tx.Bucket(expiryBucket).Cursor()
			for k, _ := c.First(); k != nil && len(old) < sweepPart; k, _ = c.Next() {
				if int64(binary.BigEndian.Uint64(k)) > limit {
					break
				}
				old = append(old, k[8:])
			}
			for _, k := range old {
				if err := f.remove(tx, bytes.Clone(k)); err != nil {
					return torn{err}
				}
			}
			n = len(old)
			return nil
		})
		if err != nil || n < sweepPart {
			return err
		}
	}
}
