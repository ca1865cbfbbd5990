// Package runner does a delegate's work: one file per step type, each turning a
// task's spec into an outcome.
package runner

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/slipway-cd/slipway/delegate/process"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/wire"
)

// Runner runs the tasks of one step type.
type Runner interface {
	// Type is the step type it runs, e.g. "ShellScript".
	Type() string
	// Run does the work and returns how it ended. When ctx ends it stops at once
	// and leaves nothing running; why it was stopped is for the caller to say.
	// Everything it logs or returns is masked by the caller.
	Run(ctx context.Context, job *Job) wire.Outcome
}

// Effectless is implemented by runners that may have no effect outside the
// process. A delegate keeps no record on disk of their tasks: one that is lost
// with the process is simply run again.
type Effectless interface {
	Effects() bool
}

// HasEffects reports whether a task of r must be recorded before it is run.
func HasEffects(r Runner) bool {
	e, ok := r.(Effectless)
	return !ok || e.Effects()
}

// Defaults are the runners a delegate has unless it is given others.
func Defaults() []Runner { return []Runner{&ShellScript{}, &HTTP{}} }

// Job is one task to run.
type Job struct {
	Task   wire.Task
	Dir    string    // private folder, removed afterwards; empty for an effectless runner
	Stdout io.Writer // the step's log, level INFO
	Stderr io.Writer // the step's log, level ERROR
	Clock  core.Clock
	Grace  time.Duration // between asking processes to end and killing them
	// Recorded makes the group of processes that will do the work known to the
	// journal. It must be called before the group has any effect.
	Recorded func(process.Identity) error
}

// Logf writes one line to the step's log.
func (j *Job) Logf(format string, args ...any) { _, _ = fmt.Fprintf(j.Stdout, format+"\n", args...) }

// Failure types a runner returns (BEHAVIOUR §8.2).
const (
	Unknown       = "UNKNOWN_FAILURE"
	Configuration = "CONFIGURATION_FAILURE"
	Connectivity  = "CONNECTIVITY_FAILURE"
	Timeout       = "TIMEOUT_FAILURE"
	Restart       = "DELEGATE_RESTART"
)

// Fail is the outcome of a step that failed.
func Fail(failureType, format string, args ...any) wire.Outcome {
	return wire.Outcome{Failure: &wire.Failure{
		Types:   []string{failureType},
		Message: fmt.Sprintf(format, args...),
	}}
}
