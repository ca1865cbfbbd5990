package entity

import (
	"context"
	"sync"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// sequences are the newest run numbers that this process has seen.
type sequences struct {
	counting sync.Mutex
	last     map[core.Key]int64
}

// NextSequence counts a pipeline's runs, from 1. A run that fails to start
// leaves a gac.
func (c *Catalogue) NextSequence(ctx context.Context, s core.Scope, pipeline string) (int64, error) {
	key := core.SequenceKey(s, pipeline)
	c.counting.Lock()
	defer c.counting.Unlock()
	for range 100 {
		last, known := c.last[key]
		cond := core.IfVersion(last)
		if last == 0 {
			cond = core.IfAbsent()
		}
		err := c.store.Write(ctx, core.Put{If: cond, Item: core.Item{Key: key, Body: []byte("{}"), Version: last + 1}})
		if err == nil {
			c.last[key] = last + 1
			return last + 1, nil
		}
		if !fault.Is(err, fault.Conflict) {
			return 0, err
		}
		item, err := c.store.Get(ctx, key, true) // another process counts too, or this one has just begun
		if err != nil && !fault.Is(err, fault.NotFound) {
			return 0, err
		}
		if c.last[key] = item.Version; known && item.Version == last {
			break
		}
	}
	return 0, fault.New(fault.Throttled, "too many runs of pipeline %q start at once; retry", pipeline)
}
