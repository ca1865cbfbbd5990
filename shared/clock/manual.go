package clock

import (
	"slices"
	"sync"
	"time"
)

// Manual is a clock that stands still until a test moves it.
type Manual struct {
	mu     sync.Mutex
	armed  *sync.Cond
	now    time.Time
	made   int
	timers []*manualTimer // by time, then by making
}

type manualTimer struct {
	at time.Time
	n  int
	f  func()
}

// NewManual returns a clock that shows start.
func NewManual(start time.Time) *Manual {
	m := &Manual{now: start}
	m.armed = sync.NewCond(&m.mu)
	return m
}

// Now returns the time last set.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// AfterFunc arms f. It fires inside the Advance that reaches its time; one with
// d ≤ 0 fires at once, on its own goroutine.
func (m *Manual) AfterFunc(d time.Duration, f func()) func() {
	if d <= 0 {
		go f()
		return func() {}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made++
	t := &manualTimer{at: m.now.Add(d), n: m.made, f: f}
	i, _ := slices.BinarySearchFunc(m.timers, t, func(a, b *manualTimer) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.n - b.n
	})
	m.timers = slices.Insert(m.timers, i, t)
	m.armed.Broadcast()
	return func() { m.stop(t) }
}

func (m *Manual) stop(t *manualTimer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.timers, t); i >= 0 {
		m.timers = slices.Delete(m.timers, i, i+1)
	}
}

// Advance moves the clock by d. Timers on the way fire one after another in the
// order of their times, each at its own time and awaited before the next, as do
// those that they arm in turn. So a timer's function must not wait for the clock.
func (m *Manual) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	end := m.now.Add(d)
	for len(m.timers) > 0 && !m.timers[0].at.After(end) {
		t := m.timers[0]
		m.timers = m.timers[1:]
		m.now = t.at
		m.mu.Unlock()
		done := make(chan struct{})
		go func() { defer close(done); t.f() }()
		<-done
		m.mu.Lock()
	}
	if end.After(m.now) {
		m.now = end
	}
}

// Next returns when the earliest timer is due, false when none is armed.
func (m *Manual) Next() (time.Time, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.timers) == 0 {
		return time.Time{}, false
	}
	return m.timers[0].at, true
}

// Armed returns how many timers wait.
func (m *Manual) Armed() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.timers)
}

// Await returns once at least n timers wait: what a test does before Advance
// when another goroutine arms them.
func (m *Manual) Await(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.timers) < n {
		m.armed.Wait()
	}
}
