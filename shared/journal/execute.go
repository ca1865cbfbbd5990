package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// executeOnce executes the event's commands unless this process has done so; when
// it is just doing so, it waits for that. again says that another process has
// probably done it: then a look goes before each write, for it is cheaper.
func (j *Journal) executeOnce(ctx context.Context, run *engine.Run, ref Ref, ev *core.Event, again bool) error {
	for {
		w, mine := j.cache.begin(ref, ev.N)
		if mine {
			err := j.execute(ctx, run, ref, ev, again)
			j.cache.end(ref, ev.N, w, err == nil)
			return err
		}
		select {
		case <-w.over:
			if w.ok {
				return nil
			}
		case <-ctx.Done():
			return fault.New(fault.Canceled, "%w", ctx.Err())
		}
	}
}

// execute carries out an event's commands in order. Each is safe twice and late.
func (j *Journal) execute(ctx context.Context, run *engine.Run, ref Ref, ev *core.Event, again bool) error {
	for i, c := range ev.Commands {
		if again && j.seen(ctx, ref, ev, c) {
			continue
		}
		if err := j.command(ctx, run, ref, ev, c); err != nil {
			return fmt.Errorf("command %d (%s) of event %d of track %s: %w", i, c.Do, ev.N, ref.Track, err)
		}
	}
	return nil
}

func (j *Journal) command(ctx context.Context, run *engine.Run, ref Ref, ev *core.Event, c core.Command) error {
	switch c.Do {
	case core.DoStart:
		return j.start(ctx, ref, c)
	case core.DoFinish:
		return j.finish(ctx, run, ref, c)
	case core.DoQueue:
		return j.offer(ctx, ref, *c.Task)
	case core.DoUnqueue:
		j.Offered(ref.Account)
		return j.store.Delete(ctx, core.QueueKey(ref.Account, *c.Task))
	case core.DoDeliver:
		return j.deliver(ctx, ref, c)
	case core.DoChain:
		return j.chain(ctx, run, c)
	case core.DoSaveRun:
		return j.saveRun(ctx, run, ev, c.Status)
	case core.DoPublish:
		return j.publish(ctx, run, ref, ev, c)
	case core.DoDeadline:
		return j.deadline(ctx, ref, c.At)
	case core.DoDeployed:
		return j.deployed(ctx, ref, ev, *c.Claim)
	case core.DoAcquire:
		return j.keeper.acquire(ctx, ref.Account, *c.Claim)
	case core.DoRelease:
		return j.keeper.release(ctx, ref.Account, *c.Claim)
	default:
		return fault.New(fault.Internal, "command %q is not known", c.Do)
	}
}

// start starts an execution. One of that name that exists or has existed is as
// good: what it has done is in the track.
func (j *Journal) start(ctx context.Context, ref Ref, c core.Command) error {
	input, err := json.Marshal(core.ExecutionInput{Account: ref.Account, Run: ref.Run, Track: c.Track, Next: *c.Route})
	if err != nil {
		return err
	}
	if err = j.ports.Workflow.Start(ctx, c.Machine, c.Name, input); fault.Is(err, fault.AlreadyExists) {
		return nil
	}
	return err
}

// finish answers a token; one that is gone was answered before or has timed out,
// and then its machine asks for the route itself.
func (j *Journal) finish(ctx context.Context, run *engine.Run, ref Ref, c core.Command) error {
	route, err := j.Answer(ctx, run, ref, *c.Route)
	if err != nil {
		return err
	}
	output, err := json.Marshal(route)
	if err != nil {
		return err
	}
	if err = j.ports.Workflow.Finish(ctx, c.Token, output); fault.Is(err, fault.Gone) {
		return nil
	}
	return err
}

// Answer completes a route with where the parent's machine goes when this track's
// machine leaves: the stage's last completion decides that too.
func (j *Journal) Answer(ctx context.Context, run *engine.Run, ref Ref, route core.Route) (core.Route, error) {
	if route.Kind != "Leave" || route.Then != nil || !run.Serial(ref.Track) {
		return route, nil
	}
	up := Ref{ref.Account, ref.Run, core.ParentTrack(ref.Track)}
	_, parent, err := j.Cached(ctx, up)
	if err != nil {
		return route, err
	}
	if c := parent.Children[ref.Track]; c == nil || !c.Status.Terminal() {
		// Who ended the track may have died before its parent heard of it, and only
		// then does the parent know where to go.
		_, t, err := j.Load(ctx, ref)
		if err != nil {
			return route, err
		}
		a, err := j.Apply(ctx, up, engine.EndOf(t))
		if err != nil {
			return route, err
		}
		parent = a.Track
	}
	if route.Then = parent.Route; parent.Children[ref.Track].Then != nil {
		route.Then = parent.Children[ref.Track].Then
	}
	return route, nil
}

func (j *Journal) offer(ctx context.Context, ref Ref, t core.QueuedTask) error {
	body, err := json.Marshal(t)
	if err != nil {
		return err
	}
	err = j.store.Write(ctx, core.Put{If: core.IfAbsent(), Item: core.Item{Key: core.QueueKey(ref.Account, t), Body: body, Version: 1}})
	j.Offered(ref.Account)
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// saveRun brings the summary up to date. The first version only fills a gap, so
// that a late repetition never undoes the last.
func (j *Journal) saveRun(ctx context.Context, run *engine.Run, ev *core.Event, status core.Status) error {
	l := run.Launch
	r := core.Run{ID: l.Run, Scope: l.Plan.Scope, Pipeline: l.Plan.Identifier, Name: l.Plan.Name, Tags: l.Plan.Tags,
		Sequence: l.Started.Sequence, Trigger: l.Started.Trigger, By: l.Started.By, Status: status, Started: l.At}
	if l.Parent != nil {
		r.Parent = l.Parent.Run
	}
	put := core.Put{If: core.IfAbsent()}
	if status.Terminal() {
		r.Ended, put.If = ev.At, core.Always()
		core.CounterOf(ctx).RunEnded(ctx)
	}
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	put.Item = core.Item{Key: core.RunKey(run.Account, l.Run), Body: body, Version: ev.N, Index: core.RunIndex(r.Scope, r.ID)}
	err = j.store.Write(ctx, put)
	if fault.Is(err, fault.Conflict) && ev.N > 1 { // it waited for its turn before it began
		put.If = core.IfVersion(1)
		err = j.store.Write(ctx, put)
	}
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// RunEnded is the detail of the bus event run.ended.
type RunEnded struct {
	Scope    core.Scope  `json:"scope"`
	Run      string      `json:"run"`
	Pipeline string      `json:"pipeline"`
	Status   core.Status `json:"status"`
	Started  int64       `json:"started"`
	Ended    int64       `json:"ended"`
	Parent   string      `json:"parent,omitempty"` // the run whose stage has started it
}

// RunWarned is the detail of the bus events of warnings: run.budget.
type RunWarned struct {
	Scope    core.Scope `json:"scope"`
	Run      string     `json:"run"`
	Pipeline string     `json:"pipeline"`
	core.Warned
}

// RunPaused is the detail of the bus events run.paused and run.resumed.
type RunPaused struct {
	Scope    core.Scope `json:"scope"`
	Run      string     `json:"run"`
	Pipeline string     `json:"pipeline"`
	Node     string     `json:"node"` // FQN of the stage, or the pipeline
	By       core.Actor `json:"by"`
	At       int64      `json:"at"`
}

func (j *Journal) publish(ctx context.Context, run *engine.Run, ref Ref, ev *core.Event, c core.Command) error {
	end := RunEnded{Scope: run.Plan.Scope, Run: ref.Run, Pipeline: run.Plan.Identifier, Status: c.Status, Started: run.At, Ended: ev.At}
	if p := run.Launch.Parent; p != nil {
		end.Parent = p.Run
	}
	var what any = end
	if ev.Warned != nil {
		warned := *ev.Warned
		warned.At = ev.At
		what = RunWarned{run.Plan.Scope, ref.Run, run.Plan.Identifier, warned}
	}
	if ev.Pause != nil {
		what = RunPaused{run.Plan.Scope, ref.Run, run.Plan.Identifier, c.Name, ev.Pause.By, ev.At}
	}
	detail, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return j.ports.Bus.Publish(ctx, core.BusEvent{ID: fmt.Sprintf("%s-%s-%d", ref.Run, ref.Track, ev.N),
		Type: c.Topic, Time: ev.At, Detail: detail})
}

// Deadline is the payload of the timer at a run's deadline.
type Deadline struct {
	Op      string `json:"op"` // "deadline"
	Account string `json:"account"`
	Run     string `json:"run"`
}

func (j *Journal) deadline(ctx context.Context, ref Ref, at int64) error {
	name := "run-" + ref.Run
	if at == 0 {
		return j.ports.Schedule.Cancel(ctx, name)
	}
	payload, err := json.Marshal(Deadline{Op: "deadline", Account: ref.Account, Run: ref.Run})
	if err != nil {
		return err
	}
	return j.ports.Schedule.Set(ctx, core.Timer{Name: name, At: time.UnixMilli(at), Function: "advance", Payload: payload})
}

// Redo makes sure that the commands of a stored event are executed, unless this
// process has done so: for the relay and for repair.
func (j *Journal) Redo(ctx context.Context, item core.Item) error {
	account, runID, track, ok := core.ParseEventKey(item.Key)
	if !ok {
		return nil
	}
	ref := Ref{account, runID, track}
	ctx = core.WithRun(ctx, account, runID)
	if j.cache.executed(ref, item.Version) {
		return nil
	}
	ev, err := core.ParseEvent(item.Body)
	if err != nil {
		return err
	}
	run, err := j.Run(ctx, account, runID)
	if err != nil {
		return err
	}
	if done, err := j.acknowledged(ctx, ref, &ev); done || err != nil {
		return err
	}
	return j.executeOnce(ctx, run, ref, &ev, true)
}

// acknowledged reports whether all that an event caused has been done, when that can
// be seen: its commands are executed in order, so that the last of them speaks for
// all. An offer alone is acknowledged once the track has moved on from its task.
func (j *Journal) acknowledged(ctx context.Context, ref Ref, ev *core.Event) (bool, error) {
	if n := len(ev.Commands); n > 0 && ev.Commands[n-1].Do == core.DoSaveRun {
		return j.seen(ctx, ref, ev, ev.Commands[n-1]), nil
	}
	for _, c := range ev.Commands {
		if c.Do != core.DoQueue && c.Do != core.DoUnqueue {
			return false, nil
		}
	}
	_, t, err := j.Load(ctx, ref)
	if err != nil || t.N <= ev.N {
		return false, err
	}
	for _, c := range ev.Commands { // a machine that lost its token has moved the track on without an offer
		if c.Do == core.DoQueue && t.Task != nil && t.Task.ID == c.Task.ID && t.Task.Delegate == nil {
			return false, nil
		}
	}
	return true, nil
}

// seen reports whether what a command writes is there.
func (j *Journal) seen(ctx context.Context, ref Ref, ev *core.Event, c core.Command) bool {
	switch c.Do {
	case core.DoQueue:
		_, err := j.store.Get(ctx, core.QueueKey(ref.Account, *c.Task), true)
		return err == nil
	case core.DoSaveRun:
		item, err := j.store.Get(ctx, core.RunKey(ref.Account, ref.Run), true)
		return err == nil && item.Version >= ev.N
	default:
		return false
	}
}
