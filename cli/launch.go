package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"syscall"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Between them, how long a platform that has just restarted is waited for.
const (
	launchTries = 5
	launchPause = time.Second
)

// launchOnce starts a run. An answer that got lost is asked for again under the
// same idempotency key, so that one command never starts two runs.
func launchOnce(ctx context.Context, c *client.Client, l client.Launch) (client.Launched, error) {
	l.Key = rand.Text()
	return insist(ctx, func() (client.Launched, error) { return c.Launch(ctx, l) })
}

// insist repeats a call whose answer got lost.
func insist(ctx context.Context, call func() (client.Launched, error)) (client.Launched, error) {
	for try := 1; ; try++ {
		started, err := call()
		lost := fault.Is(err, fault.Unavailable) && (try > 1 || !errors.Is(err, syscall.ECONNREFUSED))
		if !lost || try == launchTries {
			return started, err
		}
		select {
		case <-time.After(launchPause):
		case <-ctx.Done():
			return started, err
		}
	}
}

// home is where a launch's pipeline lives: what it says itself comes before the flags.
func home(l client.Launch) core.Scope {
	at := core.Scope{Account: core.DefaultAccount, Org: cmp.Or(l.Org, core.DefaultOrg), Project: cmp.Or(l.Project, core.DefaultProject)}
	if e, _ := document.Read(l.YAML, document.Expected{Scope: at, Anywhere: true}); e != nil {
		return e.Scope
	}
	return at
}
