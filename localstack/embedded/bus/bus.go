// Package bus is the embedded Bus port: published events are kept as durable
// records until each subscriber has taken them, at least once, or has failed so
// often that they go to the list of dead letters.
package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds. The number of tries is EventBridge's.
const (
	maxTries   = 185
	firstPause = 100 * time.Millisecond
	maxPause   = 5 * time.Minute
	running    = 16          // deliveries to one subscriber at once
	idleFlush  = time.Second // what was taken is removed from the file so much later at most
)

// Records keeps bytes durably; file.Records does.
type Records interface {
	Save(ctx context.Context, put map[string][]byte, del []string) error
	Each(fn func(key string, value []byte) error) error
}

// Records are named "q/", the number of the event, "/", the subscriber; those of
// dead letters start with "dead/" instead.
const (
	queuePrefix = "q/"
	deadPrefix  = "dead/"
)

// Bus implements core.Bus.
type Bus struct {
	records Records
	clock   core.Clock
	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup

	mu          sync.Mutex
	started     bool
	next        uint64 // number of the next event
	subscribers []*subscriber
	waiting     map[string][]delivery // loaded or published, by subscriber, until Start
	taken       []string              // records that the next Save removes
	flushing    bool                  // a flush is due
}

type subscriber struct {
	name  string
	match func(core.BusEvent) bool
	fn    func(context.Context, core.BusEvent) error
	slots chan struct{}
}

type delivery struct {
	key   string
	event core.BusEvent
}

// New loads the events that have not been taken. Nothing is delivered before Start.
func New(records Records, clock core.Clock) (*Bus, error) {
	b := &Bus{records: records, clock: clock, waiting: map[string][]delivery{}}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	err := records.Each(func(key string, value []byte) error {
		number, name, err := parse(key)
		if err != nil {
			return err
		}
		b.next = max(b.next, number+1)
		if strings.HasPrefix(key, deadPrefix) {
			return nil
		}
		var e core.BusEvent
		if err := json.Unmarshal(value, &e); err != nil {
			return fault.New(fault.Internal, "reading event %s: %w", key, err)
		}
		b.waiting[name] = append(b.waiting[name], delivery{key, e})
		return nil
	})
	return b, err
}

func recordKey(prefix string, number uint64, subscriber string) string {
	return fmt.Sprintf("%s%016x/%s", prefix, number, subscriber)
}

func parse(key string) (number uint64, subscriber string, err error) {
	rest := strings.TrimPrefix(strings.TrimPrefix(key, queuePrefix), deadPrefix)
	hex, subscriber, _ := strings.Cut(rest, "/")
	if _, err := fmt.Sscanf(hex, "%x", &number); err != nil {
		return 0, "", fault.New(fault.Internal, "the bus cannot read record %q", key)
	}
	return number, subscriber, nil
}

// Subscribe adds a subscriber before Start. Its name must be unique and stay the
// same over restarts: what it has not taken is kept under it. match must be pure.
// fn may be called concurrently and again with the same event.
func (b *Bus) Subscribe(name string, match func(core.BusEvent) bool, fn func(context.Context, core.BusEvent) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.started {
		panic("bus: Subscribe after Start")
	}
	b.subscribers = append(b.subscribers, &subscriber{name, match, fn, make(chan struct{}, running)})
}

// Start begins to deliver. It is called once, when everyone has subscribed.
// Records of subscribers that are no more stay until they return.
func (b *Bus) Start() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.started = true
	for _, s := range b.subscribers {
		for _, d := range b.waiting[s.name] {
			b.begin(s, d)
		}
	}
	b.waiting = nil
}

// Close stops delivering, waits for the subscribers at work, whose context ends,
// and removes what was taken from the file.
func (b *Bus) Close() error {
	b.mu.Lock() // no delivery begins between this and the wait
	b.cancel()
	b.mu.Unlock()
	b.work.Wait()
	return b.save(context.Background(), nil)
}

// Publish keeps the events for the subscribers that match them, all or none. An
// event nobody matches is dropped, as a bus without a rule for it does.
func (b *Bus) Publish(ctx context.Context, events ...core.BusEvent) error {
	for _, e := range events {
		if e.ID == "" || e.Type == "" {
			return fault.New(fault.Invalid, "an event of the bus needs an id and a type: %q %q", e.ID, e.Type)
		}
	}
	put := map[string][]byte{}
	type due struct {
		s *subscriber
		d delivery
	}
	var all []due
	for _, e := range events {
		value, err := json.Marshal(e)
		switch {
		case err != nil:
			return fault.New(fault.Invalid, "event %q: %w", e.ID, err)
		case len(value) > core.MaxBusEventBytes:
			return fault.New(fault.TooLarge, "event %q has %d bytes: at most %d are allowed", e.ID, len(value), core.MaxBusEventBytes)
		}
		number, matching := b.route(e)
		for _, s := range matching {
			key := recordKey(queuePrefix, number, s.name)
			put[key] = value
			all = append(all, due{s, delivery{key, e}})
		}
	}
	if len(put) == 0 {
		return nil
	}
	if err := b.save(ctx, put); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range all {
		if b.started {
			b.begin(a.s, a.d)
		} else {
			b.waiting[a.s.name] = append(b.waiting[a.s.name], a.d)
		}
	}
	return nil
}

// route numbers an event and finds who wants it.
func (b *Bus) route(e core.BusEvent) (number uint64, matching []*subscriber) {
	b.mu.Lock()
	subscribers := b.subscribers
	number = b.next
	b.next++
	b.mu.Unlock()
	for _, s := range subscribers {
		if s.match(e) {
			matching = append(matching, s)
		}
	}
	return number, matching
}

// save puts records and removes those taken since, in one commit.
func (b *Bus) save(ctx context.Context, put map[string][]byte) error {
	b.mu.Lock()
	del := b.taken
	b.taken = nil
	b.mu.Unlock()
	err := b.records.Save(ctx, put, del)
	if err != nil {
		b.mu.Lock()
		b.taken = append(b.taken, del...)
		b.mu.Unlock()
	}
	return err
}
