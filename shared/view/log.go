package view

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/wire"
)

// ApprovalParts splits an approval's id into its run and track; a run's id alone
// has no track.
func ApprovalParts(id string) (run, track string, ok bool) {
	first, last := strings.IndexByte(id, '.'), strings.LastIndexByte(id, '.')
	if first < 0 || last <= first {
		return id, "", false
	}
	return id[:first], id[first+1 : last], true
}

// Logs returns chunks of a task's log behind number after, and the number of the
// last one returned.
func (v *Views) Logs(ctx context.Context, account, run, task string, after int) ([]wire.LogLine, int, error) {
	prefix := core.LogPrefix(task)
	q := core.Query{PK: core.RunKey(account, run).PK, SKPrefix: prefix, Strong: true}
	if after > 0 {
		q.After = core.LogKey(account, run, task, after).SK
	}
	var lines []wire.LogLine
	for {
		page, err := v.journal.Ports().Store.Query(ctx, q)
		if err != nil {
			return nil, after, err
		}
		for _, it := range page.Items {
			var chunk []wire.LogLine
			if err := json.Unmarshal(it.Body, &chunk); err != nil {
				return nil, after, err
			}
			lines = append(lines, chunk...)
			after, _ = strconv.Atoi(strings.TrimPrefix(it.SK, prefix))
		}
		if page.Cursor == "" || len(lines) > 5000 {
			return lines, after, nil
		}
		q.After = page.Cursor
	}
}
