package workflow

import (
	"math/rand/v2"
	"sync"
	"time"
)

// unkind makes Weak's choices.
type unkind struct {
	Weak
	mu     sync.Mutex
	random *rand.Rand
}

func newUnkind(weak *Weak) *unkind {
	if weak == nil {
		return nil
	}
	// Not for secrets: a test's choices must repeat
	return &unkind{Weak: *weak, random: rand.New(rand.NewPCG(weak.Seed, weak.Seed))}
}

// choose returns how long to wait before each invocation to make.
func (u *unkind) choose() []time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	times := 1
	if u.random.Float64() < u.Duplicate {
		times = 2
	}
	waits := make([]time.Duration, times)
	for i := range waits {
		if u.Delay > 0 {
			waits[i] = time.Duration(u.random.Int64N(int64(u.Delay) + 1))
		}
	}
	return waits
}

// dispatch hands a job to the pool, in weak mode twice or later.
func (w *Workflow) dispatch(j job) {
	if w.weak == nil {
		w.pool.push(j)
		return
	}
	for _, wait := range w.weak.choose() {
		if wait == 0 {
			w.pool.push(j)
			continue
		}
		w.Clock.AfterFunc(wait, func() {
			if w.ctx.Err() == nil {
				w.pool.push(j)
			}
		})
	}
}
