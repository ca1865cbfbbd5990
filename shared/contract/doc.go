// Package contract holds one test suite per port; every adapter runs it. The
// suites ask for what AWS promises and no more: what may be late is awaited, and
// what may come twice is counted once.
package contract

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/shared/fault"
)

// patience bounds how long a suite waits for what an adapter does in its own time.
const patience = 30 * time.Second

// eventually calls cond until it is true, and fails the test when it never is.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	within(t, patience, what, cond)
}

// within waits for cond for at most limit.
func within(t *testing.T, limit time.Duration, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(limit); !cond(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited %s in vain: %s", limit, what)
		}
	}
}

// unique makes a name no other test has used, as adapters may share a table.
func unique(prefix string) string { return prefix + "-" + rand.Text() }

// wantKind fails the test unless err is of the kind.
func wantKind(t *testing.T, what string, err error, kind fault.Kind) {
	t.Helper()
	if !fault.Is(err, kind) {
		t.Errorf("%s: error %v of kind %d, want kind %d", what, err, fault.KindOf(err), kind)
	}
}

// try calls fn again while it is throttled: the one error after which nothing
// has happened.
func try(fn func() error) error {
	for {
		if err := fn(); !fault.Is(err, fault.Throttled) {
			return err
		}
	}
}
