package door_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/functions/authorizer/door"
	"github.com/slipway-cd/slipway/localstack/embedded/file"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
)

// oneSecret is a Secrets port with one value or one failure, which counts.
type oneSecret struct {
	core.Secrets
	mu    sync.Mutex
	value string
	err   error
	reads int
}

// Get implements core.Secrets.
func (s *oneSecret) Get(ctx context.Context, name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if name != "admin-token" {
		return nil, fault.New(fault.NotFound, "no secret %q", name)
	}
	if ctx.Err() != nil {
		return nil, fault.New(fault.Canceled, "%w", ctx.Err())
	}
	return []byte(s.value), s.err
}

// withFirst is an authorizer of an empty store whose first admin's token is in s.
func withFirst(t *testing.T, s *oneSecret) (*door.Authorizer, *clock.Manual, *govern.Govern) {
	t.Helper()
	f, err := file.Open(filepath.Join(t.TempDir(), "db"), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	c := clock.NewManual(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	g := govern.New(f.Store(), c)
	return door.New(g).WithFirstAdmin(s, "admin-token", c), c, g
}

// says is the kind of error that a token is answered with, -1 for the first admin.
func says(t *testing.T, a *door.Authorizer, token string) fault.Kind {
	t.Helper()
	p, err := a.Authorize(t.Context(), door.Request{Token: token})
	if err != nil {
		return fault.KindOf(err)
	}
	if p.Actor.ID != "admin" || !p.Admin || p.Kind != core.PrincipalUser || p.Account != core.DefaultAccount {
		t.Errorf("the first admin is %+v", p)
	}
	return admitted
}

const admitted fault.Kind = -1

func TestFirstAdmin(t *testing.T) {
	broken := fault.New(fault.Forbidden, "AccessDenied")
	throttled := fault.New(fault.Throttled, "slow down")
	tests := map[string]struct {
		secret string
		err    error
		token  string
		want   fault.Kind
	}{
		"the token":                    {"s3cret-token", nil, "s3cret-token", admitted},
		"with a line end":              {" s3cret-token\n", nil, "s3cret-token", admitted},
		"a longer one":                 {"s3cret-token", nil, "s3cret-token2", fault.Unauthenticated},
		"a shorter one":                {"s3cret-token", nil, "s3cret-toke", fault.Unauthenticated},
		"of the same length":           {"s3cret-token", nil, "s3cret-tokem", fault.Unauthenticated},
		"no token":                     {"s3cret-token", nil, "", fault.Unauthenticated},
		"no token, empty secret":       {"", nil, "", fault.Unauthenticated},
		"blank token, empty secret":    {"", nil, " ", fault.Unauthenticated},
		"blank token, blank secret":    {" \n", nil, " ", fault.Unauthenticated},
		"a token, empty secret":        {"", nil, "x", fault.Unauthenticated},
		"no secret":                    {"", fault.New(fault.NotFound, "no secret"), "x", fault.Unauthenticated},
		"a secret that may come":       {"", throttled, "x", fault.Unavailable},
		"no token, may come":           {"", throttled, "", fault.Unauthenticated},
		"a secret that is out of hand": {"", broken, "x", fault.Unauthenticated},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a, _, _ := withFirst(t, &oneSecret{value: tc.secret, err: tc.err})
			if got := says(t, a, tc.token); got != tc.want {
				t.Errorf("kind %d, want %d", got, tc.want)
			}
		})
	}
}

// TestFirstAdminIsReadOnceInAWhile counts reads of the secret: one in five
// minutes, one in ten seconds after a failure, whoever asks how often.
func TestFirstAdminIsReadOnceInAWhile(t *testing.T) {
	s := &oneSecret{value: "one"}
	a, c, _ := withFirst(t, s)
	ask := func(after time.Duration, reads int, tokens map[string]fault.Kind) {
		t.Helper()
		c.Advance(after)
		for token, want := range tokens {
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					if got := says(t, a, token); got != want {
						t.Errorf("%s: kind %d, want %d", token, got, want)
					}
				})
			}
			all.Wait()
		}
		if s.reads != reads {
			t.Errorf("the secret was read %d times, want %d", s.reads, reads)
		}
	}
	ask(0, 1, map[string]fault.Kind{"guess": fault.Unauthenticated, "guess2": fault.Unauthenticated, "one": admitted})
	s.value = "two"
	ask(5*time.Minute-time.Millisecond, 1, map[string]fault.Kind{"one": admitted, "two": fault.Unauthenticated})
	ask(time.Millisecond, 2, map[string]fault.Kind{"one": fault.Unauthenticated, "two": admitted})
	s.err = fault.New(fault.Throttled, "slow down")
	ask(5*time.Minute, 3, map[string]fault.Kind{"two": fault.Unavailable, "guess": fault.Unavailable})
	s.err = nil
	ask(10*time.Second-time.Millisecond, 3, map[string]fault.Kind{"two": fault.Unavailable})
	ask(time.Millisecond, 4, map[string]fault.Kind{"two": admitted})
}

// TestFirstAdminOfOneWhoLeft shows that a request that is given up does not make
// the next ones wait.
func TestFirstAdminOfOneWhoLeft(t *testing.T) {
	a := door.New(govern.New(emptyStore{}, clock.NewManual(time.Unix(0, 0)))).WithFirstAdmin(&oneSecret{value: "one"}, "admin-token", clock.NewManual(time.Unix(0, 0)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = a.Authorize(ctx, door.Request{Token: "guess"})
	if got := says(t, a, "one"); got != admitted {
		t.Errorf("kind %d", got)
	}
}

// TestFirstAdminIsTheStoredOne takes name and groups of a user admin that there is.
func TestFirstAdminIsTheStoredOne(t *testing.T) {
	a, _, g := withFirst(t, &oneSecret{value: "one"})
	if err := g.PutUser(t.Context(), core.DefaultAccount, core.User{ID: "admin", Name: "Ada", Groups: []string{"owners"}}); err != nil {
		t.Fatal(err)
	}
	p, err := a.Authorize(t.Context(), door.Request{Token: "one"})
	if err != nil || p.Actor.Name != "Ada" || p.Actor.Groups[0] != "owners" || !p.Admin {
		t.Error(p, err)
	}
}

// emptyStore holds nothing, and says so to those who have left as well.
type emptyStore struct{ core.Store }

// Get implements core.Store.
func (emptyStore) Get(context.Context, core.Key, bool) (core.Item, error) {
	return core.Item{}, fault.New(fault.NotFound, "nothing is here")
}

// throttledStore fails every read.
type throttledStore struct{ core.Store }

// Get implements core.Store.
func (throttledStore) Get(context.Context, core.Key, bool) (core.Item, error) {
	return core.Item{}, fault.New(fault.Throttled, "slow down")
}

// TestAStoreThatIsThrottledRefusesNobody keeps what may succeed later apart from
// a token that is not known.
func TestAStoreThatIsThrottledRefusesNobody(t *testing.T) {
	s := &oneSecret{value: "one"}
	a := door.New(govern.New(throttledStore{}, clock.NewManual(time.Unix(0, 0)))).WithFirstAdmin(s, "admin-token", clock.NewManual(time.Unix(0, 0)))
	if got := says(t, a, "one"); got != fault.Throttled || s.reads != 0 {
		t.Errorf("kind %d after %d reads of the secret", got, s.reads)
	}
}
