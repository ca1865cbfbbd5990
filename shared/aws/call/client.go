// Package call holds what every AWS adapter does around a call: clients that are
// built on first use and give up in time, errors given their fault kind, and waits
// between tries.
package call

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/slipway-cd/slipway/shared/core"
)

// Bounds of one call with all its tries: together at most longest, less than the
// 29 s that a function has.
const (
	attempts       = 3
	attemptTimeout = 8 * time.Second // from dialling to the end of the body
	connectTimeout = 2 * time.Second // TLS has as long again
	firstBackOff   = 100 * time.Millisecond
	throttledFirst = 500 * time.Millisecond
	maxBackOff     = time.Second
	longest        = attempts*attemptTimeout + (attempts-1)*maxBackOff
)

// Lazy returns a function that builds a client once, on its first call: a cold
// function pays only for the services it uses. What cfg does not say about tries
// and timeouts is bounded so that a call ends within 26 s.
func Lazy[T any](cfg aws.Config, build func(aws.Config) T) func() T {
	return sync.OnceValue(func() T { return build(bounded(cfg)) })
}

// bounded adds to a configuration what it leaves open; a client of its own, with a
// timeout or of another type, stays as it is.
func bounded(cfg aws.Config) aws.Config {
	if cfg.Retryer == nil {
		cfg.Retryer = retryer
	}
	client, ok := cfg.HTTPClient.(*awshttp.BuildableClient)
	if cfg.HTTPClient == nil {
		client, ok = awshttp.NewBuildableClient(), true
	}
	if ok && client.GetTimeout() == 0 {
		cfg.HTTPClient = client.WithTimeout(attemptTimeout).
			WithDialerOptions(func(d *net.Dialer) { d.Timeout = min(d.Timeout, connectTimeout) }).
			WithTransportOptions(func(t *http.Transport) { t.TLSHandshakeTimeout = min(t.TLSHandshakeTimeout, connectTimeout) })
	}
	return cfg
}

// retryer is the SDK's standard one, with its quota of tries, and a back-off that
// starts lower and ends lower than its 20 s.
func retryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff = attempts, maxBackOff
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, err error) (time.Duration, error) {
			return time.Duration(rand.Float64() * float64(ceiling(attempt, err))), nil //nolint:gosec // only to spread
		})
	})
}

// ceiling bounds the wait after a try, counted from 1.
func ceiling(attempt int, err error) time.Duration {
	first := firstBackOff
	if Throttled(err) {
		first = throttledFirst
	}
	return min(first<<min(max(attempt-1, 0), 10), maxBackOff)
}

// Pause waits until ctx ends, or for d and up to half as much again, so that those
// who were refused together do not come back together. It returns ctx's error.
func Pause(ctx context.Context, clock core.Clock, d time.Duration) error {
	done := make(chan struct{})
	defer clock.AfterFunc(d+rand.N(d/2+1), func() { close(done) })() //nolint:gosec // only to spread
	select {
	case <-done:
	case <-ctx.Done():
	}
	return ctx.Err()
}
