package ng

import (
	"time"

	"github.com/slipway-cd/slipway/shared/document"
)

// maxRounds bounds how often a window is repeated to find the next one.
const maxRounds = 4000

// span is when a window begins and ends.
type span struct{ from, to time.Time }

// nextWindow is the window that goes on or the next one to come, in ms; zeros where there
// is none.
func (d *door) nextWindow(windows []any) map[string]any {
	now := d.Clock.Now()
	var best *span
	for _, w := range windows {
		fields, _ := w.(map[string]any)
		if s, ok := occurrence(fields, now); ok && (best == nil || s.from.Before(best.from)) {
			best = &s
		}
	}
	if best == nil {
		return map[string]any{"startTime": 0, "endTime": 0}
	}
	return map[string]any{"startTime": best.from.UnixMilli(), "endTime": best.to.UnixMilli()}
}

// occurrence is the first time of a window that has not ended yet.
func occurrence(w map[string]any, now time.Time) (span, bool) {
	said := func(key string) string { text, _ := w[key].(string); return text }
	zone, err := time.LoadLocation(said("timeZone"))
	if err != nil {
		return span{}, false
	}
	from, err := time.ParseInLocation(document.FreezeTime, said("startTime"), zone)
	if err != nil {
		return span{}, false
	}
	to, err := time.ParseInLocation(document.FreezeTime, said("endTime"), zone)
	if err != nil {
		length, bad := document.FreezeLength(said("duration"))
		if bad != nil {
			return span{}, false
		}
		to = from.Add(length)
	}
	again, _ := w["recurrence"].(map[string]any)
	typ, _ := again["type"].(string)
	spec, _ := again["spec"].(map[string]any)
	until, endless := time.Time{}, true
	if text, ok := spec["until"].(string); ok {
		if until, err = time.ParseInLocation(document.FreezeTime, text, zone); err == nil {
			endless = false
		}
	}
	months := 1
	if n, ok := spec["value"].(float64); ok && n >= 1 && n <= 12 {
		months = int(n)
	}
	for n := range maxRounds {
		s := span{nthTime(from, typ, n, months), nthTime(to, typ, n, months)}
		switch {
		case !endless && s.from.After(until), n > 0 && typ == "":
			return span{}, false
		case s.to.After(now):
			return s, true
		}
	}
	return span{}, false
}

// nthTime is a time of a window when it comes the nth time, from 0.
func nthTime(t time.Time, typ string, n, months int) time.Time {
	switch typ {
	case "Daily":
		return t.AddDate(0, 0, n)
	case "Weekly":
		return t.AddDate(0, 0, 7*n)
	case "Monthly":
		return t.AddDate(0, months*n, 0)
	case "Yearly":
		return t.AddDate(n, 0, 0)
	}
	return t
}
