// Package weak makes an adapter behave as badly as its port's contract allows,
// for tests: late indexes, stale reads, short pages, duplicates, disorder,
// throttling, and failure after the deed. It also taps ports, to count and crash.
package weak

import (
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/slipway-cd/slipway/shared/fault"
)

// SeedEnv names the environment variable that repeats a test's misfortunes.
const SeedEnv = "SLIPWAY_WEAK_SEED"

// Options say how bad it gets. Chances are from 0 to 1. With the same seed and
// the same order of calls, the same happens.
type Options struct {
	Seed uint64
	// Lag is for how many later calls at most a write is hidden from indexes, and
	// perhaps from reads that are not strong.
	Lag         int
	Stale       float64 // a read that is not strong is late too, within Lag
	ShortPage   float64 // a query's page ends early, or is empty but for the cursor
	Throttle    float64 // a call fails with fault.Throttled and nothing happens
	AfterCommit float64 // a write is done and yet fails with fault.Unavailable
	Duplicate   float64 // something delivered or published comes again
}

// Usual are options under which everything goes wrong now and then.
func Usual(seed uint64) Options {
	return Options{Seed: seed, Lag: 8, Stale: 0.5, ShortPage: 0.2, Throttle: 0.05, AfterCommit: 0.03, Duplicate: 0.2}
}

// Seed returns the seed that SeedEnv holds, else a new one, and logs it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv(SeedEnv), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("%s=%d repeats this", SeedEnv, seed)
	return seed
}

// dice are the options with their source of chance.
type dice struct {
	Options
	mu  sync.Mutex
	rng *rand.Rand
}

func newDice(o Options) *dice {
	return &dice{Options: o, rng: rand.New(rand.NewPCG(o.Seed, 0))}
}

func (d *dice) hit(chance float64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.Float64() < chance
}

// n returns a number from 0 to under n.
func (d *dice) n(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.IntN(n)
}

func (d *dice) throttle(op string) error {
	if d.hit(d.Throttle) {
		return fault.New(fault.Throttled, "%s: weak mode throttles", op)
	}
	return nil
}

// afterwards is what a write that has returned err returns.
func (d *dice) afterwards(op string, err error) error {
	if err == nil && d.hit(d.AfterCommit) {
		return fault.New(fault.Unavailable, "%s: weak mode fails after it was done", op)
	}
	return err
}

// shuffle puts things in another order that keeps the order of those of one key.
func shuffle[T any, K comparable](d *dice, things []T, key func(T) K) []T {
	queues := map[K][]T{}
	var keys []K
	for _, x := range things {
		k := key(x)
		if queues[k] == nil {
			keys = append(keys, k)
		}
		queues[k] = append(queues[k], x)
	}
	out := make([]T, 0, len(things))
	for len(keys) > 0 {
		i := d.n(len(keys))
		q := queues[keys[i]]
		out = append(out, q[0])
		if queues[keys[i]] = q[1:]; len(q) == 1 {
			keys = append(keys[:i], keys[i+1:]...)
		}
	}
	return out
}
