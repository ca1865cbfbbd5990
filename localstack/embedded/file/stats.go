package file

import (
	"math/bits"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Stats counts what the writer has done since Open.
type Stats struct {
	Commits  int64         // transactions committed, two disk syncs each
	Writes   int64         // calls that were in them
	SyncTime time.Duration // spent writing pages and waiting for the disk
	MaxBatch int           // most calls in one commit
	// Batches counts commits by size: Batches[i] those of 2^i to 2^(i+1)-1 calls.
	Batches [10]int64
}

type counter struct {
	mu sync.Mutex
	s  Stats
}

// Stats returns the counts so far.
func (f *File) Stats() Stats {
	f.writer.count.mu.Lock()
	defer f.writer.count.mu.Unlock()
	return f.writer.count.s
}

func (c *counter) add(jobs int, tx bolt.TxStats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.s.Commits++
	c.s.Writes += int64(jobs)
	c.s.SyncTime += tx.GetWriteTime()
	c.s.MaxBatch = max(c.s.MaxBatch, jobs)
	c.s.Batches[min(bits.Len(uint(jobs))-1, len(c.s.Batches)-1)]++
}
