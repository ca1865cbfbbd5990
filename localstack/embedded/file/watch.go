package file

import (
	"bytes"
	"context"
	"encoding/binary"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds of Watch.
const (
	watchItems = 100     // in one batch
	watchBytes = 4 << 20 // in one batch, unless its first item is larger
	firstPause = 50 * time.Millisecond
	maxPause   = 10 * time.Second
	idleFlush  = time.Second // a cursor is saved when there has been nothing new for so long
)

// Watch delivers as core.Store says, at once, in the order of the commits, each
// item as it was written. A batch that fails comes again after a pause and half as
// large, so that one bad item holds up only those behind it. One consumer may be
// watched once at a time; a second gets fault.AlreadyExists.
func (s store) Watch(ctx context.Context, name string, fn func(context.Context, []core.Item) error) error {
	f := s.f
	if name == "" {
		return fault.New(fault.Invalid, "a watch needs a consumer's name")
	}
	c, err := f.join(name)
	if err != nil {
		return err
	}
	defer f.leave(c)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.closing, cancel)()

	limit, pause := watchItems, firstPause
	for ctx.Err() == nil {
		wake := f.stream.waker()
		items, last, err := f.readStream(ctx, f.stream.position(c), limit)
		if err == nil && last == 0 {
			f.idle(ctx, c, wake)
			continue
		}
		if err == nil && len(items) > 0 {
			err = fn(ctx, items)
		}
		if err == nil {
			f.stream.advance(c, last)
			limit, pause = watchItems, firstPause
			continue
		}
		limit = max(1, min(limit, len(items))/2)
		f.sleep(ctx, pause)
		pause = min(2*pause, maxPause)
	}
	return nil
}

func (f *File) join(name string) (*consumer, error) {
	f.stream.mu.Lock()
	defer f.stream.mu.Unlock()
	if f.closing.Err() != nil {
		return nil, fault.New(fault.Unavailable, "the data file is closed")
	}
	c := f.stream.consumers[name]
	if c == nil {
		c = &consumer{}
		f.stream.consumers[name] = c
	}
	if c.watching {
		return nil, fault.New(fault.AlreadyExists, "consumer %q is being watched already", name)
	}
	c.watching = true
	f.users.Add(1)
	return c, nil
}

func (f *File) leave(c *consumer) {
	f.stream.mu.Lock()
	c.watching = false
	f.stream.mu.Unlock()
	f.users.Done()
}

func (s *stream) waker() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wake
}

func (s *stream) position(c *consumer) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.pos
}

func (s *stream) advance(c *consumer, pos uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.pos = pos
}

// readStream returns the items behind a position and the position of the last of
// them, 0 when there are none. Items may be fewer than entries: of an item that
// was deleted after everyone had got it, nothing is left.
func (f *File) readStream(ctx context.Context, after uint64, limit int) (items []core.Item, last uint64, err error) {
	err = f.view(ctx, func(tx *bolt.Tx) error {
		current := tx.Bucket(itemBucket)
		c := tx.Bucket(streamBucket).Cursor()
		size := 0
		for k, v := c.Seek(entryKey(after + 1)); k != nil && len(items) < limit; k, v = c.Next() {
			n, at := binary.Uvarint(v)
			key, image := v[at:at+int(n)], v[at+int(n):]
			if len(image) == 0 {
				image = current.Get(key)
			}
			if size += len(image); size > watchBytes && len(items) > 0 {
				return nil
			}
			last = binary.BigEndian.Uint64(k[1:])
			if image != nil {
				items = append(items, decodeItem(keyOf(bytes.Clone(key)), image))
			}
		}
		return nil
	})
	return items, last, err
}

// idle waits for new entries, and meanwhile has the cursor saved.
func (f *File) idle(ctx context.Context, c *consumer, wake <-chan struct{}) {
	f.stream.mu.Lock()
	dirty := c.dirty()
	f.stream.mu.Unlock()
	if dirty {
		stop := f.clock.AfterFunc(idleFlush, func() {
			// Should it fail, the cursor lags: entries come twice.
			_ = f.update(f.closing, 0, f.stream.flush)
		})
		defer stop()
	}
	select {
	case <-wake:
	case <-ctx.Done():
	}
}

// sleep waits for d of the clock or the end of ctx.
func (f *File) sleep(ctx context.Context, d time.Duration) {
	over := make(chan struct{})
	stop := f.clock.AfterFunc(d, func() { close(over) })
	defer stop()
	select {
	case <-over:
	case <-ctx.Done():
	}
}
