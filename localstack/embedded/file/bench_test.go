package file_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/file"
	"github.com/slipway-cd/slipway/shared/core"
)

// BenchmarkSync is the yardstick: one page overwritten and synced.
func BenchmarkSync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "raw"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, 4096)
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		begin := time.Now()
		page[0] = byte(i)
		if _, err := f.WriteAt(page, int64(i%64)*4096); err != nil {
			b.Fatal(err)
		}
		if err := datasync(f); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(begin))
	}
	percentiles(b, times)
}

func percentiles(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
}

func benchFile(b *testing.B) *file.File {
	f, err := file.Open(filepath.Join(b.TempDir(), "data"), file.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = f.Close() })
	return f
}

// watched adds the consumer that a platform has.
func watched(b *testing.B, s core.Store) {
	ctx, cancel := context.WithCancel(b.Context())
	var done sync.WaitGroup
	done.Go(func() {
		_ = s.Watch(ctx, "relay", func(context.Context, []core.Item) error { return nil })
	})
	b.Cleanup(func() { cancel(); done.Wait() })
}

// event is what the engine writes most: the next event of a track.
func event(run, n int) core.Put {
	return core.Put{
		Item: core.Item{
			Key:     core.Key{PK: fmt.Sprintf("acct#default#run#%026d", run), SK: fmt.Sprintf("track#0#event#%08d", n)},
			Body:    make([]byte, 800),
			Version: 1, Pending: true,
		},
		If: core.IfAbsent(),
	}
}

// BenchmarkWrite is one writer alone, watched: two syncs and what we add.
func BenchmarkWrite(b *testing.B) {
	f := benchFile(b)
	s := f.Store()
	watched(b, s)
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		begin := time.Now()
		if err := s.Write(b.Context(), event(i/50, i%50)); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(begin))
	}
	percentiles(b, times)
	st := f.Stats()
	b.ReportMetric(float64(st.SyncTime.Microseconds())/float64(st.Commits), "disk-µs/op")
}

// BenchmarkWriters is 200 at once, each its own run.
func BenchmarkWriters(b *testing.B) {
	const writers = 200
	f := benchFile(b)
	s := f.Store()
	watched(b, s)
	var next atomic.Int64
	b.ResetTimer()
	var done sync.WaitGroup
	for w := range writers {
		done.Go(func() {
			for n := 0; next.Add(1) <= int64(b.N); n++ {
				if err := s.Write(b.Context(), event(w, n)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	done.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
	st := f.Stats()
	b.ReportMetric(float64(st.Writes)/float64(st.Commits), "writes/commit")
}

func BenchmarkGet(b *testing.B) {
	s := benchFile(b).Store()
	p := event(0, 0)
	if err := s.Write(b.Context(), p); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Get(b.Context(), p.Item.Key, true); err != nil {
			b.Fatal(err)
		}
	}
}
