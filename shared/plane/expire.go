package plane

import (
	"context"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
)

// expiring gives what belongs to a run an end.
type expiring struct {
	core.Store
	after int64 // ms
}

// Expiring returns a store in which everything of a run expires at the same time, a
// number of days after the run's start. It takes more days than a run can live.
func Expiring(s core.Store, days int) core.Store {
	return &expiring{s, (time.Duration(days) * 24 * time.Hour).Milliseconds()}
}

// Write implements core.Store.
func (e *expiring) Write(ctx context.Context, puts ...core.Put) error {
	for i := range puts {
		if started, ok := core.RunStarted(puts[i].Item.PK); ok && puts[i].Item.Expires == 0 {
			puts[i].Item.Expires = (started + e.after) / 1000
		}
	}
	return e.Store.Write(ctx, puts...)
}
