package weak

import (
	"context"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
)

type bus struct {
	inner core.Bus
	dice  *dice
}

// Bus weakens a bus: events come in any order and some twice.
func Bus(inner core.Bus, o Options) core.Bus { return &bus{inner, newDice(o)} }

func (b *bus) Publish(ctx context.Context, events ...core.BusEvent) error {
	if err := b.dice.throttle("publish"); err != nil {
		return err
	}
	all := slices.Clone(events)
	for _, e := range events {
		if b.dice.hit(b.dice.Duplicate) {
			all = append(all, e)
		}
	}
	// Each has a key of its own here: no order holds on a bus.
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	shuffled := make([]core.BusEvent, 0, len(all))
	for _, i := range shuffle(b.dice, order, func(i int) int { return i }) {
		shuffled = append(shuffled, all[i])
	}
	return b.dice.afterwards("publish", b.inner.Publish(ctx, shuffled...))
}
