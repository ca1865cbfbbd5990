package parity

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Log is what a run has left: its tracks' events in order, and what it put on
// the bus.
type Log struct {
	Run    string
	URL    string // of the platform, which appears in texts
	Tracks map[string][]core.Event
	Bus    []json.RawMessage // details of run.ended, in any order, repeated or not
}

// Read reads the tracks of a run from a store.
func Read(ctx context.Context, store core.Store, account, run string) (map[string][]core.Event, error) {
	tracks := map[string][]core.Event{}
	q := core.Query{PK: core.RunKey(account, run).PK, SKPrefix: "T#", Strong: true}
	for {
		page, err := store.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range page.Items {
			_, _, track, ok := core.ParseEventKey(it.Key)
			if !ok {
				continue // a snapshot
			}
			ev, err := core.ParseEvent(it.Body)
			if err != nil {
				return nil, err
			}
			if want := int64(len(tracks[track]) + 1); ev.N != want {
				return nil, fault.New(fault.Internal, "track %s of run %s: event %d is missing", track, run, want)
			}
			tracks[track] = append(tracks[track], ev)
		}
		if page.Cursor == "" {
			return tracks, nil
		}
		q.After = page.Cursor
	}
}

// Ended reports whether the pipeline's own track has published its end.
func Ended(tracks map[string][]core.Event) bool {
	for _, ev := range tracks["0"] {
		for _, c := range ev.Commands {
			if c.Do == core.DoPublish && strings.HasPrefix(c.Topic, "run.ended") {
				return true
			}
		}
	}
	return false
}

// Due counts the moments at which the case's people may have had to do something:
// where approvals, failed steps and steps that need values ask; any event, when one is to be marked as failed.
func (c Case) Due(tracks map[string][]core.Event) int {
	marks, n := c.marks(), 0
	for _, events := range tracks {
		for _, ev := range events {
			if marks {
				n++
			}
			for _, c := range ev.Commands {
				if c.Do != core.DoFinish {
					continue
				}
				switch c.Route.Kind {
				case "Approval", "Intervene":
					n++
				case "Input": // values may come before the machine does, and would then be recorded before it
					if entered(events, c.Route.Segment) {
						n++
					}
				}
			}
		}
	}
	return n
}

// entered reports whether the track's machine has come to a segment.
func entered(events []core.Event, segment int) bool {
	return slices.ContainsFunc(events, func(ev core.Event) bool { return ev.Entered != nil && ev.Entered.Segment == segment })
}

// marks reports whether somebody marks a running step as failed.
func (c Case) marks() bool {
	for _, list := range c.Answers {
		for _, a := range list {
			if a.Action == core.InterruptMarkFailed {
				return true
			}
		}
	}
	return false
}

// Sent are the states that machines were sent to, also first of all, sorted.
func Sent(tracks map[string][]core.Event) []string {
	states := map[string]bool{}
	for _, events := range tracks {
		for _, ev := range events {
			for _, c := range ev.Commands {
				if c.Route != nil {
					states[c.Route.Kind] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(states))
}

// Started are the commands by which the engine has started executions.
func Started(tracks map[string][]core.Event) (list []core.Command) {
	for _, events := range tracks {
		for _, ev := range events {
			for _, c := range ev.Commands {
				if c.Do == core.DoStart {
					list = append(list, c)
				}
			}
		}
	}
	return list
}
