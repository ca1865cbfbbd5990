// Package delegate polls a control plane for tasks, runs them and reports how they
// ended. It only ever dials out, keeps enough on disk to end every task properly
// after a crash, and holds the values of secrets in memory alone.
package delegate

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/slipway-cd/slipway/delegate/journal"
	"github.com/slipway-cd/slipway/delegate/process"
	"github.com/slipway-cd/slipway/delegate/runner"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/wire"
)

// DefaultCapacity is how many tasks a delegate runs at once unless told otherwise.
const DefaultCapacity = 16

// Server is the control plane as a delegate sees it: httpclient.Client, or the
// door itself in one process. Errors are of package fault; one that does not say
// that the request was wrong is tried again.
type Server interface {
	Sync(ctx context.Context, req wire.SyncRequest) (wire.SyncResponse, error)
	Complete(ctx context.Context, req wire.CompleteRequest) (wire.CompleteResponse, error)
	Logs(ctx context.Context, req wire.LogRequest) (wire.LogResponse, error)
}

// Config of a delegate. Server, WorkDir, Clock and IDs are required.
type Config struct {
	Server  Server
	WorkDir string // one delegate at a time; private to it
	Name    string // the delegate's group and implicit tag; "delegate" when empty
	Version string
	Tags    []string
	// Capacity is how many tasks it holds at once: 0 for DefaultCapacity, at most
	// wire.MaxHolding.
	Capacity int
	Clock    core.Clock
	IDs      core.IDs
	Runners  []runner.Runner // nil for runner.Defaults()
	// Wake, when not nil, makes the next sync immediate.
	Wake   <-chan struct{}
	Logger *slog.Logger // nil for slog.Default()
	// Secret (the join token) is what secret outputs are encrypted with on disk
	// until they are acknowledged. Without it they do not survive a restart.
	Secret string
	// Grace is how long processes may take to end before they are killed; 0 for
	// process.DefaultGrace.
	Grace time.Duration
	// DrainGrace is how long running tasks may take to end once Run's context has
	// ended; 0 stops them at once. Upstream allows 10 minutes (BEHAVIOUR §18.4).
	DrainGrace time.Duration
	// Retry is the back-off of failed calls; zero for DefaultBackoff.
	Retry Backoff
	// Durability makes a record durable; nil for (*os.File).Sync. It is called at
	// most twice a task, and never for a runner without effects.
	Durability func(*os.File) error
}

// Delegate runs tasks.
type Delegate struct {
	cfg      Config
	log      *slog.Logger
	identity wire.Identity
	journal  *journal.Journal
	runners  map[string]runner.Runner
	kick     chan struct{} // wakes the sync loop: a slot is free, or nothing is held
	killed   chan struct{}
	killOnce sync.Once
	workers  sync.WaitGroup

	mu       sync.Mutex
	base     context.Context // ends when the process is about to
	held     map[string]*held
	seen     fences
	draining bool // takes no tasks from a sync
	stopped  bool // begins nothing any more
}

// New checks the configuration. Nothing is opened before Run.
func New(cfg Config) (*Delegate, error) {
	if cfg.Server == nil || cfg.WorkDir == "" || cfg.Clock == nil || cfg.IDs == nil {
		return nil, fault.New(fault.Invalid, "a delegate needs a server, a work folder, a clock and ids")
	}
	if cfg.Capacity == 0 {
		cfg.Capacity = DefaultCapacity
	}
	if cfg.Capacity < 1 || cfg.Capacity > wire.MaxHolding {
		return nil, fault.New(fault.Invalid, "capacity %d is not between 1 and %d", cfg.Capacity, wire.MaxHolding)
	}
	if cfg.Name == "" {
		cfg.Name = "delegate"
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Runners == nil {
		cfg.Runners = runner.Defaults()
	}
	if cfg.Grace == 0 {
		cfg.Grace = process.DefaultGrace
	}
	if cfg.Retry == (Backoff{}) {
		cfg.Retry = DefaultBackoff
	}
	d := &Delegate{
		cfg: cfg, log: cfg.Logger, runners: map[string]runner.Runner{},
		kick: make(chan struct{}, 1), killed: make(chan struct{}), held: map[string]*held{},
	}
	for _, r := range cfg.Runners {
		d.runners[r.Type()] = r
	}
	return d, nil
}

// Run works until ctx ends, then drains: it takes no more tasks, lets those it has
// end for DrainGrace, stops the rest and reports them as DELEGATE_RESTART. It may
// be called once. It fails when the work folder cannot be used, with
// fault.Conflict when another delegate has it.
func (d *Delegate) Run(ctx context.Context) error {
	j, err := journal.Open(d.cfg.WorkDir, journal.Options{Secret: d.cfg.Secret, Sync: d.cfg.Durability})
	if err != nil {
		return err
	}
	defer func() { _ = j.Close() }()
	d.journal = j
	if err := d.identify(); err != nil {
		return err
	}
	base, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	d.base = base
	if err := d.recover(); err != nil {
		return err
	}
	d.poll(ctx)
	d.stop()
	d.finish(end)
	return nil
}

// Kill ends a drain at once, for a second signal.
func (d *Delegate) Kill() { d.killOnce.Do(func() { close(d.killed) }) }

func (d *Delegate) identify() error {
	id, err := d.journal.DelegateID(d.cfg.IDs.New)
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	d.identity = wire.Identity{
		ID: id, Name: d.cfg.Name, Boot: d.cfg.IDs.New(), Version: d.cfg.Version, Host: host, Tags: d.cfg.Tags,
	}
	d.log = d.log.With("delegate", id)
	return nil
}

// stop stops what is still running.
func (d *Delegate) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = true
	for _, h := range d.held {
		h.stop(errStopped)
	}
}

// lastReports is how long a delegate that ends tries to report what it stopped.
// What it cannot report it reports when it is started again.
const lastReports = 5 * time.Second

// finish waits for the workers, and cuts their last reports short.
func (d *Delegate) finish(end context.CancelFunc) {
	cancel := d.cfg.Clock.AfterFunc(lastReports+d.cfg.Grace, end)
	defer cancel()
	d.workers.Wait()
}
