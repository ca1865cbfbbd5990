package journal

import (
	"context"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// chain starts a run that a stage asks for, or gives it an event: whichever is done
// first stores it, so that one that is stopped before it was started never starts.
func (j *Journal) chain(ctx context.Context, run *engine.Run, c core.Command) error {
	if j.Chained == nil {
		return fault.New(fault.Internal, "nothing here starts chained runs")
	}
	if err := j.Chained(ctx, run, c); err != nil {
		return err
	}
	ev := core.Event{Type: core.EventStarted, Actor: run.Launch.Started.By.ID}
	if c.Event != nil {
		ev = *c.Event
	}
	_, err := j.Apply(ctx, Ref{run.Account, c.Run, run.Plan.Root.Track}, ev)
	return err
}

// deliver gives an event to a track of this run, or of the one that it was started by,
// which may be gone.
func (j *Journal) deliver(ctx context.Context, ref Ref, c core.Command) error {
	to := Ref{ref.Account, ref.Run, c.Track}
	if c.Run != "" {
		to.Run = c.Run
	}
	_, err := j.Apply(ctx, to, *c.Event)
	if c.Run != "" && fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}
