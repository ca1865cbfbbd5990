// Package retry makes the ways to the world patient with what may succeed later.
package retry

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Store is a store that retries what may succeed later, with exponential back-off and
// full jitter. A Write that is retried may meet its own success as a conflict; its
// callers look at what is there.
func Store(s core.Store, clock core.Clock) core.Store { return &patient{s, clock} }

type patient struct {
	core.Store
	clock core.Clock
}

const (
	patience  = 8
	firstWait = 5 * time.Millisecond
	maxWait   = time.Second
)

func (p *patient) retry(ctx context.Context, f func() error) error {
	for i := range patience {
		err := f()
		if !fault.Retryable(err) || i == patience-1 {
			return err
		}
		wait := min(firstWait<<i, maxWait)
		if err := p.pause(ctx, rand.N(wait)+time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

func (p *patient) pause(ctx context.Context, d time.Duration) error {
	over := make(chan struct{})
	stop := p.clock.AfterFunc(d, func() { close(over) })
	defer stop()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return fault.New(fault.Canceled, "%w", ctx.Err())
	}
}

// Get implements core.Store.
func (p *patient) Get(ctx context.Context, key core.Key, strong bool) (item core.Item, err error) {
	err = p.retry(ctx, func() error { item, err = p.Store.Get(ctx, key, strong); return err })
	return item, err
}

// Query implements core.Store.
func (p *patient) Query(ctx context.Context, q core.Query) (page core.Page, err error) {
	err = p.retry(ctx, func() error { page, err = p.Store.Query(ctx, q); return err })
	return page, err
}

// Write implements core.Store.
func (p *patient) Write(ctx context.Context, puts ...core.Put) error {
	return p.retry(ctx, func() error { return p.Store.Write(ctx, puts...) })
}

// Delete implements core.Store.
func (p *patient) Delete(ctx context.Context, keys ...core.Key) error {
	return p.retry(ctx, func() error { return p.Store.Delete(ctx, keys...) })
}
