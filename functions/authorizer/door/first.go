package door

import (
	"context"
	"crypto/subtle"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// How long the first admin's token is believed, and a failure to read it.
const (
	keepFirst  = 5 * time.Minute
	keepFailed = 10 * time.Second
)

// firstAdmin knows the token that a deployment begins with.
type firstAdmin struct {
	secrets core.Secrets
	name    string
	clock   core.Clock

	mu     sync.Mutex
	token  string
	failed error // why the token is not known, when that may pass
	until  time.Time
}

// WithFirstAdmin makes the authorizer take the text of a secret for the first
// admin's token. A changed secret counts within five minutes.
func (a *Authorizer) WithFirstAdmin(s core.Secrets, name string, clock core.Clock) *Authorizer {
	if name != "" {
		a.first = &firstAdmin{secrets: s, name: name, clock: clock}
	}
	return a
}

// is reports whether token is the first admin's: fault.Unavailable when that
// cannot be told now. However many ask, the secret is read once in a while.
func (f *firstAdmin) is(ctx context.Context, token string) (bool, error) {
	if f == nil || token == "" {
		return false, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.clock.Now(); !now.Before(f.until) {
		f.read(ctx, now)
	}
	if f.failed != nil {
		return false, f.failed
	}
	return subtle.ConstantTimeCompare([]byte(f.token), []byte(token)) == 1, nil
}

// read reads the secret, for everybody who waits: that this request is given up
// does not end it.
func (f *firstAdmin) read(ctx context.Context, now time.Time) {
	value, err := f.secrets.Get(context.WithoutCancel(ctx), f.name)
	f.token, f.failed, f.until = strings.TrimSpace(string(value)), nil, now.Add(keepFirst)
	if err == nil {
		return
	}
	f.token, f.until = "", now.Add(keepFailed)
	switch {
	case fault.Is(err, fault.NotFound): // a deployment that does without
	case fault.Retryable(err):
		f.failed = fault.New(fault.Unavailable, "the first admin's token cannot be read now: %w", err)
	default:
		slog.ErrorContext(ctx, "the first admin's token cannot be read", "secret", f.name, "error", err)
	}
}
