// Package file is the one data file behind an embedded Slipway: the Store port
// and durable records over a bbolt B+tree, with concurrent writes committed
// together. Whatever a call has acknowledged is on the disk: kill -9 loses nothing.
package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// lockWait is how long Open waits for another process to let go of the file.
const lockWait = time.Second

// Options of Open. The zero value is what a laptop wants.
type Options struct {
	// Clock paces retries, idle flushes and the removal of expired items; nil is
	// the system's.
	Clock core.Clock
}

// File is an open data file. Its methods may be called concurrently.
type File struct {
	db      *bolt.DB
	clock   core.Clock
	writer  writer
	stream  stream
	closing context.Context // ends when Close begins
	close   context.CancelFunc
	users   sync.WaitGroup // watches and the sweeper
	once    sync.Once
}

// Open opens the data file at path, creating it (mode 0600) with its first
// schema, or migrating it to this program's. It fails with fault.Unavailable when
// another process has it open and fault.Invalid when it is no data file or was
// written by a newer program.
func Open(path string, opts Options) (*File, error) {
	_, err := os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	db, err := bolt.Open(path, 0o600, &bolt.Options{
		Timeout:         lockWait,
		NoFreelistSync:  true, // one page less to write a commit; rebuilt on open
		FreelistType:    bolt.FreelistMapType,
		InitialMmapSize: initialMap(),
		NoStatistics:    true,
	})
	if err != nil {
		return nil, openFault(path, err)
	}
	if err := prepare(db, schema); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if fresh {
		syncFolder(filepath.Dir(path))
	}
	f := &File{db: db, clock: opts.Clock}
	if f.clock == nil {
		f.clock = clock.System()
	}
	f.closing, f.close = context.WithCancel(context.Background())
	if err := f.stream.load(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	f.writer.start(f)
	f.users.Add(1)
	go f.sweepLoop()
	return f, nil
}

// Close ends watches, commits what is queued, saves the watches' positions and
// releases the file. Calls made later fail with fault.Unavailable. A function
// given to Watch must not call it.
func (f *File) Close() error {
	var err error
	f.once.Do(func() {
		f.stream.mu.Lock() // no watch joins between this and the wait
		f.close()
		f.stream.mu.Unlock()
		f.users.Wait()
		f.writer.stop()
		err = f.db.Close()
	})
	return err
}

// initialMap is the address space reserved at once: remapping would make the
// writer wait for readers. Windows grows the file to the map, so it gets little.
func initialMap() int {
	if runtime.GOOS == "windows" || ^uint(0)>>32 == 0 {
		return 16 << 20
	}
	return 1 << 30
}

// syncFolder makes a new file's name durable. Some systems cannot; there the
// file system does it in its own time.
func syncFolder(path string) {
	if dir, err := os.Open(path); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}

func openFault(path string, err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return fault.New(fault.Unavailable, "another slipway is using %s: stop it, or choose another data folder", path)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, berrors.ErrChecksum):
		return fault.New(fault.Invalid, "%s is not a slipway data file: move it away, or choose another data folder", path)
	default:
		return fault.New(fault.Unavailable, "opening the data file: %w", err)
	}
}

// view runs fn on a snapshot. fn must be short: while it runs, pages that writes
// set free cannot be used again.
func (f *File) view(ctx context.Context, fn func(tx *bolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Canceled, "reading the data file: %w", err)
	}
	tx, err := f.db.Begin(false)
	if err != nil {
		return fault.New(fault.Unavailable, "reading the data file: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	return fn(tx)
}
