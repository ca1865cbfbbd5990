package workflow

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/shared/core"
)

// Records is durable keyed bytes. Save is atomic and durable when it returns; it
// may be called concurrently. Get and Each see what was saved.
type Records interface {
	Save(ctx context.Context, put map[string][]byte, del []string) error
	Get(key string) ([]byte, bool, error)
	Each(fn func(key string, value []byte) error) error
}

// Config is what a Workflow is made of. All but the last group is required.
type Config struct {
	Definitions map[string]*asl.Machine // by the name of the machine
	Functions   core.Functions
	Clock       core.Clock
	IDs         core.IDs
	Records     Records

	// Concurrency bounds functions running at once, 256 when 0.
	Concurrency int
	// OnTransition is told of every state entered and every retry: what Step
	// Functions bills. It is called after the step is saved, from many goroutines.
	OnTransition func(machine, state string)
	// OnFailed is told of every execution that failed, timed out or was stopped: at
	// least once, also after a restart, until it returns nil. From many goroutines.
	OnFailed func(ctx context.Context, e core.Execution) error
	// Jitter returns 0 to below 1 for the delays of retries, random when nil.
	Jitter func() float64
	// Log is where failures to save are told, slog.Default when nil.
	Log *slog.Logger
	// Paused leaves what New found standing until Resume is called: for when the
	// functions need the Workflow that New is about to return.
	Paused bool
	// Weak makes the adapter as unkind as the contract allows, for tests.
	Weak *Weak
}

// Weak says how unkind. Seed makes the same choices for the same order of calls.
type Weak struct {
	Seed      uint64
	Duplicate float64       // probability that a function is invoked twice
	Delay     time.Duration // up to this long before a function is invoked
}

const (
	defaultConcurrency = 256
	// keepEnded is how long the name of an ended execution stays taken, as with
	// Step Functions.
	keepEnded = 90 * 24 * time.Hour
	// sweepEvery is how often ended executions past keepEnded are removed.
	sweepEvery = 24 * time.Hour
	// Bounds of the wait before a step that could not be saved is tried again.
	firstRetry = 200 * time.Millisecond
	lastRetry  = 10 * time.Second
)

func (c Config) withDefaults() Config {
	if c.Concurrency == 0 {
		c.Concurrency = defaultConcurrency
	}
	if c.OnTransition == nil {
		c.OnTransition = func(string, string) {}
	}
	if c.Jitter == nil {
		c.Jitter = rand.Float64 // spreads retries, guards nothing
	}
	if c.OnFailed == nil {
		c.OnFailed = func(context.Context, core.Execution) error { return nil }
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}
