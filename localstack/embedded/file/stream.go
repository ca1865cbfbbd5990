package file

import (
	"bytes"
	"encoding/binary"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// The stream bucket. Cursors come before entries, so that a short stream with its
// cursors is one page:
//
//	0 consumer's name     → sequence number it has got, 8 bytes
//	1 number, 8 bytes     → length of the item's key, the key, [image]
//
// The image is kept only when the item is replaced or deleted before everyone
// has got it; otherwise the item itself is the image.
const (
	cursorPrefix = 0
	entryPrefix  = 1
)

// Bounds of what rides along with a commit that was under way anyhow.
const (
	trimPart  = 256 // entries removed
	saveAfter = 64  // deliveries a cursor may lag when the commit has no new entry
)

// stream keeps the positions of the consumers. Fields below mu are guarded by it;
// the others belong to the writer.
type stream struct {
	added bool              // the transaction under way has a new entry
	wrote map[string]uint64 // cursors it saves

	mu        sync.Mutex
	consumers map[string]*consumer
	wake      chan struct{} // closed and replaced when there are new entries
}

type consumer struct {
	pos      uint64 // delivered up to here
	saved    uint64 // as the file has it
	stored   bool   // the file has it
	watching bool
}

func entryKey(seq uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{entryPrefix}, seq)
}

func cursorKey(name string) []byte { return append([]byte{cursorPrefix}, name...) }

func (s *stream) load(db *bolt.DB) error {
	s.consumers = map[string]*consumer{}
	s.wake = make(chan struct{})
	return db.View(func(tx *bolt.Tx) error {
		c := tx.Bucket(streamBucket).Cursor()
		for k, v := c.First(); k != nil && k[0] == cursorPrefix; k, v = c.Next() {
			pos := binary.BigEndian.Uint64(v)
			s.consumers[string(k[1:])] = &consumer{pos: pos, saved: pos, stored: true}
		}
		return nil
	})
}

// begin forgets what a transaction that was not committed has left.
func (s *stream) begin() {
	s.added = false
	s.wrote = nil
}

// add appends an entry for the item.
func (s *stream) add(tx *bolt.Tx, key []byte) (uint64, error) {
	b := tx.Bucket(streamBucket)
	b.FillPercent = 0.95 // entries are only appended
	seq, err := b.NextSequence()
	if err != nil {
		return 0, err
	}
	s.added = true
	return seq, b.Put(entryKey(seq), append(binary.AppendUvarint(nil, uint64(len(key))), key...))
}

// preserve keeps the image of a pending item that is about to be replaced or
// deleted before every consumer has got it.
func (s *stream) preserve(tx *bolt.Tx, was header, value []byte) error {
	if was.flags&flagPending == 0 || was.seq <= s.delivered() {
		return nil
	}
	b := tx.Bucket(streamBucket)
	k := entryKey(was.seq)
	entry := b.Get(k)
	if entry == nil {
		return nil
	}
	return b.Put(k, append(bytes.Clone(entry), value...))
}

// delivered is the number up to which every known consumer has got everything.
func (s *stream) delivered() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.least()
}

func (s *stream) least() uint64 {
	if len(s.consumers) == 0 {
		return 0
	}
	low := ^uint64(0)
	for _, c := range s.consumers {
		low = min(low, c.pos)
	}
	return low
}

// piggyback saves cursors when that costs next to nothing, or is overdue.
func (s *stream) piggyback(tx *bolt.Tx) error {
	s.mu.Lock()
	due := s.added
	for _, c := range s.consumers {
		due = due || c.pos-c.saved >= saveAfter
	}
	s.mu.Unlock()
	if !due || s.wrote != nil {
		return nil
	}
	return s.flush(tx)
}

// flush saves all cursors that have moved and removes entries everyone has got.
// Cursors are saved together, so that trimming never overtakes one.
func (s *stream) flush(tx *bolt.Tx) error {
	b := tx.Bucket(streamBucket)
	s.mu.Lock()
	s.wrote = map[string]uint64{}
	for name, c := range s.consumers {
		if c.dirty() {
			s.wrote[name] = c.pos
		}
	}
	low := s.least()
	s.mu.Unlock()
	for name, pos := range s.wrote {
		if err := b.Put(cursorKey(name), binary.BigEndian.AppendUint64(nil, pos)); err != nil {
			return torn{err}
		}
	}
	if err := trim(b, low); err != nil {
		return torn{err}
	}
	return nil
}

func trim(b *bolt.Bucket, upTo uint64) error {
	var old [][]byte
	c := b.Cursor()
	for k, _ := c.Seek([]byte{entryPrefix}); k != nil && len(old) < trimPart; k, _ = c.Next() {
		if binary.BigEndian.Uint64(k[1:]) > upTo {
			break
		}
		old = append(old, bytes.Clone(k))
	}
	for _, k := range old {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

// dirty reports whether a cursor has moved since it was saved.
func (s *stream) dirty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.consumers {
		if c.dirty() {
			return true
		}
	}
	return false
}

func (c *consumer) dirty() bool { return c.pos != c.saved || !c.stored }

// committed tells the consumers of the transaction.
func (s *stream) committed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, pos := range s.wrote {
		if c := s.consumers[name]; c != nil {
			c.saved, c.stored = pos, true
		}
	}
	if s.added {
		close(s.wake)
		s.wake = make(chan struct{})
	}
}
