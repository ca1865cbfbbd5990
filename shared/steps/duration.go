package steps

import (
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds of a duration literal (BEHAVIOUR §1.6).
const (
	MinDuration = 10 * time.Second
	MaxDuration = 53 * 7 * 24 * time.Hour
)

var units = map[byte]time.Duration{
	's': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour,
}

// ParseDuration reads a duration literal (BEHAVIOUR §1.6): numbers with the units
// w d h m s, in any order, joined with or without a space: "10m", "1h 30m", "1d4h".
// It must be from 10s to 53w. The error's kind is fault.Invalid.
func ParseDuration(s string) (time.Duration, error) {
	rest, total := strings.TrimSpace(s), time.Duration(0)
	if rest == "" {
		return 0, fault.New(fault.Invalid, "the duration is empty: expected a time such as 10m")
	}
	for rest != "" {
		digits := 0
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		if digits == 0 || digits == len(rest) {
			return 0, malformed(s)
		}
		unit, ok := units[rest[digits]]
		if !ok {
			return 0, malformed(s)
		}
		n := time.Duration(0)
		for _, c := range rest[:digits] {
			if n = n*10 + time.Duration(c-'0'); n > MaxDuration/unit {
				return 0, fault.New(fault.Invalid, "duration %q is longer than 53w, the longest allowed", s)
			}
		}
		if total += n * unit; total > MaxDuration {
			return 0, fault.New(fault.Invalid, "duration %q is longer than 53w, the longest allowed", s)
		}
		rest = strings.TrimPrefix(rest[digits+1:], " ")
	}
	if total < MinDuration {
		return 0, fault.New(fault.Invalid, "duration %q is shorter than 10s, the shortest allowed", s)
	}
	return total, nil
}

func malformed(s string) error {
	return fault.New(fault.Invalid, "%q is not a duration: expected numbers with the units w, d, h, m or s, such as 10m or 1h 30m", s)
}
