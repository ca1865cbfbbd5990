package journal

import (
	"sync"

	"github.com/slipway-cd/slipway/shared/engine"
)

// cacheRuns is of how many runs a process remembers the state.
const cacheRuns = 20_000

// cache remembers runs and folds. Entries are never changed, only replaced; a
// track that is out of date is found out by the conditional put.
type cache struct {
	mu   sync.Mutex
	runs map[[2]string]*entry // by account and run
}

type entry struct {
	run    *engine.Run
	tracks map[string]*engine.Track
	work   map[eventKey]*work // events whose commands this process executes or has executed
}

func newCache() *cache { return &cache{runs: map[[2]string]*entry{}} }

// entry returns the run's entry, making room at the expense of any other run.
// The caller holds mu.
func (c *cache) entry(account, run string) *entry {
	key := [2]string{account, run}
	e := c.runs[key]
	if e == nil {
		if len(c.runs) >= cacheRuns {
			for k := range c.runs {
				delete(c.runs, k)
				break
			}
		}
		e = &entry{tracks: map[string]*engine.Track{}, work: map[eventKey]*work{}}
		c.runs[key] = e
	}
	return e
}

func (c *cache) run(account, run string) *engine.Run {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.runs[[2]string{account, run}]; e != nil {
		return e.run
	}
	return nil
}

func (c *cache) setRun(account, run string, r *engine.Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry(account, run).run = r
}

func (c *cache) track(ref Ref) *engine.Track {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.runs[[2]string{ref.Account, ref.Run}]; e != nil {
		return e.tracks[ref.Track]
	}
	return nil
}

// setTrack keeps the newer of the states.
func (c *cache) setTrack(ref Ref, t *engine.Track) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entry(ref.Account, ref.Run)
	if old := e.tracks[ref.Track]; old == nil || old.N < t.N {
		e.tracks[ref.Track] = t
	}
}

type eventKey struct {
	track string
	n     int64
}

// work is the execution of one event's commands. over is closed at its end; ok
// says then whether all were executed.
type work struct {
	over chan struct{}
	ok   bool
}

// begin takes on the execution of event n's commands, or returns the one that is
// under way or has succeeded.
func (c *cache) begin(ref Ref, n int64) (w *work, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entry(ref.Account, ref.Run)
	key := eventKey{ref.Track, n}
	if w := e.work[key]; w != nil {
		return w, false
	}
	w = &work{over: make(chan struct{})}
	e.work[key] = w
	return w, true
}

// end records how it went; what failed may be begun again.
func (c *cache) end(ref Ref, n int64, w *work, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.ok = ok
	close(w.over)
	if !ok {
		delete(c.entry(ref.Account, ref.Run).work, eventKey{ref.Track, n})
	}
}

// executed reports whether the commands of event n were executed by this process.
func (c *cache) executed(ref Ref, n int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.runs[[2]string{ref.Account, ref.Run}]
	if e == nil {
		return false
	}
	w := e.work[eventKey{ref.Track, n}]
	return w != nil && w.ok
}
