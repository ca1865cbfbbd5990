// Package platform is the whole of Slipway in one process: every door behind one
// port, the state machines, a delegate, and one data file. `slipway up` and
// `slipway run` start it.
package platform

import (
	"log/slog"
	"time"

	"github.com/slipway-cd/slipway/delegate/runner"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/dispatch"
)

// Config of a platform. Dir is required; the zero value of everything else is
// what `slipway up` uses.
type Config struct {
	Dir      string // data folder, made 0700 when missing
	Account  string // its identifier; what the folder was begun with when empty, core.DefaultAccount at first
	Addr     string // where to listen, 127.0.0.1:0 when empty
	Version  string
	Logger   *slog.Logger // nil: nothing is logged
	Delegate bool         // run the built-in delegate
	Capacity int          // of the built-in delegate, 0 for its default
	AllowAs  bool         // let an admin act as another user
	MaxRuns  int          // how many runs go on at once, 0 for no limit
	// HistoryEdge is how long the history of an execution may grow, in events, before
	// another goes on in its place; 0 for core.HistoryEdge.
	HistoryEdge int

	// For tests.
	Clock        core.Clock
	Runners      []runner.Runner             // of the built-in delegate
	Pace         *dispatch.Pace              // nil for dispatch.LocalPace
	Wrap         func(core.Ports) core.Ports // between the doors and the adapters
	OnTransition func(machine, state string) // every state entered
	Apart        bool                        // each door has a control plane of its own, as on AWS
	MeterEach    bool                        // counts are written after every invocation
	KillGrace    time.Duration               // of the built-in delegate
	Weak         *workflow.Weak              // how unkind the workflow is
}

func (c Config) withDefaults() Config {
	if c.Addr == "" {
		c.Addr = "127.0.0.1:0"
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Clock == nil {
		c.Clock = clock.System()
	}
	if c.Pace == nil {
		p := dispatch.LocalPace()
		c.Pace = &p
	}
	if c.Wrap == nil {
		c.Wrap = func(p core.Ports) core.Ports { return p }
	}
	return c
}
