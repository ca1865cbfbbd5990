package launch

import (
	"context"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/journal"
)

// linked notes a run with the first of the chain of retries that it is part of.
func (l *Launch) linked(ctx context.Context, account, root, run string) error {
	return l.journal.Ports().Store.Write(ctx, core.Put{Item: core.Item{Key: core.RetryKey(account, root, run), Body: []byte("{}"), Version: 1}})
}

// Retries are the runs of the chain of retries that a run is part of, the latest first:
// that run alone when it is part of none.
func (l *Launch) Retries(ctx context.Context, account, run string) ([]string, error) {
	r, err := l.journal.Run(ctx, account, run)
	if err != nil {
		return nil, err
	}
	root := run
	if r.Launch.Retry != nil {
		root = r.Launch.Retry.Root
	}
	all := []string{root}
	q := core.Query{PK: core.RunKey(account, root).PK, SKPrefix: core.RetryPrefix, Strong: true}
	for {
		page, err := l.journal.Ports().Store.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range page.Items {
			all = append(all, strings.TrimPrefix(it.SK, core.RetryPrefix))
		}
		if q.After = page.Cursor; q.After == "" {
			break
		}
	}
	slices.Sort(all) // by their time
	slices.Reverse(all)
	return all, nil
}

// RetryStage is a stage that a retry may begin with.
type RetryStage struct {
	Identifier, Name string
	Parent           string // FQN of the parallel that it stands in, "" for none
	Status           core.Status
}

// RetryStages are the stages that a retry of the run may begin with, those of a parallel
// together; an error says why there is none.
func (l *Launch) RetryStages(ctx context.Context, account, run string) ([][]RetryStage, error) {
	r, err := l.journal.Run(ctx, account, run)
	if err != nil {
		return nil, err
	}
	_, root, err := l.journal.Load(ctx, journal.Ref{Account: account, Run: run, Track: r.Plan.Root.Track})
	if err != nil {
		return nil, err
	}
	if err := l.mayRetry(ctx, r, root); err != nil {
		return nil, err
	}
	var groups [][]RetryStage
	for _, item := range r.Plan.Root.Children {
		var group []RetryStage
		failed := false
		for _, n := range stagesOf(item) {
			s := RetryStage{Identifier: n.Identifier, Name: n.Name}
			if item != n {
				s.Parent = item.FQN
			}
			if at := root.Nodes[n.FQN]; at != nil {
				s.Status = at.Status
			}
			failed = failed || s.Status == core.NotStarted || s.Status.Failing()
			group = append(group, s)
		}
		if groups = append(groups, group); failed {
			break
		}
	}
	return groups, nil
}
