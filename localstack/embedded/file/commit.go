package file

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"syscall"

	bolt "go.etcd.io/bbolt"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds of one commit. A job over maxBatchBytes is committed alone.
const (
	maxBatchJobs  = 512
	maxBatchBytes = 8 << 20
)

// job is one caller's change. apply decides first and changes afterwards: when it
// returns an error it has changed nothing, unless the error is torn.
type job struct {
	apply func(tx *bolt.Tx) error
	size  int
	done  chan error
}

// torn wraps an error met half-way through a change: the transaction is lost.
type torn struct{ error }

func (t torn) Unwrap() error { return t.error }

// writer is the one goroutine that commits. It takes whatever has queued up and
// commits it in one transaction, so that callers share the two disk syncs.
type writer struct {
	mu      sync.Mutex
	queue   []*job
	stopped bool
	wake    chan struct{} // holds one token while there may be work
	done    chan struct{}
	broken  error // why nothing can be committed any more; the writer's own
	count   counter
}

func (w *writer) start(f *File) {
	w.wake = make(chan struct{}, 1)
	w.done = make(chan struct{})
	go f.commitLoop()
}

func (w *writer) stop() {
	w.mu.Lock()
	w.stopped = true
	w.mu.Unlock()
	w.poke()
	<-w.done
}

func (w *writer) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// update queues a change and waits for its verdict. Once queued, the end of ctx
// no longer counts: the wait is a matter of milliseconds, and its answer certain.
func (f *File) update(ctx context.Context, size int, apply func(tx *bolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Canceled, "writing: %w", err)
	}
	j := &job{apply: apply, size: size, done: make(chan error, 1)}
	w := &f.writer
	w.mu.Lock()
	if w.stopped {
		w.mu.Unlock()
		return fault.New(fault.Unavailable, "the data file is closed")
	}
	w.queue = append(w.queue, j)
	w.mu.Unlock()
	w.poke()
	return <-j.done
}

func (f *File) commitLoop() {
	w := &f.writer
	defer close(w.done)
	for range w.wake {
		for {
			runtime.Gosched() // lets those just answered queue again: fuller batches, no delay
			jobs, stopped := w.take()
			if len(jobs) > 0 {
				f.commit(jobs)
				continue
			}
			if stopped {
				if f.stream.dirty() {
					f.commit([]*job{{apply: f.stream.flush, done: make(chan error, 1)}})
				}
				return
			}
			break
		}
	}
}

// take returns the next batch.
func (w *writer) take() (jobs []*job, stopped bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, size := 0, 0
	for n < len(w.queue) && n < maxBatchJobs {
		size += w.queue[n].size
		if n > 0 && size > maxBatchBytes {
			break
		}
		n++
	}
	jobs = w.queue[:n:n]
	if w.queue = w.queue[n:]; len(w.queue) == 0 {
		w.queue = nil
	}
	return jobs, w.stopped
}

// commit runs the jobs in one transaction and answers each: one whose condition
// fails does not hinder the others. If one tears, each gets a transaction of its own.
func (f *File) commit(jobs []*job) {
	verdicts := make([]error, len(jobs))
	err := f.transact(jobs, verdicts)
	if t := (torn{}); errors.As(err, &t) && len(jobs) > 1 {
		for _, j := range jobs {
			f.commit([]*job{j})
		}
		return
	}
	for i, j := range jobs {
		if err != nil {
			// Conflicts too: what they conflicted with may not have happened.
			verdicts[i] = fault.New(fault.Unavailable, "writing the data file: %w", err)
		}
		j.done <- verdicts[i]
	}
}

func (f *File) transact(jobs []*job, verdicts []error) error {
	w := &f.writer
	if w.broken != nil {
		return w.broken
	}
	tx, err := f.db.Begin(true)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	f.stream.begin()
	changed := false
	for i, j := range jobs {
		verdicts[i] = j.apply(tx)
		if t := (torn{}); errors.As(verdicts[i], &t) {
			return t
		}
		changed = changed || verdicts[i] == nil
	}
	if !changed {
		return nil
	}
	if err := f.stream.piggyback(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
			// After a failed sync the kernel may have dropped the pages: nothing
			// written from here on could be trusted.
			w.broken = fault.New(fault.Unavailable, "an earlier write failed, restart slipway: %w", err)
		}
		return err
	}
	w.count.add(len(jobs), tx.Stats())
	f.stream.committed()
	return nil
}
