package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Report is what came of a replay.
type Report struct {
	Run    string  `json:"run"`
	Agrees bool    `json:"agrees"`
	Tracks []Track `json:"tracks"` // in the order of the plan
	// First is the difference of the earliest event that was decided otherwise.
	First *Difference `json:"first,omitempty"`
}

// Track is what came of one track.
type Track struct {
	Track      string      `json:"track"`
	Events     int         `json:"events"`   // that were decided as recorded
	Recorded   int         `json:"recorded"` // that there are
	Difference *Difference `json:"difference,omitempty"`
}

// Difference is the first event of a track that was decided otherwise.
type Difference struct {
	Track   string         `json:"track"`
	N       int64          `json:"n"`
	At      int64          `json:"at"` // ms
	Type    core.EventType `json:"type"`
	What    string         `json:"what"`              // state, commands, facts, snapshot, or event: it was not taken
	Message string         `json:"message,omitempty"` // of the engine, when it refused the event
	Changes []Change       `json:"changes,omitempty"`
}

// Run decides every event of the recording again.
func Run(rec *Recording) (Report, error) {
	run := engine.NewRun(rec.Launch)
	out := Report{Run: rec.Launch.Run, Agrees: true}
	for _, id := range order(run, rec) {
		t := Track{Track: id, Recorded: len(rec.Tracks[id])}
		var err error
		if t.Difference, err = rec.track(run, id, &t.Events); err != nil {
			return out, err
		}
		out.Tracks = append(out.Tracks, t)
		if d := t.Difference; d != nil && (out.First == nil || d.At < out.First.At) {
			out.Agrees, out.First = false, d
		}
	}
	return out, nil
}

// order is the recorded tracks as the plan has them, those it does not have last.
func order(run *engine.Run, rec *Recording) []string {
	var ids []string
	for id := range run.TrackIDs() {
		if len(rec.Tracks[id]) > 0 {
			ids = append(ids, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(rec.Tracks)) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (r *Recording) track(run *engine.Run, id string, agreed *int) (*Difference, error) {
	t, before := &engine.Track{ID: id}, []byte("{}")
	for i, s := range r.Tracks[id] {
		if s.Event.N != int64(i+1) {
			return nil, fault.New(fault.Invalid, "event %d of track %s is missing in the recording", i+1, id)
		}
		next, d, err := r.event(run, t, s, before)
		if err != nil || d != nil {
			return d, err
		}
		if before, err = json.Marshal(next); err != nil {
			return nil, err
		}
		t = next
		*agreed++
	}
	return nil, nil
}

// event decides one event again and compares what is recorded of it.
func (r *Recording) event(run *engine.Run, t *engine.Track, s Step, before []byte) (*engine.Track, *Difference, error) {
	d := &Difference{Track: t.ID, N: s.Event.N, At: s.Event.At, Type: s.Event.Type}
	facts, err := r.Facts(s.Event)
	if err != nil {
		return nil, nil, err
	}
	ev := s.Event
	ev.Commands, ev.Facts = nil, nil
	res, err := engine.Apply(run, t, ev, facts)
	switch need, asks := errors.AsType[*engine.Need](err); {
	case asks:
		d.What, d.Message = "facts", "the engine asks for what it did not look up then: "+need.Error()
		return nil, d, nil
	case err != nil:
		d.What, d.Message = "event", err.Error()
		return nil, d, nil
	case res.Ignored:
		d.What, d.Message = "event", "the engine ignores it"
		return nil, d, nil
	}
	state, err := json.Marshal(res.Track)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range []struct {
		what              string
		recorded, decided any
	}{
		{"commands", s.Event.Commands, res.Commands},
		{"facts", s.Event.Facts, Stored(maps.Clone(res.Facts))},
		{"state", patched(before, s.State), json.RawMessage(state)},
		{"snapshot", r.snapshot(t.ID, s.Event.N), json.RawMessage(state)},
	} {
		if raw, ok := c.recorded.(json.RawMessage); ok && raw == nil {
			continue
		}
		changes, err := compare(c.recorded, c.decided)
		if err != nil {
			return nil, nil, err
		}
		if len(changes) > 0 {
			d.What, d.Changes = c.what, changes
			return nil, d, nil
		}
	}
	return res.Track, nil, nil
}

func (r *Recording) snapshot(track string, n int64) json.RawMessage {
	if s, ok := r.Snapshots[track]; ok && s.N == n {
		return s.State
	}
	return nil
}

// compare tells how two values differ as JSON.
func compare(recorded, decided any) ([]Change, error) {
	a, err := json.Marshal(recorded)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(decided)
	if err != nil || bytes.Equal(a, b) {
		return nil, err
	}
	return Diff(a, b)
}

// WriteStates writes down the states that this engine comes to, so that a later one
// can be held to them. It fails where the engine does not take an event.
func (r *Recording) WriteStates() error {
	run := engine.NewRun(r.Launch)
	for id, steps := range r.Tracks {
		t, before := &engine.Track{ID: id}, []byte("{}")
		for i := range steps {
			facts, err := r.Facts(steps[i].Event)
			if err != nil {
				return err
			}
			res, err := engine.Apply(run, t, steps[i].Event, facts)
			if err != nil || res.Ignored {
				return fault.New(fault.Internal, "event %d of track %s cannot be decided again: %v", steps[i].Event.N, id, err)
			}
			state, err := json.Marshal(res.Track)
			if err != nil {
				return err
			}
			if steps[i].State, err = patch(before, state); err != nil {
				return err
			}
			t, before = res.Track, state
		}
	}
	return nil
}
