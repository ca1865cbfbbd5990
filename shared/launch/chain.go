package launch

import (
	"context"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// chained stores the run that a stage of parent starts, unless it is there: all of it
// follows from the parent and the command, so whoever is first stores the same. It goes
// on in its parent's place: no limit counts it (BEHAVIOUR §11.4).
func (l *Launch) chained(ctx context.Context, parent *engine.Run, c core.Command) error {
	if _, err := l.journal.Run(ctx, parent.Account, c.Run); !fault.Is(err, fault.NotFound) {
		return err
	}
	n := parent.ChainStage(c.Track)
	if n == nil || n.Chain == nil || n.Chain.Plan == nil {
		return fault.New(fault.Internal, "track %s of run %s runs no pipeline", c.Track, parent.Launch.Run)
	}
	plan := *n.Chain.Plan
	plan.Scope.Account = parent.Account
	at, _ := core.RunStarted(core.PlanKey(parent.Account, c.Run).PK)
	seq, err := l.catalogue.NextSequence(ctx, plan.Scope, plan.Identifier)
	if err != nil {
		return err
	}
	by := parent.Launch.Started
	base, _, _ := strings.Cut(by.URL, pagePath)
	err = l.journal.SaveLaunch(ctx, core.Launch{Run: c.Run, At: at, Plan: &plan, Source: n.Chain.Source,
		Started: core.Started{Semantics: plan.Semantics, Sequence: seq, Trigger: by.Trigger, By: by.By, URL: page(base, &plan, c.Run)},
		Parent: &core.Parent{Run: parent.Launch.Run, Scope: parent.Plan.Scope, Pipeline: parent.Plan.Identifier, Sequence: by.Sequence,
			Track: c.Track, Stage: stageID(n, c.Chain.Node), ChainCall: *c.Chain, Outputs: n.Chain.Outputs}})
	if fault.Is(err, fault.AlreadyExists) {
		return nil
	}
	return err
}

// stageID is the identifier of the stage, of an iteration its own.
func stageID(n *core.Node, fqn string) string { return n.Identifier + strings.TrimPrefix(fqn, n.FQN) }
