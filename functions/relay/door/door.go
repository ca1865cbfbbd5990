// Package door makes sure that what events caused is done: it takes events with
// commands from the table's stream, at least once, and executes what is missing.
package door

import (
	"context"
	"errors"
	"sync"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/journal"
)

// Door is safe for concurrent use.
type Door struct{ journal *journal.Journal }

// New returns the door.
func New(j *journal.Journal) *Door { return &Door{j} }

// Handle executes the commands of every event in the batch that this process has
// not executed itself. An error makes the stream deliver the batch again.
func (d *Door) Handle(ctx context.Context, items []core.Item) error {
	ctx = core.WithCause(ctx, "relay")
	failed := make([]error, len(items))
	var wg sync.WaitGroup
	for i, it := range items {
		wg.Go(func() { failed[i] = d.journal.Redo(ctx, it) })
	}
	wg.Wait()
	return errors.Join(failed...)
}
