package launch

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
)

// RollbackRequest asks for a run that has succeeded to be rolled back.
type RollbackRequest struct {
	Again
	Stages []string // identifiers; none is all that can be
}

// Bounds of what can be rolled back (BEHAVIOUR §14.7).
const rollbackWithin = 30 * 24 * time.Hour

var rollbackTypes = []string{"Kubernetes", "NativeHelm", "ECS", "Asg", "TAS", "GoogleManagedInstanceGroup"}

// Rollback starts a run of the rollback steps of a run that has succeeded, its last stage
// first, as its plan has them. What they read is what that run did. Each run is rolled
// back once.
func (l *Launch) Rollback(ctx context.Context, req RollbackRequest) (Started, error) {
	ctx = core.WithCause(ctx, "start")
	if len(req.Key) > MaxKey {
		return Started{}, fault.New(fault.TooLarge, "an idempotency key may have %d bytes", MaxKey)
	}
	old, tracks, err := l.journal.Whole(ctx, req.Account, req.Run)
	if err != nil {
		return Started{}, err
	}
	if err := l.mayRollBack(old, tracks[old.Plan.Root.Track]); err != nil {
		return Started{}, err
	}
	b := &core.Rollback{Of: req.Run, Loops: map[string][]core.Iteration{}}
	for fqn, loop := range tracks[old.Plan.Root.Track].Loops {
		b.Loops[fqn] = loop.Iterations
	}
	if p := old.Launch.Parent; p != nil {
		b.Inputs = p.Inputs
	}
	if b.Stages, err = l.stagesBack(ctx, old, tracks, req); err != nil {
		return Started{}, err
	}
	again := Request{Account: req.Account, Trigger: "MANUAL", By: req.By, Key: req.Key, rollback: b}
	again.Source.Data = []byte(old.Launch.Source)
	run, err := l.onlyOne(ctx, again)
	if err != nil {
		return Started{}, err
	}
	return l.beginAs(ctx, run, again, old.Plan, nil)
}

// CheckRollback says why a run cannot be rolled back, nil when it can.
func (l *Launch) CheckRollback(ctx context.Context, req RollbackRequest) error {
	old, tracks, err := l.journal.Whole(ctx, req.Account, req.Run)
	if err != nil {
		return err
	}
	if err := l.mayRollBack(old, tracks[old.Plan.Root.Track]); err != nil {
		return err
	}
	if by, err := l.rolledBackBy(ctx, req.Account, req.Run); err != nil || by != "" {
		return or(err, fault.New(fault.Conflict, "run %s has been rolled back, by run %s", req.Run, by))
	}
	_, err = l.stagesBack(ctx, old, tracks, req)
	return err
}

func or(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

func (l *Launch) mayRollBack(old *engine.Run, root *engine.Track) error {
	id := old.Launch.Run
	switch {
	case old.Launch.Rollback != nil:
		return fault.New(fault.Invalid, "run %s is a rollback itself, of run %s", id, old.Launch.Rollback.Of)
	case !root.Status.Terminal():
		return fault.New(fault.Conflict, "run %s has not ended", id)
	case root.Status != core.Succeeded:
		return fault.New(fault.Invalid, "run %s ended as %s: only runs that ended as Success can be rolled back", id, root.Status.API())
	case core.Millis(l.clock.Now())-old.At > rollbackWithin.Milliseconds():
		return fault.New(fault.Invalid, "run %s is older than 30 days", id)
	}
	return nil
}

// stagesBack are the tracks of the stages that are rolled back: of those that were asked
// for each has to be one that can, of all those that can.
func (l *Launch) stagesBack(ctx context.Context, old *engine.Run, tracks map[string]*engine.Track, req RollbackRequest) (list []string, err error) {
	var last error
	asked := slices.Clone(req.Stages)
	var ids []string
	old.Tracks(func(id string, _ *core.Node) { ids = append(ids, id) })
	for _, id := range ids {
		n := old.TrackRoot(id)
		if n == nil || n.Kind != core.KindStage {
			continue
		}
		named := slices.ContainsFunc(req.Stages, func(s string) bool { return s == n.Identifier || s == looped(old, n) })
		if len(req.Stages) > 0 && !named {
			continue
		}
		asked = slices.DeleteFunc(asked, func(s string) bool { return s == n.Identifier || s == looped(old, n) })
		why, err := l.stageBack(ctx, old, n, tracks[id])
		switch {
		case err != nil:
			return nil, err
		case why != nil && named:
			return nil, why
		case why != nil:
			last = why
		default:
			list = append(list, id)
		}
	}
	switch {
	case len(asked) > 0:
		return nil, fault.New(fault.Invalid, "run %s has no stage %s", req.Run, strings.Join(asked, ", "))
	case len(list) == 0 && last != nil:
		return nil, last
	case len(list) == 0:
		return nil, fault.New(fault.Invalid, "run %s has no stage that can be rolled back", req.Run)
	}
	return list, nil
}

// looped is the identifier of the stage that one is an iteration of, "" for others.
func looped(r *engine.Run, n *core.Node) string {
	if p := r.Parent(n); p != nil && p.Kind == core.KindStage {
		return p.Identifier
	}
	return ""
}

// stageBack says why a stage cannot be rolled back, nil when it can.
func (l *Launch) stageBack(ctx context.Context, old *engine.Run, n *core.Node, t *engine.Track) (why, err error) {
	what := "stage " + n.Identifier
	switch {
	case t == nil || t.Status != core.Succeeded:
		return fault.New(fault.Invalid, "%s of run %s has not ended as Success", what, old.Launch.Run), nil
	case n.Target == nil || len(n.Rollback) == 0:
		return fault.New(fault.Invalid, "%s is no Deployment stage with rollback steps", what), nil
	case !slices.Contains(rollbackTypes, n.Target.DeploymentType):
		return fault.New(fault.Invalid, "%s deploys %s: what can be rolled back is of one of the types %s", what, n.Target.DeploymentType, strings.Join(rollbackTypes, ", ")), nil
	}
	key := ""
	for _, c := range t.Held {
		if kind, k := core.LockParts(c.Lock); kind == core.LockInfra {
			key = k
		}
	}
	if key == "" {
		return fault.New(fault.Invalid, "%s deploys to an infrastructure that several may deploy to at once: nobody knows which deployment is the latest there", what), nil
	}
	ref, err := l.journal.Walked(ctx, journal.Ref{Account: old.Account, Run: old.Launch.Run, Track: t.ID})
	if err != nil {
		return nil, err
	}
	d, err := l.journal.LastDeployed(ctx, old.Account, key)
	switch {
	case fault.Is(err, fault.NotFound):
		return fault.New(fault.Conflict, "it is not known yet what %s has deployed: retry", what), nil
	case err != nil:
		return nil, err
	case d.Run != ref.Run || d.Track != ref.Track:
		return fault.New(fault.Conflict, "%s is not the latest successful deployment to its infrastructure: that is run %s", what, d.Run), nil
	}
	return nil, nil
}

// rolledBackBy is the run that has rolled the run back, "" for none.
func (l *Launch) rolledBackBy(ctx context.Context, account, run string) (string, error) {
	item, err := l.journal.Ports().Store.Get(ctx, core.RolledBackKey(account, run), true)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	var k keyed
	if err == nil {
		err = json.Unmarshal(item.Body, &k)
	}
	return k.Run, err
}

// onlyOne is the id of the run that rolls back: whoever notes it first. One that was
// noted and never started is started now.
func (l *Launch) onlyOne(ctx context.Context, req Request) (string, error) {
	run, err := l.id(ctx, req)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(keyed{Run: run})
	if err != nil {
		return "", err
	}
	err = l.journal.Ports().Store.Write(ctx, core.Put{If: core.IfAbsent(),
		Item: core.Item{Key: core.RolledBackKey(req.Account, req.rollback.Of), Body: body, Version: 1}})
	if !fault.Is(err, fault.Conflict) {
		return run, err
	}
	by, err := l.rolledBackBy(ctx, req.Account, req.rollback.Of)
	if err != nil || by == run {
		return by, err
	}
	if _, err = l.journal.Run(ctx, req.Account, by); fault.Is(err, fault.NotFound) {
		return by, nil
	}
	return "", or(err, fault.New(fault.Conflict, "run %s has been rolled back, by run %s", req.rollback.Of, by))
}
