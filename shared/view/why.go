package view

import (
	"context"

	"github.com/slipway-cd/slipway/shared/explain"
	"github.com/slipway-cd/slipway/shared/replay"
)

// Story reads a run with all that was decided in it.
func (v *Views) Story(ctx context.Context, account, run string) (*explain.Story, error) {
	rec, after, err := v.journal.Record(ctx, account, run, "")
	for err == nil && after != "" {
		var page *replay.Recording
		if page, after, err = v.journal.Record(ctx, account, run, after); err == nil {
			rec.Join(page)
		}
	}
	if err != nil {
		return nil, err
	}
	return explain.Recorded(rec)
}
