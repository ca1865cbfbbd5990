package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
	"github.com/slipway-cd/slipway/shared/wire"
)

const runs = "/slipway/v1/runs"

// Launch asks for a run of a pipeline that need not be stored.
type Launch struct {
	YAML      string            `json:"yaml,omitempty"`
	Pipeline  string            `json:"pipeline,omitempty"`     // a stored one's identifier, instead of YAML
	SetRefs   []string          `json:"inputSetRefs,omitempty"` // identifiers of its stored input sets
	File      string            `json:"file"`                   // what diagnostics call it
	Inputs    map[string]string `json:"inputs,omitempty"`
	InputSets []string          `json:"inputSets,omitempty"` // YAML
	Library   []File            `json:"library,omitempty"`   // the templates and input sets it refers to
	// Stages are the identifiers of the stages to run, when not all are, and Expressions
	// values for the expressions that read others.
	Stages      []string          `json:"stages,omitempty"`
	Expressions map[string]string `json:"expressions,omitempty"`
	Org         string            `json:"org,omitempty"`
	Project     string            `json:"project,omitempty"`
	// Key is the call's idempotency key: repeated calls with it start one run.
	Key string `json:"-"`
}

// File is a YAML file; what it holds is told by its documents.
type File struct {
	File string `json:"file"` // what diagnostics call it
	YAML string `json:"yaml"`
}

// Launched is a run that was started.
type Launched struct {
	Run      string           `json:"run"`
	Sequence int64            `json:"sequence"`
	URL      string           `json:"url"`
	Warnings core.Diagnostics `json:"warnings,omitempty"`
}

// Launch starts a run; *Refused when the pipeline has errors. A repeated call
// starts another run unless it has the same Key.
func (c *Client) Launch(ctx context.Context, in Launch) (out Launched, err error) {
	return out, c.post(context.WithValue(ctx, keyHeader{}, in.Key), runs, in, &out)
}

// Again asks for a run in the place of a former one. Stages and FailedOnly are of Retry.
type Again struct {
	Inputs     map[string]string `json:"inputs,omitempty"`
	InputSets  []string          `json:"inputSets,omitempty"` // YAML
	Stages     []string          `json:"stages,omitempty"`
	FailedOnly bool              `json:"failedOnly,omitempty"`
	Key        string            `json:"-"` // as in Launch
}

// Rerun starts a fresh run of a former one's pipeline.
func (c *Client) Rerun(ctx context.Context, run string, in Again) (out Launched, err error) {
	return out, c.post(context.WithValue(ctx, keyHeader{}, in.Key), runs+"/"+url.PathEscape(run)+"/rerun", in, &out)
}

// Retry starts a run that takes up a failed one.
func (c *Client) Retry(ctx context.Context, run string, in Again) (out Launched, err error) {
	return out, c.post(context.WithValue(ctx, keyHeader{}, in.Key), runs+"/"+url.PathEscape(run)+"/retry", in, &out)
}

// Rollback starts a run that rolls back one that has succeeded: the stages that in names,
// or all that can be.
func (c *Client) Rollback(ctx context.Context, run string, in Again) (out Launched, err error) {
	return out, c.post(context.WithValue(ctx, keyHeader{}, in.Key), runs+"/"+url.PathEscape(run)+"/rollback", map[string]any{"stages": in.Stages}, &out)
}

// keyHeader is under what a call's context holds its idempotency key.
type keyHeader struct{}

// Run returns a run as it stands now.
func (c *Client) Run(ctx context.Context, id string) (out view.Run, err error) {
	return out, c.get(ctx, runs+"/"+url.PathEscape(id), nil, &out)
}

// Runs is a page of a project's runs, newest first; statuses as the API spells
// them. Cursor is empty at the end.
type Runs struct {
	Runs   []core.Run `json:"runs"`
	Cursor string     `json:"cursor"`
}

// Runs lists a project's runs. limit 0 leaves the number to the server.
func (c *Client) Runs(ctx context.Context, org, project string, limit int, cursor string) (out Runs, err error) {
	q := url.Values{}
	set := func(k, v string) {
		if v != "" {
			q.Set(k, v)
		}
	}
	set("org", org)
	set("project", project)
	set("cursor", cursor)
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	return out, c.get(ctx, runs, q, &out)
}

// Abort stops a run: everything open in it ends as Aborted. accepted is false when
// it had ended, or was being stopped already.
func (c *Client) Abort(ctx context.Context, id, reason string) (accepted bool, err error) {
	var out struct {
		Accepted bool `json:"accepted"`
	}
	err = c.post(ctx, runs+"/"+url.PathEscape(id)+"/abort", map[string]string{"reason": reason}, &out)
	return out.Accepted, err
}

// Pausing is what became of a word about pausing.
type Pausing struct {
	Run      string `json:"run"`
	Node     string `json:"node"`     // full path of what is meant
	Accepted bool   `json:"accepted"` // false when it stood so already
}

// Pause holds a run up, or the stage of it that is named.
func (c *Client) Pause(ctx context.Context, run, stage string) (out Pausing, err error) {
	return out, c.post(ctx, runs+"/"+url.PathEscape(run)+"/pause", map[string]string{"stage": stage}, &out)
}

// Resume lets a paused run, or stage, go on.
func (c *Client) Resume(ctx context.Context, run, stage string) (out Pausing, err error) {
	return out, c.post(ctx, runs+"/"+url.PathEscape(run)+"/resume", map[string]string{"stage": stage}, &out)
}

// Intervene says what is to become of a step, named by a path or an identifier; it
// returns the step's full path.
func (c *Client) Intervene(ctx context.Context, run, node string, action core.ActionType) (fqn string, err error) {
	var out struct {
		Node string `json:"node"`
	}
	err = c.post(ctx, runs+"/"+url.PathEscape(run)+"/intervene", map[string]string{"node": node, "action": string(action)}, &out)
	return out.Node, err
}

// Give gives values to a node that waits for input; it returns the node's full path.
func (c *Client) Give(ctx context.Context, run, node string, values map[string]string) (fqn string, err error) {
	var out struct {
		Node string `json:"node"`
	}
	err = c.post(ctx, runs+"/"+url.PathEscape(run)+"/input", map[string]any{"node": node, "values": values}, &out)
	return out.Node, err
}

// Logs is a piece of a task's log. Next is what to ask for after it; the same as
// was asked for when there is no more yet.
type Logs struct {
	Lines []wire.LogLine `json:"lines"`
	Next  int            `json:"next"`
}

// Logs reads on in a task's log; after is 0 at first.
func (c *Client) Logs(ctx context.Context, run, task string, after int) (out Logs, err error) {
	path := runs + "/" + url.PathEscape(run) + "/logs/" + url.PathEscape(task)
	return out, c.get(ctx, path, url.Values{"after": {strconv.Itoa(after)}}, &out)
}
