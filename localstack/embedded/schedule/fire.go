package schedule

import (
	"context"
	"encoding/json"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
)

// arm makes t fire at a time, which is later than t.At after a failure. The
// caller holds s.mu.
func (s *Schedule) arm(t *timer, at time.Time) {
	if s.functions == nil || s.ctx.Err() != nil {
		return
	}
	wait := max(at.Sub(s.clock.Now()), 0)
	t.stop = s.clock.AfterFunc(min(wait, longestNap), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case s.timers[t.Name] != t || s.ctx.Err() != nil:
		case s.clock.Now().Before(at):
			s.arm(t, at)
		default:
			s.fired.Add(1)
			go s.fire(t)
		}
	})
}

// fire invokes the function. The timer is removed once that has succeeded, so a
// crash in between makes it fire again.
func (s *Schedule) fire(t *timer) {
	defer s.fired.Done()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-s.ctx.Done():
		return
	}
	_, err := s.functions.Invoke(s.ctx, t.Function, t.Payload)
	if err != nil && s.ctx.Err() != nil {
		return // it fires again after the restart
	}
	defer s.lock(t.Name)()
	if !s.current(t) {
		return
	}
	var put map[string][]byte
	if err != nil {
		if t.tries++; t.tries < maxTries {
			s.again(t)
			return
		}
		put = deadRecord(t, err)
	}
	if s.records.Save(context.WithoutCancel(s.ctx), put, []string{setPrefix + t.Name}) != nil {
		s.again(t) // rather twice than a timer that is kept and never fires
		return
	}
	s.replace(t.Name, nil)
}

func (s *Schedule) current(t *timer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.timers[t.Name] == t
}

// again arms a timer that has fired in vain.
func (s *Schedule) again(t *timer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pause := maxPause
	if t.tries < 10 {
		pause = min(firstPause<<max(t.tries-1, 0), maxPause)
	}
	s.arm(t, s.clock.Now().Add(pause))
}

func deadRecord(t *timer, err error) map[string][]byte {
	value, marshal := json.Marshal(record{At: core.Millis(t.At), Function: t.Function, Payload: t.Payload, Error: err.Error()})
	if marshal != nil {
		return nil
	}
	return map[string][]byte{deadPrefix + t.Name: value}
}
