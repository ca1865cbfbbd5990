package screen

import (
	"fmt"
	"time"
)

// Duration spells ms milliseconds: to the millisecond below a second, to a tenth
// below a minute, then to the second.
func Duration(ms int64) string {
	switch d := time.Duration(ms) * time.Millisecond; {
	case ms < 0:
		return "0ms"
	case d < time.Second:
		return fmt.Sprintf("%dms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%d.%ds", ms/1000, ms%1000/100)
	case d < time.Hour:
		return fmt.Sprintf("%dm %ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh %dm", int(d.Hours()), int(d.Minutes())%60)
	default:
		return fmt.Sprintf("%dd %dh", int(d.Hours())/24, int(d.Hours())%24)
	}
}

// Between spells the time from one moment to another, both in ms since 1970. It
// is empty when one is missing.
func Between(from, to int64) string {
	if from == 0 || to == 0 {
		return ""
	}
	return Duration(to - from)
}

// Clock spells a moment in ms since 1970 in the local time zone; "-" for none.
func Clock(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return time.UnixMilli(ms).Format("2006-01-02 15:04:05")
}
