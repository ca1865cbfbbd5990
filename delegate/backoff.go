package delegate

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Backoff says how long to wait before a failed call is tried again: First,
// doubled each time up to Max, of which a random half is left out.
type Backoff struct {
	First, Max time.Duration
}

// DefaultBackoff is used for every call to the server.
var DefaultBackoff = Backoff{First: 200 * time.Millisecond, Max: 15 * time.Second}

// Delay is the wait after the given number of failures in a row, from 1.
func (b Backoff) Delay(failures int) time.Duration {
	d := b.First
	for range min(failures-1, 30) {
		if d *= 2; d >= b.Max {
			d = b.Max
			break
		}
	}
	return d/2 + rand.N(d/2+1)
}

// jitter adds up to a tenth, so that delegates do not call in step.
func jitter(d time.Duration) time.Duration { return d + rand.N(d/10+1) }

// final reports whether trying the same call again can only fail again. A missing
// route or a refused credential may be put right; a completion is never given up
// for it.
func final(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Gone, fault.Unsupported:
		return true
	default:
		return false
	}
}

// persist calls f until it succeeds, cannot succeed any more, or ctx ends.
func (d *Delegate) persist(ctx context.Context, what string, f func() error) error {
	for failures := 1; ; failures++ {
		err := f()
		if err == nil || final(err) || ctx.Err() != nil {
			return err
		}
		d.log.Warn("call failed, trying again", "call", what, "failures", failures, "error", err)
		if !sleep(ctx, d.cfg.Clock, d.cfg.Retry.Delay(failures)) {
			return ctx.Err()
		}
	}
}

// sleep waits, and reports false when ctx ended before.
func sleep(ctx context.Context, clock core.Clock, d time.Duration) bool {
	over := make(chan struct{})
	defer clock.AfterFunc(d, func() { close(over) })()
	select {
	case <-over:
		return true
	case <-ctx.Done():
		return false
	}
}
