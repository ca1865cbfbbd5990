package ng

import (
	"testing"
	"time"
)

func TestOccurrence(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	window := func(start, recurrence, until string) map[string]any {
		w := map[string]any{"timeZone": "UTC", "startTime": start, "duration": "1d"}
		if recurrence != "" {
			spec := map[string]any{}
			if until != "" {
				spec["until"] = until
			}
			w["recurrence"] = map[string]any{"type": recurrence, "spec": spec}
		}
		return w
	}
	for name, tc := range map[string]struct {
		w    map[string]any
		want string // when it begins; "" for never
	}{
		"goes on":              {window("2026-03-10 06:00 AM", "", ""), "2026-03-10T06:00"},
		"comes":                {window("2026-03-11 06:00 PM", "", ""), "2026-03-11T18:00"},
		"is over":              {window("2026-03-01 06:00 AM", "", ""), ""},
		"daily, goes on":       {window("2026-01-01 06:00 PM", "Daily", ""), "2026-03-09T18:00"},
		"weekly":               {window("2026-03-01 06:00 AM", "Weekly", ""), "2026-03-15T06:00"},
		"monthly":              {window("2026-01-05 06:00 AM", "Monthly", ""), "2026-04-05T06:00"},
		"yearly":               {window("2020-01-05 06:00 AM", "Yearly", ""), "2027-01-05T06:00"},
		"yearly, until before": {window("2020-01-05 06:00 AM", "Yearly", "2026-12-31 06:00 AM"), ""},
		"no time":              {window("soon", "", ""), ""},
	} {
		s, ok := occurrence(tc.w, now)
		got := ""
		if ok {
			got = s.from.UTC().Format("2006-01-02T15:04")
		}
		if got != tc.want {
			t.Errorf("%s: %q, not %q", name, got, tc.want)
		}
	}
}
