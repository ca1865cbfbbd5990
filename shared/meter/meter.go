// Package meter counts what runs use in the units that AWS bills, keeps the counts
// with the run, and prices them.
package meter

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
)

// When a process writes down what it has counted for a run: at the run's end, after
// so many invocations, or at its next invocation of any kind after so long. A
// process that dies loses what it has not written.
const (
	flushInvocations = 64
	flushAge         = time.Minute
	flushAtOnce      = 16    // runs at the end of one invocation
	maxBooks         = 2_000 // runs that a process counts for, about 2 KB each
)

// DefaultMemory is how many MB the functions have that do most of the work.
const DefaultMemory = 256

// Meter counts for one process. It is safe for concurrent use.
type Meter struct {
	// Memory is what the process has, in MB.
	Memory int64
	// Each writes counts at the end of every invocation and leaves the writing out
	// of them: for tests.
	Each bool
	// Estimated says that the services are stand-ins and the counts are what AWS
	// would have counted.
	Estimated bool
	// Flushed is called after counts of a run were written; what it uses is counted.
	Flushed func(ctx context.Context, account, run string)

	store   core.Store
	clock   core.Clock
	process string

	mu    sync.Mutex
	books map[name]*book
	news  map[name]*book // those with something to write
	made  int            // books ever
}

// name is a run; the zero name is what no run can be blamed for.
type name struct{ account, run string }

// book is what a process knows of a run. Its fields are guarded by Meter.mu.
type book struct {
	record    string // under which it is kept
	by        map[string]core.Use
	unflushed int // invocations
	dirty     bool
	since     time.Time // when it became so
	ended     bool

	writing sync.Mutex
}

// New returns a meter that keeps its counts in the store. process is the id of
// this process, made at its start.
func New(store core.Store, clock core.Clock, process string) *Meter {
	return &Meter{Memory: DefaultMemory, store: store, clock: clock, process: process, books: map[name]*book{}, news: map[name]*book{},
		Flushed: func(context.Context, string, string) {}}
}

// book returns a run's book, making room at the expense of one that is written.
// The caller holds mu.
func (m *Meter) book(n name) *book {
	b := m.books[n]
	if b != nil {
		return b
	}
	if len(m.books) >= maxBooks {
		for k, old := range m.books {
			if !old.dirty && k.run != "" {
				delete(m.books, k)
				break
			}
		}
	}
	m.made++
	b = &book{record: m.process + "." + strconv.Itoa(m.made), by: map[string]core.Use{}}
	m.books[n] = b
	return b
}

// add counts for a run. The caller holds mu.
func (m *Meter) add(n name, cause string, u core.Use) {
	b := m.book(n)
	sum := b.by[cause]
	sum.Add(u)
	b.by[cause] = sum
	if !b.dirty && n.run != "" {
		b.dirty, b.since = true, m.clock.Now()
		m.news[n] = b
	}
}

// Count implements core.Counter for calls outside of an invocation.
func (m *Meter) Count(ctx context.Context, u core.Use) {
	m.mu.Lock()
	defer m.mu.Unlock()
	account, run := core.RunOf(ctx)
	m.add(name{account, run}, core.CauseOf(ctx), u)
}

// RunEnded implements core.Counter.
func (m *Meter) RunEnded(ctx context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	account, run := core.RunOf(ctx)
	m.book(name{account, run}).ended = true
}

// flush writes what is due.
func (m *Meter) flush(ctx context.Context) {
	for _, n := range m.due() {
		m.Flush(ctx, n.account, n.run)
	}
}

func (m *Meter) due() []name {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock.Now()
	var due []name
	for n, b := range m.news {
		if len(due) == flushAtOnce {
			break
		}
		if m.Each || b.ended || b.unflushed >= flushInvocations || now.Sub(b.since) >= flushAge {
			due = append(due, n)
		}
	}
	return due
}

// Flush writes what this process has counted for a run, if there is news. A failure
// is made up for by the next one.
func (m *Meter) Flush(ctx context.Context, account, run string) {
	n := name{account, run}
	m.mu.Lock()
	b := m.books[n]
	m.mu.Unlock()
	if b == nil || run == "" {
		return
	}
	b.writing.Lock()
	item, ok := m.record(n, b)
	if !ok {
		b.writing.Unlock()
		return
	}
	err := m.store.Write(core.WithCounter(ctx, nil), core.Put{Item: item})
	b.writing.Unlock()
	if err != nil {
		m.mu.Lock()
		b.dirty, m.news[n] = true, b
		m.mu.Unlock()
		return
	}
	m.Flushed(core.WithRun(core.WithCause(core.WithCounter(ctx, m), "budget"), account, run), account, run)
}

// record takes a book's counts, the write of them included.
func (m *Meter) record(n name, b *book) (item core.Item, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !b.dirty {
		return item, false
	}
	key := core.UseKey(n.account, n.run, b.record)
	if !m.Each {
		m.add(n, "meter", core.Use{core.Writes: 1, core.WriteHalves: writeHalves(core.Item{Key: key, Body: encode(b.by)}, 16)})
	}
	b.dirty, b.unflushed = false, 0
	delete(m.news, n)
	return core.Item{Key: key, Body: encode(b.by), Version: 1}, true
}

// ByCause is the sum over everything this process has counted, Idle included.
func (m *Meter) ByCause() map[string]core.Use {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[string]core.Use{}
	for _, b := range m.books {
		merge(all, b.by)
	}
	return all
}

// Idle is what this process has counted for no run, by cause.
func (m *Meter) Idle() map[string]core.Use {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.book(name{}).by)
}

// Sum adds up the causes that are not in except.
func Sum(by map[string]core.Use, except ...string) core.Use {
	var sum core.Use
	for cause, u := range by {
		if !slices.Contains(except, cause) {
			sum.Add(u)
		}
	}
	return sum
}

func merge(into, from map[string]core.Use) {
	for cause, u := range from {
		sum := into[cause]
		sum.Add(u)
		into[cause] = sum
	}
}
