// Package launch starts runs: it compiles a pipeline with its inputs, writes down
// what of the run never changes, and gives the pipeline track its first event.
package launch

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
)

// Launch is safe for concurrent use.
type Launch struct {
	clock     core.Clock
	journal   *journal.Journal
	catalogue *entity.Catalogue
	// BaseURL is where the console is reached, without a slash at the end.
	BaseURL string
	// MaxRuns is how many runs of an account may go on at once, 0 for no limit; the
	// others wait for their turn (BEHAVIOUR §11.4).
	MaxRuns int
	// HistoryEdge is how many events the history of an execution may have before another
	// goes on in its place, 0 for core.HistoryEdge.
	HistoryEdge int
}

// New returns a Launch.
func New(j *journal.Journal, c *entity.Catalogue) *Launch {
	ports := j.Ports()
	l := &Launch{clock: ports.Clock, journal: j, catalogue: c}
	j.Chained = l.chained
	return l
}

// Request asks for a run.
type Request struct {
	Account string
	Source  compile.Source
	Options compile.Options
	Trigger string // MANUAL
	By      core.Actor
	// Key, when not empty, is the caller's idempotency key: of all requests of an
	// account with the same key within a week, one starts a run.
	Key string
	// Given is kept with the run, for another one like it; Inputs and InputSets are
	// taken from Options.
	Given core.Asked
	// Retry is set for a run that takes up another.
	Retry    *core.Retry
	rollback *core.Rollback // for one that rolls another back
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

// MaxKey is how long an idempotency key may be, in bytes.
const MaxKey = 256

// Start starts a run, or returns *Refused. With a key that has started a run
// before, it makes sure of that run and returns it.
func (l *Launch) Start(ctx context.Context, req Request) (Started, error) {
	ctx = core.WithCause(ctx, "start")
	if len(req.Key) > MaxKey {
		return Started{}, fault.New(fault.TooLarge, "an idempotency key may have %d bytes", MaxKey)
	}
	plan, diags, err := l.compile(ctx, req)
	if err != nil {
		return Started{}, err
	}
	return l.begin(ctx, req, plan, diags)
}

// compile compiles what is asked for; what it refers to and was not handed is that
// which the platform keeps.
func (l *Launch) compile(ctx context.Context, req Request) (*core.Plan, core.Diagnostics, error) {
	shelves := l.catalogue.Shelves(ctx, req.Account)
	req.Options.Library = compile.Join(req.Options.Library, shelves.Find)
	plan, diags := compile.Compile(req.Source, req.Options)
	if err := shelves.Err(); err != nil {
		return nil, nil, err
	}
	if diags.Blocks() || plan == nil {
		return nil, nil, &Refused{diags}
	}
	return plan, diags, nil
}

// begin starts a run of a plan.
func (l *Launch) begin(ctx context.Context, req Request, plan *core.Plan, diags core.Diagnostics) (Started, error) {
	plan.Scope.Account = req.Account
	run, err := l.id(ctx, req)
	if err != nil {
		return Started{}, err
	}
	return l.beginAs(ctx, run, req, plan, diags)
}

// beginAs starts the run of that id.
func (l *Launch) beginAs(ctx context.Context, run string, req Request, plan *core.Plan, diags core.Diagnostics) (Started, error) {
	launch, err := l.save(ctx, run, plan, req)
	if err != nil {
		return Started{}, err
	}
	if r := launch.Retry; r != nil {
		if err := l.linked(ctx, req.Account, r.Root, run); err != nil {
			return Started{}, err
		}
	}
	ref := journal.Ref{Account: req.Account, Run: run, Track: launch.Plan.Root.Track}
	_, err = l.journal.Apply(ctx, ref, core.Event{Type: core.EventStarted, Actor: req.By.ID})
	return Started{Run: run, Sequence: launch.Started.Sequence, URL: launch.Started.URL, Plan: launch.Plan,
		At: launch.At, Diagnostics: diags}, err
}

// keyed is what is noted under an idempotency key.
type keyed struct {
	Run string `json:"run"`
}

// id is a new run's id, or the one that the request's key stands for.
func (l *Launch) id(ctx context.Context, req Request) (string, error) {
	k := keyed{Run: l.journal.Ports().IDs.New()}
	if req.Key == "" {
		return k.Run, nil
	}
	body, err := json.Marshal(k)
	if err != nil {
		return "", err
	}
	key, store := core.LaunchKey(req.Account, req.Key), l.journal.Ports().Store
	err = store.Write(ctx, core.Put{If: core.IfAbsent(), Item: core.Item{Key: key, Body: body, Version: 1,
		Expires: l.clock.Now().Add(keepKeys).Unix()}})
	if !fault.Is(err, fault.Conflict) {
		return k.Run, err
	}
	item, err := store.Get(ctx, key, true)
	if err != nil {
		return "", err
	}
	return k.Run, json.Unmarshal(item.Body, &k)
}

// keepKeys is how long a key stands for its run.
const keepKeys = 7 * 24 * time.Hour

// save writes down what of the run never changes, unless that has been done.
func (l *Launch) save(ctx context.Context, run string, plan *core.Plan, req Request) (core.Launch, error) {
	if req.Key != "" {
		if r, err := l.journal.Run(ctx, req.Account, run); !fault.Is(err, fault.NotFound) {
			if err != nil {
				return core.Launch{}, err
			}
			return r.Launch, nil
		}
	}
	seq, err := l.catalogue.NextSequence(ctx, plan.Scope, plan.Identifier)
	if err != nil {
		return core.Launch{}, err
	}
	launch := core.Launch{Run: run, At: core.Millis(l.clock.Now()), Plan: plan, Limit: l.MaxRuns, Edge: l.HistoryEdge, Source: string(req.Source.Data), Started: core.Started{
		Semantics: plan.Semantics, Sequence: seq, Trigger: req.Trigger, By: req.By, URL: l.url(plan, run),
	}, Given: given(req), Retry: req.Retry, Rollback: req.rollback}
	err = l.journal.SaveLaunch(ctx, launch)
	if fault.Is(err, fault.AlreadyExists) { // two calls with one key at once, or our own write
		r, err := l.journal.Run(ctx, req.Account, run)
		if err != nil {
			return core.Launch{}, err
		}
		return r.Launch, nil
	}
	return launch, err
}

// url is the run's page.
func (l *Launch) url(p *core.Plan, run string) string { return page(l.BaseURL, p, run) }

const pagePath = "/ng/account/"

// page is a run's page, in the form Harness's own have.
func page(base string, p *core.Plan, run string) string {
	return base + pagePath + p.Scope.Account + "/cd/orgs/" + url.PathEscape(p.Scope.Org) +
		"/projects/" + url.PathEscape(p.Scope.Project) + "/pipelines/" + p.Identifier + "/executions/" + run + "/pipeline"
}
