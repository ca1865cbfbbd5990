package follow

import (
	"context"

	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/view"
)

// chains tells what happened in the runs that a stage has started, its tries in order.
func (f *Follower) chains(ctx context.Context, stage view.Node, emit func(Event)) error {
	for _, id := range Chains(stage) {
		c := f.chained[id]
		if c == nil {
			c = New(f.source, id)
			f.chained[id] = c
		}
		if c.over {
			continue
		}
		run, err := c.Poll(ctx, func(e Event) {
			e.In = stage.FQN
			emit(e)
		})
		if fault.Is(err, fault.NotFound) { // it is about to begin
			return nil
		}
		if err != nil {
			return err
		}
		c.over = run.Ended
	}
	return nil
}

// Chains are the runs that a stage has started, one for each try.
func Chains(stage view.Node) (ids []string) {
	for _, a := range stage.Earlier {
		if a.Chained != "" {
			ids = append(ids, a.Chained)
		}
	}
	if stage.Chained != nil && stage.Chained.Run != "" {
		ids = append(ids, stage.Chained.Run)
	}
	return ids
}
