package parity

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// Diff says where two logs differ, "" when they say the same: - is of a, + of b.
// What is the same before and behind is left out.
func Diff(a, b Log) string {
	x, y := strings.Split(Canon(a), "\n"), strings.Split(Canon(b), "\n")
	if slices.Equal(x, y) {
		return ""
	}
	from := 0
	for from < min(len(x), len(y)) && x[from] == y[from] {
		from++
	}
	behind := 0
	for behind < min(len(x), len(y))-from && x[len(x)-1-behind] == y[len(y)-1-behind] {
		behind++
	}
	lines := append([]string{}, x[max(0, from-2):from]...)
	for _, l := range x[from : len(x)-behind] {
		lines = append(lines, "- "+l)
	}
	for _, l := range y[from : len(y)-behind] {
		lines = append(lines, "+ "+l)
	}
	return strings.Join(lines, "\n")
}

// Canon writes a log as text that is the same on every runtime: a section a
// track, a line an event and one for each of its commands. Ids, tokens, times and
// delegates become ordinals or placeholders; everything else stays.
func Canon(l Log) string {
	c := &canon{log: l, ordinals: map[string]map[string]int{}}
	var b strings.Builder
	for _, track := range slices.Sorted(maps.Keys(l.Tracks)) {
		fmt.Fprintf(&b, "track %s\n", track)
		delete(c.ordinals, "delegate")
		delete(c.ordinals, "token")
		delete(c.ordinals, "task")
		for _, line := range c.track(track, l.Tracks[track]) {
			b.WriteString("  " + line + "\n")
		}
	}
	seen := map[string]bool{} // at least once is once
	for _, detail := range l.Bus {
		if line := c.text(detail); !seen[line] {
			seen[line] = true
			b.WriteString("bus\n  " + line + "\n")
		}
	}
	return b.String()
}

// canon is one log being written.
type canon struct {
	log      Log
	ordinals map[string]map[string]int // by kind and value
}

// ordinal numbers the values of a kind by when they first appear: tokens and
// tasks in their track, delegates in the log.
func (c *canon) ordinal(kind, value string) string {
	if value == "" {
		return ""
	}
	m := c.ordinals[kind]
	if m == nil {
		m = map[string]int{}
		c.ordinals[kind] = m
	}
	if m[value] == 0 {
		m[value] = len(m) + 1
	}
	return fmt.Sprintf("<%s %d>", kind, m[value])
}

// track writes a track's events, those of one hold as one.
//
// While a machine holds, what is waited for (children that end, people who
// answer) and the machine's own arrival are independent: which comes first is a
// race between a function's start, branches and people. Whichever is last carries the finish
// of the token. Such events are therefore written in a fixed order, and their
// commands behind them in a fixed order. Everything else keeps its place.
func (c *canon) track(id string, events []core.Event) []string {
	h := holds{pipeline: id == "0", kinds: map[int]string{}}
	var lines, heads, commands []string
	flush := func() {
		slices.Sort(heads)
		slices.Sort(commands)
		lines = append(append(lines, heads...), commands...)
		heads, commands = nil, nil
	}
	for _, ev := range events {
		independent, last := h.next(ev)
		head, cmds := c.event(ev)
		if !independent {
			flush()
			lines = append(append(lines, head), cmds...)
			continue
		}
		heads, commands = append(heads, head), append(commands, cmds...)
		if last {
			flush()
		}
	}
	flush()
	return lines
}

// event writes an event and its commands. The number is left out: it is its place.
func (c *canon) event(ev core.Event) (head string, commands []string) {
	if ev.Claimed != nil {
		// Who of several takes what is on offer is open; that it keeps what it is handed
		// from there on is not.
		delete(c.ordinals, "delegate")
	}
	for _, cmd := range ev.Commands {
		commands = append(commands, "  -> "+c.text(c.command(cmd)))
	}
	ev.N, ev.At, ev.Commands = 0, 0, nil
	if ev.Completed != nil && ev.Completed.Log != nil {
		// Which lines come with the end and which were sent before is a matter of time.
		// Other tests read logs back whole.
		done := *ev.Completed
		done.Log, ev.Completed = nil, &done
	}
	return c.text(ev), commands
}

// command leaves out what depends on how long everything before it took: the time
// that is left when the machine waits for children is that of the stage or run.
func (c *canon) command(cmd core.Command) core.Command {
	if r := cmd.Route; r != nil && waiting(r.Kind) {
		left := *r
		left.TimeoutSeconds = min(left.TimeoutSeconds, 1)
		cmd.Route = &left
	}
	return cmd
}

// text writes a value as JSON with sorted keys and without what differs from run
// to run.
func (c *canon) text(v any) string {
	body, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	var plain any
	if err := json.Unmarshal(body, &plain); err != nil {
		return err.Error()
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c.value("", plain)); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(out.String())
}

func (c *canon) value(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if id, ok := v["boot"].(string); ok && id != "" && key == "delegate" {
			return c.ordinal("delegate", fmt.Sprint(v["id"]))
		}
		m := make(map[string]any, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			m[c.string("", k)] = c.value(k, v[k])
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = c.value(key, e)
		}
		return l
	case string:
		return c.string(key, v)
	case float64:
		if times[key] && v != 0 {
			return "<time>"
		}
	}
	return v
}

// times are the keys under which numbers are times or durations.
var times = map[string]bool{"at": true, "started": true, "ended": true, "approvedAt": true, "duration": true, "created": true}

var (
	task    = regexp.MustCompile(`^[0-9a-f]{24}$`)
	asked   = regexp.MustCompile(`<run>\.([0-9.~]+)\.[0-9a-f]{8}`)
	late    = regexp.MustCompile(`did not end within \S+ and was stopped`)
	other   = regexp.MustCompile(`\b0[0-9A-HJKMNP-TV-Z]{25}\b`)
	linked  = regexp.MustCompile(`^link:[0-9A-Z]{26}$`)
	blobbed = regexp.MustCompile(`outputs/[0-9a-f]{24}\.json`)
)

// string replaces ids inside a string, or the whole of it under some keys.
func (c *canon) string(key, s string) string {
	s = strings.ReplaceAll(s, c.log.Run, "<run>")
	if c.log.URL != "" {
		s = strings.ReplaceAll(s, c.log.URL, "<url>")
	}
	s = asked.ReplaceAllString(s, "<approval of $1>")
	s = linked.ReplaceAllString(s, "link:<nonce>")
	s = other.ReplaceAllStringFunc(s, func(run string) string { return c.ordinal("other run", run) })
	s = blobbed.ReplaceAllString(s, "outputs/<task>.json")
	s = late.ReplaceAllString(s, "did not end within <time> and was stopped")
	switch {
	case key == "token", key == "delegate":
		return c.ordinal(key, s)
	case task.MatchString(s):
		return c.ordinal("task", s)
	}
	return s
}
