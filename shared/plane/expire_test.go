package plane_test

import (
	"context"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/plane"
)

type written struct {
	core.Store
	puts []core.Put
}

func (w *written) Write(_ context.Context, puts ...core.Put) error {
	w.puts = append(w.puts, puts...)
	return nil
}

func TestEverythingOfARunExpiresTogether(t *testing.T) {
	start := time.UnixMilli(1_790_000_000_123)
	run := clock.NewIDs(clock.NewManual(start)).New()
	w := &written{}
	s := plane.Expiring(w, 400)
	own := core.Put{Item: core.Item{Key: core.RunKey("a", run), Expires: 7}}
	err := s.Write(t.Context(), core.Put{Item: core.Item{Key: core.PlanKey("a", run)}}, core.Put{Item: core.Item{Key: core.EventKey("a", run, "0.1", 3)}},
		own, core.Put{Item: core.Item{Key: core.UserKey("a", "u")}}, core.Put{Item: core.Item{Key: core.RunKey("a", "short")}})
	if err != nil {
		t.Fatal(err)
	}
	end := start.AddDate(0, 0, 400).Unix()
	for i, want := range []int64{end, end, 7, 0, 0} {
		if got := w.puts[i].Item.Expires; got != want {
			t.Errorf("put %d expires at %d, want %d", i, got, want)
		}
	}
}
