package journal

import (
	"context"
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// deployed notes the latest successful deployment to an infrastructure. Done late it
// changes nothing: a later one has been noted by then.
func (j *Journal) deployed(ctx context.Context, ref Ref, ev *core.Event, c core.Claim) error {
	_, key := core.LockParts(c.Lock)
	put := core.Put{If: core.IfAbsent()}
	switch was, version, err := j.lastDeployed(ctx, ref.Account, key); {
	case err != nil && !fault.Is(err, fault.NotFound):
		return err
	case err == nil && was.At >= ev.At:
		return nil
	case err == nil:
		put.If = core.IfVersion(version)
	}
	body, err := json.Marshal(core.Deployed{Run: ref.Run, Track: ref.Track, At: ev.At})
	if err != nil {
		return err
	}
	put.Item = core.Item{Key: core.DeployedKey(ref.Account, key), Body: body, Version: ev.At}
	if err := j.store.Write(ctx, put); !fault.Is(err, fault.Conflict) {
		return err
	}
	was, _, err := j.lastDeployed(ctx, ref.Account, key) // our own write, or a later one's
	if err == nil && was.At < ev.At {
		return fault.New(fault.Throttled, "what is deployed to %s changes too fast; retry", key)
	}
	return err
}

// LastDeployed returns the latest successful deployment to the infrastructure of a key;
// fault.NotFound when none is known.
func (j *Journal) LastDeployed(ctx context.Context, account, key string) (core.Deployed, error) {
	d, _, err := j.lastDeployed(ctx, account, key)
	return d, err
}

func (j *Journal) lastDeployed(ctx context.Context, account, key string) (d core.Deployed, version int64, err error) {
	item, err := j.store.Get(ctx, core.DeployedKey(account, key), true)
	if err != nil {
		return d, 0, err
	}
	return d, item.Version, json.Unmarshal(item.Body, &d)
}
