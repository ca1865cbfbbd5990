// Package call holds what every AWS adapter does around a call: clients that are
// built on first use, errors given their fault kind, and waits between tries.
package call

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/slipway-cd/slipway/shared/core"
)

// Lazy returns a function that builds a client once, on its first call: a cold
// function pays only for the services it uses.
func Lazy[T any](cfg aws.Config, build func(aws.Config) T) func() T {
	return sync.OnceValue(func() T { return build(cfg) })
}

// Pause waits for d or until ctx ends, and returns ctx's error.
func Pause(ctx context.Context, clock core.Clock, d time.Duration) error {
	done := make(chan struct{})
	defer clock.AfterFunc(d, func() { close(done) })()
	select {
	case <-done:
	case <-ctx.Done():
	}
	return ctx.Err()
}
