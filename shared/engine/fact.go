package engine

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// World is where what Apply needs to know is looked up: the other tracks of its run.
type World struct {
	// Track returns a track as it stands; one without events is not started.
	Track func(id string) (*Track, error)
	// Kept returns outputs that are kept outside of events.
	Kept func(core.OutputsRef) (map[string]any, error)
}

// Outputs are a node's outputs, wherever they are kept.
func (w World) Outputs(n *Node) (map[string]any, error) {
	if n.OutputsRef == nil {
		return n.Outputs, nil
	}
	return w.Kept(*n.OutputsRef)
}

// Fact answers a reference that Apply asked for with Need.
func (w World) Fact(r *Run, ref string) (core.Fact, error) {
	kind, name, _ := strings.Cut(ref, ":")
	switch kind {
	case "node":
		return w.node(r, r.Owner(name), name)
	case "in":
		track, fqn, _ := strings.Cut(name, ":")
		return w.node(r, track, fqn)
	case "past", "place":
		above, err := w.Track(core.ParentTrack(name))
		if err != nil {
			return core.Fact{}, err
		}
		if kind == "place" {
			return placed(r, above, name), nil
		}
		return past(r, above, name), nil
	case "iteration":
		track, loop, _ := strings.Cut(name, ":")
		loop, postFix, _ := strings.Cut(loop, "#")
		t, err := w.Track(track)
		if err != nil {
			return core.Fact{}, err
		}
		return iterated(t, loop, postFix), nil
	case "blob":
		digest, blob, _ := strings.Cut(name, ":")
		out, err := w.Kept(core.OutputsRef{Blob: blob, Digest: digest})
		return core.Fact{Found: true, Outputs: out}, err
	case "rolledBack":
		t, err := w.Track(name)
		if err != nil {
			return core.Fact{}, err
		}
		return core.Fact{Found: t.RolledBack}, nil
	case "tries", "given":
		track, node, _ := strings.Cut(name, ":")
		t, err := w.Track(track)
		if err != nil {
			return core.Fact{}, err
		}
		if kind == "given" {
			return givenTo(t, node), nil
		}
		group, strategy, _ := strings.Cut(node, " ")
		return tries(t, group, strategy), nil
	case "export":
		scope, key, _ := strings.Cut(name, "#")
		return w.export(r, scope, key)
	}
	return core.Fact{}, fault.New(fault.Internal, "the engine asked for %q, which nobody knows", ref)
}

// node tells how a node stands, in whichever track walks it.
func (w World) node(r *Run, track, fqn string) (core.Fact, error) {
	t, err := w.Track(track)
	if err != nil {
		return core.Fact{}, err
	}
	root := r.From(t).TrackRoot(track) // nil of an iteration that has not begun
	isRoot := root == nil || root.FQN == fqn
	switch above := core.ParentTrack(track); {
	case isRoot && above != "" && (t.Standing().Status == core.NotStarted || root == nil || root.Kind != core.KindStage): // skipped there?
		up, err := w.Track(above)
		if err != nil {
			return core.Fact{}, err
		}
		if t.Standing().Status == core.NotStarted || !up.HasStarted(track) {
			t = up
		}
	}
	if at := t.Standing(); isRoot && t.ID == track && (t.Nodes[fqn] == nil || root.Kind == core.KindStage) {
		return core.Fact{Found: at.Status != core.NotStarted, Status: at.Status, Started: at.Started, Ended: at.Ended, Attempt: 1, Outputs: t.chainOutputs(fqn)}, nil
	}
	s := t.Nodes[fqn]
	if s == nil || s.Status == core.NotStarted {
		return core.Fact{}, nil
	}
	out, err := w.Outputs(s)
	return core.Fact{Found: true, Status: s.Status, Started: s.Started, Ended: s.Ended, Attempt: s.Attempt, Outputs: out}, err
}

// export looks for output variables published under an alias in a scope, in every
// track of it.
func (w World) export(r *Run, scope, key string) (core.Fact, error) {
	r, tracks, err := w.Whole(r)
	if err != nil {
		return core.Fact{}, err
	}
	for id := range r.TrackIDs() {
		n := r.TrackRoot(id)
		if r.Owner(scope) != n.Track && !strings.HasPrefix(n.FQN+".", scope+".") {
			continue
		}
		if x := tracks[id].Exports[scope+"#"+key]; x != nil {
			out, err := w.Outputs(tracks[id].Nodes[x.Node])
			return core.Fact{Found: true, Outputs: OutputVariables(out)}, err
		}
	}
	return core.Fact{}, nil
}

// Whole returns the run with the iterations its loops have expanded to, and the state
// of every track of it.
func (w World) Whole(r *Run) (*Run, map[string]*Track, error) {
	tracks := map[string]*Track{}
	for again := true; again; {
		again = false
		for id := range r.TrackIDs() {
			if tracks[id] != nil {
				continue
			}
			t, err := w.Track(id)
			if err != nil {
				return nil, nil, err
			}
			tracks[id] = t
			if len(t.Loops) > 0 { // there are more tracks now
				r, again = r.with(t), true
				break
			}
		}
	}
	return r, tracks, nil
}
