// Package launch starts runs: it compiles a pipeline with its inputs, writes down
// what of the run never changes, and gives the pipeline track its first event.
package launch

import (
	"context"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/journal"
)

// Launch is safe for concurrent use.
type Launch struct {
	ids       core.IDs
	clock     core.Clock
	journal   *journal.Journal
	pipelines *entity.Pipelines
	// BaseURL is where the console is reached, without a slash at the end.
	BaseURL string
}

// New returns a Launch.
func New(j *journal.Journal, p *entity.Pipelines) *Launch {
	ports := j.Ports()
	return &Launch{ids: ports.IDs, clock: ports.Clock, journal: j, pipelines: p}
}

// Request asks for a run.
type Request struct {
	Account string
	Source  compile.Source
	Options compile.Options
	Trigger string // MANUAL
	By      core.Actor
}

// Refused says that a pipeline cannot run: its diagnostics hold at least one
// error or unsupported part. Nothing has been started.
type Refused struct{ Diagnostics core.Diagnostics }

func (r *Refused) Error() string { return r.Diagnostics.String() }

// Started is a run that was started.
type Started struct {
	Run         string
	Sequence    int64
	URL         string
	Plan        *core.Plan
	At          int64
	Diagnostics core.Diagnostics // warnings
}

// Start starts a run, or returns *Refused.
func (l *Launch) Start(ctx context.Context, req Request) (Started, error) {
	ctx = core.WithCause(ctx, "start")
	plan, diags := compile.Compile(req.Source, req.Options)
	if diags.Blocks() || plan == nil {
		return Started{}, &Refused{diags}
	}
	plan.Scope.Account = req.Account
	seq, err := l.pipelines.NextSequence(ctx, plan.Scope, plan.Identifier)
	if err != nil {
		return Started{}, err
	}
	s := Started{Run: l.ids.New(), Sequence: seq, Plan: plan, Diagnostics: diags, At: core.Millis(l.clock.Now())}
	s.URL = l.url(plan, s.Run)
	launch := core.Launch{Run: s.Run, At: s.At, Plan: plan, Source: string(req.Source.Data), Started: core.Started{
		Semantics: plan.Semantics, Sequence: seq, Trigger: req.Trigger, By: req.By, URL: s.URL,
	}}
	if err := l.journal.SaveLaunch(ctx, launch); err != nil {
		return Started{}, err
	}
	ref := journal.Ref{Account: req.Account, Run: s.Run, Track: plan.Root.Track}
	_, err = l.journal.Apply(ctx, ref, core.Event{Type: core.EventStarted, Actor: req.By.ID})
	return s, err
}

// url is the run's page, in the form Harness's own have.
func (l *Launch) url(p *core.Plan, run string) string {
	return l.BaseURL + "/ng/account/" + p.Scope.Account + "/cd/orgs/" + p.Scope.Org + "/projects/" + p.Scope.Project +
		"/pipelines/" + p.Identifier + "/executions/" + run + "/pipeline"
}
