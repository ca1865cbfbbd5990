package journal

import (
	"context"

	"github.com/slipway-cd/slipway/shared/core"
)

// Transitions is how many states each machine has entered for a run, as its tracks
// say: those stored by now when fresh, else as this process has seen them.
func (j *Journal) Transitions(ctx context.Context, account, run string, fresh bool) (map[string]int64, error) {
	whole := j.Known
	if fresh {
		whole = j.Whole
	}
	r, tracks, err := whole(ctx, account, run)
	if err != nil {
		return nil, err
	}
	by := map[string]int64{}
	for id, t := range tracks {
		if _, copied := r.Launch.Retry.From(id); copied {
			continue // of another run
		}
		by[machineOf(r.TrackRoot(id))] += t.Transitions
	}
	return by, nil
}

func machineOf(n *core.Node) string {
	switch n.Kind {
	case core.KindPipeline:
		return core.MachinePipeline
	case core.KindStage:
		return core.MachineStage
	default:
		return core.MachineBranch
	}
}
