package view

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/journal"
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

// Bounds of one answer with logs. Its bytes are those of stored chunks, of which
// the last page read may add as many: written as JSON inside a function's answer,
// which has 6 MB, each may take twice the room.
const (
	enoughLines = 5000
	enoughBytes = 1 << 20
)

// Logs returns chunks of a task's log behind number after, and the number of the
// last one returned: as many as one answer should carry, not all there are.
func (v *Views) Logs(ctx context.Context, account, run, task string, after int) ([]wire.LogLine, int, error) {
	// Asked first: what ended before the chunks are read has all of them stored.
	if r, err := v.journal.Run(ctx, account, run); err == nil && r.Launch.Retry != nil { // another's, if that has executed it
		ref, _, err := v.taskNode(ctx, account, run, task)
		if err != nil {
			return nil, after, err
		}
		run = ref.Run
	}
	last, err := v.lastLines(ctx, account, run, task)
	if err != nil {
		return nil, after, err
	}
	prefix := core.LogPrefix(task)
	q := core.Query{PK: core.RunKey(account, run).PK, SKPrefix: prefix, Strong: true}
	if after > 0 {
		q.After = core.LogKey(account, run, task, after).SK
	}
	var lines []wire.LogLine
	bytes := 0
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
			lines, bytes = append(lines, chunk...), bytes+len(it.Body)
			after, _ = strconv.Atoi(strings.TrimPrefix(it.SK, prefix))
		}
		switch {
		case page.Cursor == "" && last.Seq > after:
			var chunk []wire.LogLine
			if err := json.Unmarshal(last.Lines, &chunk); err != nil {
				return nil, after, err
			}
			return append(lines, chunk...), last.Seq, nil
		case page.Cursor == "" || len(lines) > enoughLines || bytes >= enoughBytes:
			return lines, after, nil
		}
		q.After = page.Cursor
	}
}

// lastLines are those that came with the end of the task, none while there is no
// such end.
func (v *Views) lastLines(ctx context.Context, account, run, task string) (last core.LastLines, err error) {
	ref, n, err := v.taskNode(ctx, account, run, task)
	if err != nil || n == nil || n.LogAt == 0 {
		return last, err
	}
	item, err := v.journal.Ports().Store.Get(ctx, core.EventKey(account, run, ref.Track, n.LogAt), true)
	if err != nil {
		return last, err
	}
	ev, err := core.ParseEvent(item.Body)
	if err != nil || ev.Completed == nil || ev.Completed.Log == nil {
		return last, err
	}
	return *ev.Completed.Log, nil
}

// taskNode finds the node that a task is of, nil when there is none. What ended in
// a state seen before has not changed since; only else the store is asked.
func (v *Views) taskNode(ctx context.Context, account, run, task string) (ref journal.Ref, n *engine.Node, err error) {
	ref = journal.Ref{Account: account, Run: run}
	for _, whole := range []func(context.Context, string, string) (*engine.Run, map[string]*engine.Track, error){v.journal.Known, v.journal.Whole} {
		_, tracks, err := whole(ctx, account, run)
		if err != nil {
			return ref, nil, err
		}
		for track, t := range tracks {
			n := t.ByTask(task)
			if n == nil {
				continue
			}
			if ref, err = v.journal.Walked(ctx, journal.Ref{Account: account, Run: run, Track: track}); err != nil {
				return ref, nil, err
			}
			if !n.Completed {
				_, t, err = v.journal.Load(ctx, ref)
				if err != nil {
					return ref, nil, err
				}
				n = t.ByTask(task)
			}
			return ref, n, nil
		}
	}
	return ref, nil, nil
}
