package journal

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/replay"
)

// Bounds of one page of a recording, in bytes of JSON. What runs are made of and the
// outputs one event looked up may be more than a page, but not more than an answer.
const (
	recordPage = 1 << 20
	recordMost = 5 << 20
)

// RecordStart is before the first of a run's events; the keys of all begin with it.
const RecordStart = "T#"

// Record returns a page of a run's recording and where the next one begins, "" at the
// end. The launch is in the first page; a recording is its pages put together
// (replay.Join). after is empty for the first.
func (j *Journal) Record(ctx context.Context, account, id, after string) (*replay.Recording, string, error) {
	ctx = core.WithRun(ctx, account, id)
	run, err := j.Run(ctx, account, id)
	if err != nil {
		return nil, "", err
	}
	p := &page{j: j, run: run, rec: &replay.Recording{V: replay.Version, Semantics: run.Plan.Semantics,
		Tracks: map[string][]replay.Step{}, Snapshots: map[string]replay.Snapshot{}, Outputs: map[string]map[string]any{}}}
	if after == "" {
		p.rec.Launch = run.Launch
		if err := p.add(run.Launch); err != nil {
			return nil, "", err
		}
		after = RecordStart
	}
	q := core.Query{PK: core.RunKey(account, id).PK, SKPrefix: RecordStart, After: after, Strong: true, Limit: 64}
	for {
		items, err := j.store.Query(ctx, q)
		if err != nil {
			return nil, "", err
		}
		for _, it := range items.Items {
			if p.bytes > recordPage {
				return p.rec, q.After, nil
			}
			if err := p.item(ctx, it); err != nil {
				return nil, "", err
			}
			q.After = it.SK
		}
		if items.Cursor == "" {
			return p.rec, "", nil
		}
		q.After = items.Cursor
	}
}

// page is a page under way.
type page struct {
	j     *Journal
	run   *engine.Run
	rec   *replay.Recording
	bytes int
}

func (p *page) add(v any) error {
	body, err := json.Marshal(v)
	p.bytes += len(body)
	if err == nil && p.bytes > recordMost {
		return fault.New(fault.TooLarge, "run %s cannot be recorded: what it was started with, or the outputs that one of its steps has read, are over %d MB",
			p.run.Launch.Run, recordMost>>20)
	}
	return err
}

// item adds an event or a snapshot.
func (p *page) item(ctx context.Context, it core.Item) error {
	_, _, track, event := core.ParseEventKey(it.Key)
	if !event {
		return p.snapshot(it)
	}
	ev, err := core.ParseEvent(it.Body)
	if err != nil {
		return err
	}
	facts, err := p.j.recalled(ctx, p.run, maps.Clone(ev.Facts))
	if err != nil {
		return err
	}
	for _, f := range facts {
		if f.Digest != "" && p.rec.Outputs[f.Digest] == nil {
			p.rec.Outputs[f.Digest] = f.Outputs
			if err := p.add(f.Outputs); err != nil {
				return err
			}
		}
	}
	replay.Hide(&ev)
	p.rec.Tracks[track] = append(p.rec.Tracks[track], replay.Step{Event: ev})
	p.bytes += len(it.Body)
	return nil
}

func (p *page) snapshot(it core.Item) error {
	var t engine.Track
	if err := json.Unmarshal(it.Body, &t); err != nil {
		return nil // a cache that nobody can read is none
	}
	replay.HideState(&t)
	state, err := json.Marshal(t)
	p.rec.Snapshots[t.ID] = replay.Snapshot{N: t.N, State: state}
	p.bytes += len(state)
	return err
}
