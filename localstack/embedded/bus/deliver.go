package bus

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Dead is an event that a subscriber has failed to take.
type Dead struct {
	Subscriber string        `json:"subscriber"`
	Error      string        `json:"error"` // of the last try
	Tries      int           `json:"tries"`
	Event      core.BusEvent `json:"event"`
}

// Dead returns the dead letters, oldest first.
func (b *Bus) Dead() ([]Dead, error) {
	var all []Dead
	err := b.records.Each(func(key string, value []byte) error {
		if !strings.HasPrefix(key, deadPrefix) {
			return nil
		}
		var d Dead
		if err := json.Unmarshal(value, &d); err != nil {
			return fault.New(fault.Internal, "reading dead letter %s: %w", key, err)
		}
		all = append(all, d)
		return nil
	})
	return all, err
}

// begin starts a delivery. The caller holds b.mu.
func (b *Bus) begin(s *subscriber, d delivery) {
	if b.ctx.Err() != nil {
		return // it is kept
	}
	b.work.Add(1)
	go b.deliver(s, d)
}

// deliver tries until the subscriber has taken the event. Tries are counted from
// the start of the program.
func (b *Bus) deliver(s *subscriber, d delivery) {
	defer b.work.Done()
	pause := firstPause
	for tries := 1; b.ctx.Err() == nil; tries++ {
		err := b.try(s, d.event)
		switch {
		case err == nil:
			b.ack(d.key)
			return
		case b.ctx.Err() != nil:
			return
		case tries >= maxTries && b.bury(s, d, err, tries) == nil:
			return
		}
		b.sleep(pause)
		pause = min(2*pause, maxPause)
	}
}

func (b *Bus) try(s *subscriber, e core.BusEvent) error {
	select {
	case s.slots <- struct{}{}:
	case <-b.ctx.Done():
		return b.ctx.Err()
	}
	defer func() { <-s.slots }()
	return s.fn(b.ctx, e)
}

// ack notes that a record may go. It costs no commit of its own: it rides along
// with the next event published, or is one of many. Till then a crash makes the
// event come twice.
func (b *Bus) ack(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = append(b.taken, key)
	if b.flushing || b.ctx.Err() != nil {
		return
	}
	b.flushing = true
	b.work.Add(1)
	go b.flushLater()
}

func (b *Bus) flushLater() {
	defer b.work.Done()
	b.sleep(idleFlush)
	b.mu.Lock()
	b.flushing = false
	idle := len(b.taken) == 0
	b.mu.Unlock()
	if !idle && b.ctx.Err() == nil {
		_ = b.save(b.ctx, nil) // kept for the next save when it fails
	}
}

// bury moves an event to the dead letters.
func (b *Bus) bury(s *subscriber, d delivery, cause error, tries int) error {
	value, err := json.Marshal(Dead{s.name, cause.Error(), tries, d.event})
	if err != nil {
		return err
	}
	put := map[string][]byte{deadPrefix + strings.TrimPrefix(d.key, queuePrefix): value}
	return b.records.Save(b.ctx, put, []string{d.key})
}

func (b *Bus) sleep(d time.Duration) {
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	defer b.clock.AfterFunc(d, cancel)()
	<-ctx.Done()
}
