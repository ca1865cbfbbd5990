package door

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/launch"
	"github.com/slipway-cd/slipway/shared/view"
	"github.com/slipway-cd/slipway/shared/wire"
)

// rootTrack is the pipeline's own track in every plan (core.Node.Track).
const rootTrack = "0"

// runRequest asks for a run of a pipeline that need not be stored.
type runRequest struct {
	YAML      string            `json:"yaml"`
	Pipeline  string            `json:"pipeline"`     // the identifier of a stored one, instead of yaml
	SetRefs   []string          `json:"inputSetRefs"` // identifiers of its stored input sets, merged in order
	File      string            `json:"file"`         // what diagnostics call it
	Inputs    map[string]string `json:"inputs"`
	InputSets []string          `json:"inputSets"` // YAML
	Library   []libraryFile     `json:"library"`   // templates, input sets and pipelines it refers to
	// Stages are those to run, when not all are, and Expressions values for the
	// expressions that read others.
	Stages      []string          `json:"stages"`
	Expressions map[string]string `json:"expressions"`
	Org         string            `json:"org"`
	Project     string            `json:"project"`
}

// libraryFile is a YAML file that a pipeline refers to.
type libraryFile struct {
	File string `json:"file"` // what diagnostics call it
	YAML string `json:"yaml"`
}

// runStarted is a run that was started.
type runStarted struct {
	Run      string           `json:"run"`
	Sequence int64            `json:"sequence"`
	URL      string           `json:"url"`
	Warnings core.Diagnostics `json:"warnings"`
}

func (d *door) startRun(c *request.Call) (httpio.Answer, error) {
	var req runRequest
	if err := httpio.StrictJSON(c.Request, httpio.MaxBody, &req); err != nil {
		return httpio.Answer{}, err
	}
	if (req.YAML == "") == (req.Pipeline == "") {
		return httpio.Answer{}, fault.New(fault.Invalid, "field yaml is needed, the text of a pipeline, or pipeline, the identifier of a stored one: one of them")
	}
	if err := c.In(cmp.Or(req.Org, core.DefaultOrg), cmp.Or(req.Project, core.DefaultProject)); err != nil {
		return httpio.Answer{}, err
	}
	opt := compile.Options{Inputs: req.Inputs, Scope: c.At, Stages: req.Stages, Expressions: req.Expressions}
	src, given := compile.Source{File: cmp.Or(req.File, "pipeline.yaml"), Data: []byte(req.YAML)}, core.Asked{}
	if req.Pipeline != "" {
		p, err := d.Catalogue.Get(c.Ctx, core.EntityRef{Kind: core.EntityPipeline, Scope: c.At, Identifier: req.Pipeline})
		if err == nil {
			opt.InputSets, err = d.inputSets(c, p, req.SetRefs)
		}
		if err != nil {
			return httpio.Answer{}, err
		}
		src, given.Stored = compile.Source{File: p.Identifier + ".yaml", Data: []byte(p.YAML)}, true
	}
	for i, text := range req.InputSets {
		opt.InputSets = append(opt.InputSets, compile.Source{File: fmt.Sprintf("inputSets[%d]", i), Data: []byte(text)})
	}
	files := make([]compile.Source, len(req.Library))
	for i, f := range req.Library {
		files[i] = compile.Source{File: f.File, Data: []byte(f.YAML)}
	}
	for _, f := range req.Library {
		given.Library = append(given.Library, core.File{Name: f.File, YAML: f.YAML})
	}
	library, diags := compile.Index(files)
	if diags.Blocks() {
		return httpio.Answer{}, httpio.Diagnosed(diags)
	}
	opt.Library = library
	s, err := d.start(c, src, opt, given)
	return created(s), err
}

// inputSets are stored input sets of a pipeline, in the order they are named.
func (d *door) inputSets(c *request.Call, p core.Entity, refs []string) ([]compile.Source, error) {
	var out []compile.Source
	for _, id := range refs {
		e, err := d.Catalogue.Get(c.Ctx, core.EntityRef{Kind: core.EntityInputSet, Scope: p.Scope, Parent: p.Identifier, Identifier: id})
		if err != nil {
			return nil, err
		}
		out = append(out, compile.Source{File: "inputSet/" + id + ".yaml", Data: []byte(e.YAML)})
	}
	return out, nil
}

// created tells of a run that was started.
func created(s launch.Started) httpio.Answer {
	warnings := s.Diagnostics
	if warnings == nil {
		warnings = core.Diagnostics{}
	}
	return httpio.Answer{Status: http.StatusCreated, Header: map[string]string{"Location": "/slipway/v1/runs/" + s.Run},
		Body: runStarted{Run: s.Run, Sequence: s.Sequence, URL: s.URL, Warnings: warnings}}
}

// start starts a run in the caller's name: the same for every request with the
// same Idempotency-Key.
func (d *door) start(c *request.Call, src compile.Source, opt compile.Options, given core.Asked) (launch.Started, error) {
	what := core.EntityRef{Kind: core.EntityPipeline, Scope: c.At}
	if given.Stored { // one that is not kept has no name yet
		what.Identifier = strings.TrimSuffix(src.File, ".yaml")
	}
	if err := c.Allow(govern.Execute, what); err != nil {
		return launch.Started{}, err
	}
	s, err := d.Launch.Start(c.Ctx, launch.Request{Account: c.Who.Account, Source: src, Options: opt, Trigger: "MANUAL",
		By: c.Who.Actor, Key: c.Request.Header.Get("Idempotency-Key"), Given: given})
	return s, told(err)
}

// told is why a run was not started.
func told(err error) error {
	if refused, ok := errors.AsType[*launch.Refused](err); ok {
		return httpio.Diagnosed(refused.Diagnostics)
	}
	return err
}

// listedRun is a run's summary with its status as it is now.
type listedRun struct {
	core.Run
	Status string `json:"status"` // as REST spells it
}

func (d *door) listRuns(c *request.Call) (httpio.Answer, error) {
	limit, err := httpio.Int(c.Q, "limit", 20, 100)
	if err != nil {
		return httpio.Answer{}, err
	}
	if err := c.In(cmp.Or(c.Q.Get("org"), core.DefaultOrg), cmp.Or(c.Q.Get("project"), core.DefaultProject)); err != nil {
		return httpio.Answer{}, err
	}
	runs, cursor, err := d.pageOfRuns(c, max(limit, 1), c.Q.Get("cursor"))
	if err != nil {
		return httpio.Answer{}, err
	}
	listed := make([]listedRun, len(runs))
	for i, r := range runs {
		if listed[i], err = d.asItIs(c, r); err != nil {
			return httpio.Answer{}, err
		}
	}
	return httpio.Answer{Body: map[string]any{"runs": listed, "cursor": cursor}}, nil
}

// asItIs looks at a run that its summary calls open: what it waits for, or when it
// has ended if the summary does not know yet.
func (d *door) asItIs(c *request.Call, r core.Run) (listedRun, error) {
	status, err := d.Views.Now(c.Ctx, r)
	if err == nil && status.Terminal() && r.Ended == 0 {
		var run view.Run
		run, err = d.Views.Run(c.Ctx, c.Who.Account, r.ID)
		r.Ended = run.Finished
	}
	return listedRun{r, status.API()}, err
}

// pageOfRuns returns at least one run unless there are no more. The cursor is the
// last run's id: a store's own would tell how keys are made.
func (d *door) pageOfRuns(c *request.Call, limit int, after string) ([]core.Run, string, error) {
	if strings.ContainsFunc(after, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, "", fault.New(fault.Invalid, "query parameter cursor is %q: expected the cursor of a former page", after)
	}
	for {
		runs, cursor, err := d.Views.List(c.Ctx, c.At, limit, after)
		switch {
		case err != nil, cursor == "":
			return runs, "", err
		case len(runs) > 0:
			return runs, runs[len(runs)-1].ID, nil
		}
		after = cursor
	}
}

func (d *door) showRun(c *request.Call) (httpio.Answer, error) {
	run, err := d.Views.Run(c.Ctx, c.Who.Account, c.PathValue("run"))
	return httpio.Answer{Body: run}, err
}

func (d *door) abortRun(c *request.Call) (httpio.Answer, error) {
	var req struct {
		Reason string `json:"reason"`
	}
	if err := httpio.OptionalJSON(c.Request, httpio.MaxBody, &req); err != nil {
		return httpio.Answer{}, err
	}
	accepted, err := d.abort(c, c.PathValue("run"), req.Reason)
	return httpio.Answer{Body: map[string]any{"run": c.PathValue("run"), "accepted": accepted}}, err
}

// maxReason bounds what a person may write beside a decision, in bytes.
const maxReason = 16 << 10

// abort stops a run; accepted is false when it had ended or was being stopped.
func (d *door) abort(c *request.Call, run, reason string) (accepted bool, err error) {
	if len(reason) > maxReason {
		return false, fault.New(fault.TooLarge, "a reason may have %d bytes", maxReason)
	}
	a, err := d.Journal.Apply(c.Ctx, journal.Ref{Account: c.Who.Account, Run: run, Track: rootTrack}, core.Event{
		Type: core.EventStop, Actor: c.Who.Actor.ID,
		Stop: &core.Stop{Status: core.Aborted, Reason: cmp.Or(reason, "aborted by "+c.Who.Actor.ID)},
	})
	return err == nil && !a.Ignored, err
}

// runLog returns the chunks of a task's log behind number after.
func (d *door) runLog(c *request.Call) (httpio.Answer, error) {
	after, err := httpio.Int(c.Q, "after", 0, 1<<30)
	if err != nil {
		return httpio.Answer{}, err
	}
	run := c.PathValue("run")
	if _, err := d.Journal.Run(c.Ctx, c.Who.Account, run); err != nil {
		return httpio.Answer{}, err
	}
	lines, next, err := d.Views.Logs(c.Ctx, c.Who.Account, run, c.PathValue("task"), after)
	if lines == nil {
		lines = []wire.LogLine{}
	}
	return httpio.Answer{Body: map[string]any{"lines": lines, "next": next}}, err
}

// runOutputs returns the outputs of a node that had no room in the run.
func (d *door) runOutputs(c *request.Call) (httpio.Answer, error) {
	out, err := d.Views.Outputs(c.Ctx, c.Who.Account, c.PathValue("run"), c.PathValue("node"))
	return httpio.Answer{Body: out}, err
}

// listedDelegate is a delegate and whether its lease holds.
type listedDelegate struct {
	core.Delegate
	Connected bool `json:"connected"`
}

func (d *door) listDelegates(c *request.Call) (httpio.Answer, error) {
	all, err := d.Dispatch.Delegates(c.Ctx, c.Who.Account)
	if err != nil {
		return httpio.Answer{}, err
	}
	listed := make([]listedDelegate, len(all))
	for i, g := range all {
		listed[i] = listedDelegate{g, d.Dispatch.Connected(g)}
	}
	return httpio.Answer{Body: map[string]any{"delegates": listed}}, nil
}
