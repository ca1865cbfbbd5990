// Package replay decides a recorded run again: the engine goes over its events and
// must come to the same state, commands and facts; the first event at which it does
// not is named with what differs.
package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Version is the shape of recordings written now.
const Version = 1

// Recording is a run as it was recorded. Secrets are references in it, and the
// tokens of its machines are replaced by digests.
type Recording struct {
	V         int               `json:"v"`
	Semantics int               `json:"semantics"`
	Launch    core.Launch       `json:"launch"`
	Tracks    map[string][]Step `json:"tracks"` // by track, in order, from event 1
	// Snapshots are the folds that the platform has stored, of some tracks.
	Snapshots map[string]Snapshot `json:"snapshots,omitempty"`
	// Outputs are those that facts name by their digest only, by digest; or by the
	// reference of outputs that are kept apart.
	Outputs map[string]map[string]any `json:"outputs,omitempty"`
}

// Step is an event with the track's state after it, as a merge patch (RFC 7386) to the
// state before; empty when nobody has written that down.
type Step struct {
	Event core.Event      `json:"event"`
	State json.RawMessage `json:"state,omitempty"`
}

// Snapshot is a track's state after event N.
type Snapshot struct {
	N     int64           `json:"n"`
	State json.RawMessage `json:"state"`
}

// Parse reads a recording; fault.Invalid says what is wrong with it.
func Parse(body []byte) (*Recording, error) {
	var r Recording
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fault.New(fault.Invalid, "this is not a recorded run: %w", err)
	}
	switch {
	case r.V == 0 || r.Launch.Plan == nil || r.Launch.Plan.Root == nil:
		return nil, fault.New(fault.Invalid, "this is not a recorded run: write one with `slipway runs export RUN -o FILE`")
	case r.V != Version:
		return nil, fault.New(fault.Invalid, "the recording has version %d, this Slipway reads %d", r.V, Version)
	case r.Semantics > core.Semantics:
		return nil, fault.New(fault.Invalid, "the run was decided with semantics %d, this Slipway knows %d: use a newer one", r.Semantics, core.Semantics)
	}
	return &r, nil
}

// Facts are a recorded event's facts as the engine used them.
func (r *Recording) Facts(ev core.Event) (map[string]core.Fact, error) {
	facts := make(map[string]core.Fact, len(ev.Facts))
	for ref, f := range ev.Facts {
		if f.Digest != "" {
			out, ok := r.Outputs[f.Digest]
			if !ok {
				return nil, fault.New(fault.Invalid, "the recording lacks the outputs with the digest %s that %s stands for", f.Digest, ref)
			}
			if Digest(out) != f.Digest {
				return nil, fault.New(fault.Invalid, "the outputs recorded for %s do not have the digest %s", ref, f.Digest)
			}
			f.Outputs = out
		}
		facts[ref] = f
	}
	return facts, nil
}

// Stored is how facts are kept with their event: outputs over core.MaxFactBytes by
// digest.
func Stored(facts map[string]core.Fact) map[string]core.Fact {
	for ref, f := range facts {
		if body, err := json.Marshal(f.Outputs); err == nil && len(body) > core.MaxFactBytes {
			f.Outputs, f.Digest = nil, digest(body)
			facts[ref] = f
		}
	}
	return facts
}

// Digest is that of outputs in a Fact.
func Digest(outputs map[string]any) string {
	body, err := json.Marshal(outputs)
	if err != nil {
		return ""
	}
	return digest(body)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Hide replaces the tokens of an event by digests: who has a token can answer its
// machine. Equal tokens stay equal, and nothing else about them counts.
func Hide(ev *core.Event) {
	if ev.Entered != nil {
		e := *ev.Entered
		e.Token = hidden(e.Token)
		ev.Entered = &e
	}
	for i := range ev.Commands {
		ev.Commands[i].Token = hidden(ev.Commands[i].Token)
	}
}

// HideState does the same to a track.
func HideState(t *engine.Track) { t.Segment.Token = hidden(t.Segment.Token) }

func hidden(token string) string {
	if token == "" {
		return ""
	}
	return "token-" + digest([]byte(token))[:16]
}

// Join adds a later page of the same recording to an earlier one.
func (r *Recording) Join(page *Recording) {
	for id, steps := range page.Tracks {
		r.Tracks[id] = append(r.Tracks[id], steps...)
	}
	maps.Copy(r.Snapshots, page.Snapshots)
	maps.Copy(r.Outputs, page.Outputs)
}
