package entity

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// atOnce is how many documents of a page are read at once.
const atOnce = 8

// Documents reads the entities of a page in its order. One that is deleted meanwhile is
// left out. fault.TooLarge when they are more than one answer can carry.
func (c *Catalogue) Documents(ctx context.Context, kind core.EntityKind, page []Listed) ([]core.Entity, error) {
	found, failed := make([]*core.Entity, len(page)), make([]error, min(atOnce, len(page)))
	var all sync.WaitGroup
	var sent atomic.Int64
	for w := range failed {
		all.Go(func() {
			for i := w; i < len(page) && failed[w] == nil; i += len(failed) {
				found[i], failed[w] = c.document(ctx, page[i].Ref(kind))
				if found[i] == nil {
					continue
				}
				found[i].Stable = page[i].Stable
				if sent.Add(int64(core.Sent(found[i].YAML))) > core.MaxSent {
					failed[w] = fault.New(fault.TooLarge, "the documents of this page are larger than the 6 MB that can be sent: ask for fewer at once")
				}
			}
		})
	}
	all.Wait()
	var out []core.Entity
	for _, e := range found {
		if e != nil {
			out = append(out, *e)
		}
	}
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// document is nil for what is not there.
func (c *Catalogue) document(ctx context.Context, r core.EntityRef) (*core.Entity, error) {
	e, err := c.head(ctx, r)
	if err != nil || e == nil || e.Deleted {
		return nil, err
	}
	whole, err := c.whole(ctx, *e)
	return &whole, err
}
