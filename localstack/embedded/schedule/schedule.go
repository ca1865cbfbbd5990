// Package schedule is the embedded Schedule port: one-shot timers kept as
// durable records, armed again when the program starts, and fired at least once.
package schedule

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"regexp"
	"sync"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds. The number of tries is EventBridge Scheduler's.
const (
	maxTries   = 185
	firstPause = time.Second
	maxPause   = 5 * time.Minute
	running    = 64 // functions invoked at once
	// longestNap bounds how long a timer sleeps unchecked: a laptop's clock stands
	// still while it is closed, the times of timers do not.
	longestNap = time.Minute
)

var nameRule = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// Records keeps bytes durably; file.Records does.
type Records interface {
	Save(ctx context.Context, put map[string][]byte, del []string) error
	Each(fn func(key string, value []byte) error) error
}

// Schedule implements core.Schedule.
type Schedule struct {
	records   Records
	clock     core.Clock
	functions core.Functions
	ctx       context.Context
	cancel    context.CancelFunc
	slots     chan struct{}
	fired     sync.WaitGroup

	seed  maphash.Seed
	names [64]sync.Mutex // each orders the changes of the names that hash to it

	mu     sync.Mutex
	timers map[string]*timer
}

// timer is a timer that is set; a new Set makes a new one.
type timer struct {
	core.Timer
	tries int
	stop  func()
}

// record is how a timer is kept, under "t/" and its name, or under "dead/" when
// its function has failed too often.
type record struct {
	At       int64           `json:"at"` // ms since 1970
	Function string          `json:"function"`
	Payload  json.RawMessage `json:"payload,omitempty"`
	Error    string          `json:"error,omitempty"` // of a dead one
}

const (
	setPrefix  = "t/"
	deadPrefix = "dead/"
)

// New loads the timers that are set. None fires before Start.
func New(records Records, clock core.Clock) (*Schedule, error) {
	s := &Schedule{
		records: records, clock: clock, slots: make(chan struct{}, running),
		seed: maphash.MakeSeed(), timers: map[string]*timer{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	err := records.Each(func(key string, value []byte) error {
		if len(key) <= len(setPrefix) || key[:len(setPrefix)] != setPrefix {
			return nil
		}
		var r record
		if err := json.Unmarshal(value, &r); err != nil {
			return fault.New(fault.Internal, "reading timer %s: %w", key, err)
		}
		name := key[len(setPrefix):]
		s.timers[name] = &timer{Timer: core.Timer{Name: name, At: time.UnixMilli(r.At), Function: r.Function, Payload: r.Payload}}
		return nil
	})
	return s, err
}

// Start arms all timers; from now on they invoke functions. Overdue ones fire at
// once. It is called once.
func (s *Schedule) Start(functions core.Functions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.functions = functions
	for _, t := range s.timers {
		s.arm(t, t.At)
	}
}

// Close stops firing and waits for the functions under way, whose context ends.
func (s *Schedule) Close() {
	s.cancel()
	s.mu.Lock()
	for _, t := range s.timers {
		t.disarm()
	}
	s.mu.Unlock()
	s.fired.Wait()
}

func (t *timer) disarm() {
	if t.stop != nil {
		t.stop()
	}
}

// Set creates or moves a timer; a time in the past fires at once. fault.Invalid
// when the name, function or payload is malformed.
func (s *Schedule) Set(ctx context.Context, t core.Timer) error {
	switch {
	case !nameRule.MatchString(t.Name):
		return fault.New(fault.Invalid, "timer %q: a name is 1 to 64 letters, digits, - _ and .", t.Name)
	case t.Function == "":
		return fault.New(fault.Invalid, "timer %q has no function", t.Name)
	case len(t.Payload) > 0 && !json.Valid(t.Payload):
		return fault.New(fault.Invalid, "timer %q: the payload is not JSON", t.Name)
	case len(t.Payload) > core.MaxPayloadBytes:
		return fault.New(fault.TooLarge, "timer %q: a payload of %d bytes, at most %d are allowed", t.Name, len(t.Payload), core.MaxPayloadBytes)
	}
	t.At = time.UnixMilli(core.Millis(t.At)) // as it will be after a restart
	value, err := json.Marshal(record{At: core.Millis(t.At), Function: t.Function, Payload: t.Payload})
	if err != nil {
		return fault.New(fault.Internal, "timer %q: %w", t.Name, err)
	}
	defer s.lock(t.Name)()
	if err := s.records.Save(ctx, map[string][]byte{setPrefix + t.Name: value}, nil); err != nil {
		return err
	}
	s.replace(t.Name, &timer{Timer: t})
	return nil
}

// Cancel removes a timer. One that is firing just now may still be invoked.
func (s *Schedule) Cancel(ctx context.Context, name string) error {
	defer s.lock(name)()
	s.mu.Lock()
	known := s.timers[name] != nil
	s.mu.Unlock()
	if !known {
		return nil
	}
	if err := s.records.Save(ctx, nil, []string{setPrefix + name}); err != nil {
		return err
	}
	s.replace(name, nil)
	return nil
}

func (s *Schedule) lock(name string) (unlock func()) {
	m := &s.names[maphash.String(s.seed, name)%uint64(len(s.names))]
	m.Lock()
	return m.Unlock
}

// replace makes t, or nothing, the timer of that name.
func (s *Schedule) replace(name string, t *timer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.timers[name]; old != nil {
		old.disarm()
	}
	delete(s.timers, name)
	if t != nil {
		s.timers[name] = t
		s.arm(t, t.At)
	}
}
