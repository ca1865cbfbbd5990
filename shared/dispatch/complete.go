package dispatch

import (
	"context"
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/wire"
)

// Complete records how a task ended, stores its last lines, and hands the track's
// next task back when the delegate can take it. The same request again gets the
// same answer; one that carries an old fence is stale and changes nothing.
func (d *Dispatch) Complete(ctx context.Context, account string, req wire.CompleteRequest) (wire.CompleteResponse, error) {
	ctx = core.WithRun(core.WithCause(ctx, "complete"), account, req.Task.Run)
	ref := journal.Ref{Account: account, Run: req.Task.Run, Track: req.Task.Track}
	done, err := d.recorded(ctx, ref, req)
	if err != nil {
		return wire.CompleteResponse{}, err
	}
	if done.Log, err = lastLines(req.Log); err == nil && done.Log == nil {
		err = d.storeLog(ctx, account, req.Task, req.Log) // before the end is told, which tells that the log is whole
	}
	if err != nil {
		return wire.CompleteResponse{}, err
	}
	a, err := d.journal.Apply(ctx, ref, core.Event{Type: core.EventCompleted, Completed: done})
	switch {
	case fault.Is(err, fault.Gone), fault.Is(err, fault.NotFound):
		return wire.CompleteResponse{Stale: true}, nil
	case err != nil:
		return wire.CompleteResponse{}, err
	}
	t := a.Track.Task
	if t == nil || t.Delegate == nil || t.Delegate.ID != req.Delegate || t.Fence <= req.Task.Fence {
		return wire.CompleteResponse{}, nil
	}
	next, err := d.give(ctx, a.Run, ref, t, nil)
	if err != nil || len(next) == 0 {
		return wire.CompleteResponse{}, err
	}
	return wire.CompleteResponse{Next: &next[0]}, nil
}

// recorded is the completion as the track will remember it: large outputs kept
// apart, secret ones encrypted before anything is recorded.
func (d *Dispatch) recorded(ctx context.Context, ref journal.Ref, req wire.CompleteRequest) (*core.Completed, error) {
	o := req.Outcome
	if body, err := json.Marshal(o.Outputs); err != nil || len(body) > wire.MaxOutputBytes {
		return nil, fault.New(fault.TooLarge, "a step's outputs may have %d bytes, not %d", wire.MaxOutputBytes, len(body))
	}
	if forged(o.Outputs) {
		return nil, fault.New(fault.Invalid, "outputs may not use the key %q", core.SecretKey)
	}
	c := &core.Completed{Task: req.Task.ID, Fence: req.Task.Fence, Delegate: req.Delegate, More: req.More,
		OK: o.OK, Outputs: o.Outputs, Duration: o.DurationMS}
	if f := o.Failure; f != nil {
		c.Failure = &core.Failure{Types: f.Types, Message: f.Message}
	}
	for name, value := range o.Secret {
		r := core.OutputSecretRef(req.Task.Run, req.Task.ID, name)
		if err := d.ports.Secrets.Put(ctx, core.SecretName(core.Scope{Account: ref.Account}, r), []byte(value)); err != nil {
			return nil, err
		}
		vars, _ := c.Outputs["outputVariables"].(map[string]any)
		if vars == nil {
			vars = map[string]any{}
		}
		vars[name] = map[string]any{core.SecretKey: r}
		if c.Outputs == nil {
			c.Outputs = map[string]any{}
		}
		c.Outputs["outputVariables"] = vars
	}
	var err error
	if c.OutputsRef, err = d.journal.StoreOutputs(ctx, ref, req.Task.ID, c.Outputs); c.OutputsRef != nil {
		c.Outputs = nil
	}
	return c, err
}

// forged reports whether a value pretends to be a reference to a secret.
func forged(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if k == core.SecretKey || forged(e) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if forged(e) {
				return true
			}
		}
	}
	return false
}

// Logs stores a chunk of a task's log. A delegate that has lost the task is told
// to stop, and nothing of it is stored.
func (d *Dispatch) Logs(ctx context.Context, account string, req wire.LogRequest) (wire.LogResponse, error) {
	ctx = core.WithRun(core.WithCause(ctx, "logs"), account, req.Task.Run)
	ref := journal.Ref{Account: account, Run: req.Task.Run, Track: req.Task.Track}
	mine, err := d.dispatched(ctx, ref, req.Task)
	if err != nil || !mine {
		return wire.LogResponse{Cancel: true}, err
	}
	return wire.LogResponse{}, d.storeLog(ctx, account, req.Task, req.Chunk)
}

// dispatched reports whether the fence is that of the latest dispatch of the task.
func (d *Dispatch) dispatched(ctx context.Context, ref journal.Ref, task wire.TaskRef) (bool, error) {
	for _, load := range []func(context.Context, journal.Ref) (bool, error){d.cachedFence(task), d.loadedFence(task)} {
		if ok, err := load(ctx, ref); ok || fault.Is(err, fault.NotFound) {
			return ok, nil
		} else if err != nil {
			return false, err
		}
	}
	return false, nil
}

func (d *Dispatch) cachedFence(task wire.TaskRef) func(context.Context, journal.Ref) (bool, error) {
	return func(ctx context.Context, ref journal.Ref) (bool, error) {
		_, t, err := d.journal.Cached(ctx, ref)
		return err == nil && t.Dispatched(task.ID, task.Fence), err
	}
}

func (d *Dispatch) loadedFence(task wire.TaskRef) func(context.Context, journal.Ref) (bool, error) {
	return func(ctx context.Context, ref journal.Ref) (bool, error) {
		_, t, err := d.journal.Load(ctx, ref)
		return err == nil && t.Dispatched(task.ID, task.Fence), err
	}
}

// lastLines is a chunk as an event carries it, nil when it is empty or too large
// for that.
func lastLines(chunk wire.LogChunk) (*core.LastLines, error) {
	if len(chunk.Lines) == 0 {
		return nil, nil
	}
	body, err := json.Marshal(chunk.Lines)
	if err != nil || len(body) > core.MaxInlineLog || chunk.Seq < 1 {
		return nil, err
	}
	return &core.LastLines{Seq: chunk.Seq, Lines: body}, nil
}

// storeLog writes a chunk once; the same number again is the same chunk.
func (d *Dispatch) storeLog(ctx context.Context, account string, task wire.TaskRef, chunk wire.LogChunk) error {
	if len(chunk.Lines) == 0 {
		return nil
	}
	body, err := json.Marshal(chunk.Lines)
	if err != nil {
		return err
	}
	if chunk.Seq < 1 || len(body) > core.MaxItemBytes-4096 {
		return fault.New(fault.TooLarge, "a log chunk has a number from 1 and at most %d bytes of text", wire.MaxLogChunkBytes)
	}
	err = d.ports.Store.Write(ctx, core.Put{If: core.IfAbsent(), Item: core.Item{
		Key: core.LogKey(account, task.Run, task.ID, chunk.Seq), Body: body, Version: 1}})
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}
