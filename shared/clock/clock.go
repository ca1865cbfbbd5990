// Package clock is where a single machine takes time and identifiers from: the
// system's clock and random source, and for tests a clock that runs fast, one
// that is set by hand, and identifiers that repeat.
package clock

import (
	"time"

	"github.com/slipway-cd/slipway/shared/core"
)

type system struct{}

// System is the machine's own clock.
func System() core.Clock { return system{} }

func (system) Now() time.Time { return time.Now() }

func (system) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

type fast struct {
	speed float64
	epoch time.Time
	start time.Time
}

// Fast is a clock that shows epoch now and runs speed times faster than the
// machine's, so that a test may wait out minutes. speed is at least 1.
func Fast(speed float64, epoch time.Time) core.Clock {
	return fast{speed: max(speed, 1), epoch: epoch, start: time.Now()}
}

func (c fast) Now() time.Time {
	return c.epoch.Add(time.Duration(float64(time.Since(c.start)) * c.speed))
}

// AfterFunc waits a nanosecond more than its share, so that rounding never lets
// f see a time before the one it waited for.
func (c fast) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(time.Duration(float64(d)/c.speed)+1, f)
	return func() { t.Stop() }
}
