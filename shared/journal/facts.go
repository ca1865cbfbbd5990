package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/replay"
)

// world is where the engine's questions about a run are answered, its tracks read with
// load.
func (j *Journal) world(ctx context.Context, account, run string, load loader) engine.World {
	return engine.World{
		Track: func(id string) (*engine.Track, error) {
			ref, err := j.Walked(ctx, Ref{account, run, id})
			if err != nil {
				return nil, err
			}
			_, t, err := load(ctx, ref)
			return t, err
		},
		Kept: func(o core.OutputsRef) (map[string]any, error) { return j.kept(ctx, o) },
	}
}

// Walked is where a track was walked: in another run when this one takes that up behind
// the stage that the track is of or in.
func (j *Journal) Walked(ctx context.Context, ref Ref) (Ref, error) {
	r, err := j.Run(ctx, ref.Account, ref.Run)
	if err != nil {
		return ref, err
	}
	if c, ok := r.Launch.Retry.From(ref.Track); ok {
		ref.Run = c.Run
	}
	return ref, nil
}

// loader is Load or Cached.
type loader = func(context.Context, Ref) (*engine.Run, *engine.Track, error)

// lookup answers a reference of the engine's.
func (j *Journal) lookup(ctx context.Context, run *engine.Run, ref string) (core.Fact, error) {
	if run.OfRolledBack(ref) {
		old, err := j.Run(ctx, run.Account, run.Launch.Rollback.Of)
		if err != nil {
			return core.Fact{}, err
		}
		return j.lookup(ctx, old, ref)
	}
	return j.world(ctx, run.Account, run.Launch.Run, j.Load).Fact(run, ref)
}

// Outputs returns a node's outputs, fetched when they are kept outside the event.
func (j *Journal) Outputs(ctx context.Context, n *engine.Node) (map[string]any, error) {
	return j.world(ctx, "", "", j.Load).Outputs(n)
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

// recalled undoes replay.Stored by looking up again what was kept by digest.
func (j *Journal) recalled(ctx context.Context, run *engine.Run, facts map[string]core.Fact) (map[string]core.Fact, error) {
	for ref, f := range facts {
		if f.Digest == "" {
			continue
		}
		now, err := j.lookup(ctx, run, ref)
		if err != nil {
			return nil, err
		}
		if replay.Digest(now.Outputs) != f.Digest {
			return nil, fault.New(fault.Internal, "%s is not what was looked up", ref)
		}
		f.Outputs = now.Outputs
		facts[ref] = f
	}
	return facts, nil
}
