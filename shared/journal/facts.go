package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
)

// lookup answers a reference of the engine's (engine.NodeRef, engine.PastRef,
// engine.BlobRef, engine.ExportRef).
func (j *Journal) lookup(ctx context.Context, run *engine.Run, ref string) (core.Fact, error) {
	kind, name, _ := strings.Cut(ref, ":")
	switch kind {
	case "node":
		return j.nodeFact(ctx, run, name)
	case "past":
		_, above, err := j.Load(ctx, Ref{run.Account, run.Launch.Run, core.ParentTrack(name)})
		if err != nil {
			return core.Fact{}, err
		}
		return engine.Past(run, above, name), nil
	case "blob":
		digest, blob, _ := strings.Cut(name, ":")
		out, err := j.kept(ctx, core.OutputsRef{Blob: blob, Digest: digest})
		return core.Fact{Found: true, Outputs: out}, err
	case "export":
		scope, key, _ := strings.Cut(name, "#")
		return j.exportFact(ctx, run, scope, key)
	default:
		return core.Fact{}, fault.New(fault.Internal, "the engine asked for %q, which nobody knows", ref)
	}
}

// nodeFact tells how a node stands, in whichever track walks it.
func (j *Journal) nodeFact(ctx context.Context, run *engine.Run, fqn string) (core.Fact, error) {
	ref := Ref{run.Account, run.Launch.Run, run.Owner(fqn)}
	_, t, err := j.Load(ctx, ref)
	if err != nil {
		return core.Fact{}, err
	}
	if n := run.TrackRoot(ref.Track); n.FQN == fqn && t.Status == core.NotStarted && core.ParentTrack(ref.Track) != "" {
		if _, t, err = j.Load(ctx, Ref{ref.Account, ref.Run, core.ParentTrack(ref.Track)}); err != nil { // skipped there?
			return core.Fact{}, err
		}
	} else if n.FQN == fqn && t.Nodes[fqn] == nil {
		return core.Fact{Found: t.Status != core.NotStarted, Status: t.Status, Started: t.Started, Ended: t.Ended, Attempt: 1}, nil
	}
	s := t.Nodes[fqn]
	if s == nil {
		return core.Fact{}, nil
	}
	out, err := j.Outputs(ctx, s)
	return core.Fact{Found: true, Status: s.Status, Started: s.Started, Ended: s.Ended, Attempt: s.Attempt, Outputs: out}, err
}

// exportFact looks for output variables published under an alias in a scope, in
// every track of it.
func (j *Journal) exportFact(ctx context.Context, run *engine.Run, scope, key string) (core.Fact, error) {
	var fact core.Fact
	var failed error
	run.Tracks(func(track string, n *core.Node) {
		if fact.Found || failed != nil || !within(run, n, scope) {
			return
		}
		_, t, err := j.Load(ctx, Ref{run.Account, run.Launch.Run, track})
		if err != nil {
			failed = err
			return
		}
		if x := t.Exports[scope+"#"+key]; x != nil {
			out, err := j.Outputs(ctx, t.Nodes[x.Node])
			fact, failed = core.Fact{Found: true, Outputs: engine.OutputVariables(out)}, err
		}
	})
	return fact, failed
}

// within reports whether a track's node is in the scope or around it.
func within(run *engine.Run, n *core.Node, scope string) bool {
	return run.Owner(scope) == n.Track || strings.HasPrefix(n.FQN+".", scope+".")
}

// Outputs returns a node's outputs, fetched when they are kept outside the event.
func (j *Journal) Outputs(ctx context.Context, n *engine.Node) (map[string]any, error) {
	if n.OutputsRef == nil {
		return n.Outputs, nil
	}
	return j.kept(ctx, *n.OutputsRef)
}

// kept fetches outputs from their blob.
func (j *Journal) kept(ctx context.Context, o core.OutputsRef) (map[string]any, error) {
	body, err := j.ports.Blobs.Get(ctx, o.Blob)
	if err != nil {
		return nil, err
	}
	if digest(body) != o.Digest {
		return nil, fault.New(fault.Internal, "outputs %s are not what was recorded", o.Blob)
	}
	var out map[string]any
	return out, json.Unmarshal(body, &out)
}

// StoreOutputs keeps outputs outside the event when they are too large for it,
// and says where. It returns nil for small ones.
func (j *Journal) StoreOutputs(ctx context.Context, ref Ref, task string, outputs map[string]any) (*core.OutputsRef, error) {
	body, err := json.Marshal(outputs)
	if err != nil || len(body) <= core.MaxInlineOutputs {
		return nil, err
	}
	o := &core.OutputsRef{Blob: core.OutputBlob(ref.Account, ref.Run, task), Digest: digest(body), Bytes: len(body)}
	return o, j.ports.Blobs.Put(ctx, o.Blob, body)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// storedFacts is how facts are kept with their event: large outputs by digest.
func storedFacts(facts map[string]core.Fact) map[string]core.Fact {
	for ref, f := range facts {
		if body, err := json.Marshal(f.Outputs); err == nil && len(body) > core.MaxFactBytes {
			f.Outputs, f.Digest = nil, digest(body)
			facts[ref] = f
		}
	}
	return facts
}

// recalled undoes storedFacts by looking up again what was kept by digest.
func (j *Journal) recalled(ctx context.Context, run *engine.Run, facts map[string]core.Fact) (map[string]core.Fact, error) {
	for ref, f := range facts {
		if f.Digest == "" {
			continue
		}
		now, err := j.lookup(ctx, run, ref)
		if err != nil {
			return nil, err
		}
		if body, err := json.Marshal(now.Outputs); err != nil || digest(body) != f.Digest {
			return nil, fault.New(fault.Internal, "%s is not what was looked up", ref)
		}
		f.Outputs = now.Outputs
		facts[ref] = f
	}
	return facts, nil
}
