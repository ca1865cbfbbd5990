package journal

import (
	"context"

	"github.com/slipway-cd/slipway/shared/core"
)

// Transitions is how many states each machine has entered for a run, as its tracks
// say: those stored by now when fresh, else as this process has seen them.
func (j *Journal) Transitions(ctx context.Context, account, run string, fresh bool) (map[string]int64, error) {
	r, err := j.Run(ctx, account, run)
	if err != nil {
		return nil, err
	}
	load := j.Cached
	if fresh {
		load = j.Load
	}
	by := map[string]int64{}
	var failed error
	r.Tracks(func(track string, n *core.Node) {
		if failed != nil {
			return
		}
		_, t, err := load(ctx, Ref{account, run, track})
		if err != nil {
			failed = err
			return
		}
		by[machineOf(n)] += t.Transitions
	})
	return by, failed
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
