package steps

import (
	"time"

	"github.com/slipway-cd/slipway/shared/fault"
)

// wait lets its duration pass (BEHAVIOUR §15.7); no delegate is involved.
var wait = Step{
	Type: "Wait", Mode: Wait,
	Fields: append(ignored(), Field{Name: "duration", Type: Duration, Required: true}),
}

// WaitDuration reads a rendered Wait spec.
func WaitDuration(spec map[string]any) (time.Duration, error) {
	s, err := text(spec, "duration")
	if err != nil {
		return 0, err
	}
	if s == "" {
		return 0, fault.New(fault.Invalid, "duration is empty: expected a time such as 10m")
	}
	return ParseDuration(s)
}
