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
	done   map[doneKey]bool // events whose commands this process has executed
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
		e = &entry{tracks: map[string]*engine.Track{}, done: map[doneKey]bool{}}
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

type doneKey struct {
	track string
	n     int64
}

// done reports whether the commands of event n were executed by this process.
func (c *cache) done(ref Ref, n int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.runs[[2]string{ref.Account, ref.Run}]
	return e != nil && e.done[doneKey{ref.Track, n}]
}

func (c *cache) setDone(ref Ref, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry(ref.Account, ref.Run).done[doneKey{ref.Track, n}] = true
}
