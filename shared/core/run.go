package core

import (
	"fmt"
	"strings"
)

// Run is the summary of one execution of a plan, kept for lists; its tracks'
// events are the truth.
type Run struct {
	ID       string            `json:"id"` // ULID, planExecutionId on the wire
	Scope    Scope             `json:"scope"`
	Pipeline string            `json:"pipeline"`
	Name     string            `json:"name"`
	Tags     map[string]string `json:"tags,omitempty"`
	Sequence int64             `json:"sequence"`
	Status   Status            `json:"status"`
	Trigger  string            `json:"trigger"`
	By       Actor             `json:"by"`
	Started  int64             `json:"started"`
	Ended    int64             `json:"ended,omitempty"`
	Parent   string            `json:"parent,omitempty"` // the run whose stage has started this one
}

// The keys of a run: one partition holds everything of it.
//
//	run                     the summary; index: the project's runs by id
//	plan                    the compiled plan, gzip
//	T#<track>#E#<n>         an event
//	T#<track>#S             the latest snapshot of the fold, a cache
//	L#<task>#<seq>          a chunk of a task's log
//	M#<process>             what a process has counted for the run
func runPK(account, run string) string { return "A#" + account + "#R#" + run }

// RunStarted is when the run was made whose partition pk is, in ms: its id begins
// with the time. ok is false for other partitions.
func RunStarted(pk string) (ms int64, ok bool) {
	const digits, timeDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 10 // Crockford's
	_, run, ok := strings.Cut(pk, "#R#")
	if !ok || len(run) < timeDigits {
		return 0, false
	}
	for _, c := range run[:timeDigits] {
		d := strings.IndexRune(digits, c)
		if d < 0 {
			return 0, false
		}
		ms = ms<<5 | int64(d)
	}
	return ms, true
}

// RunKey is where the run's summary is.
func RunKey(account, run string) Key { return Key{runPK(account, run), "run"} }

// RunIndex lists the runs of a project, by id and so by time.
func RunIndex(s Scope, run string) Key {
	return Key{"A#" + s.Account + "#runs#" + s.Path(), run}
}

// PlanKey is where the run's plan is.
func PlanKey(account, run string) Key { return Key{runPK(account, run), "plan"} }

// LaunchKey is where it is noted which run a caller's idempotency key started.
func LaunchKey(account, key string) Key { return Key{"A#" + account + "#I#" + key, "run"} }

// EventKey is where a track's event n is.
func EventKey(account, run, track string, n int64) Key {
	return Key{runPK(account, run), fmt.Sprintf("%s%08d", EventPrefix(track), n)}
}

// EventPrefix is what the sort keys of a track's events start with.
func EventPrefix(track string) string { return "T#" + track + "#E#" }

// SnapshotKey is where the latest snapshot of a track's fold is.
func SnapshotKey(account, run, track string) Key {
	return Key{runPK(account, run), "T#" + track + "#S"}
}

// ParseEventKey says which event a key is of; ok is false for other items.
func ParseEventKey(k Key) (account, run, track string, ok bool) {
	p := strings.Split(k.PK, "#")
	s := strings.Split(k.SK, "#")
	if len(p) != 4 || p[0] != "A" || p[2] != "R" || len(s) != 4 || s[0] != "T" || s[2] != "E" {
		return "", "", "", false
	}
	return p[1], p[3], s[1], true
}

// LogKey is where a chunk of a task's log is.
func LogKey(account, run, task string, seq int) Key {
	return Key{runPK(account, run), fmt.Sprintf("%s%08d", LogPrefix(task), seq)}
}

// LogPrefix is what the sort keys of a task's log chunks start with.
func LogPrefix(task string) string { return "L#" + task + "#" }

// OutputBlob is where outputs of a task too large for an event are.
func OutputBlob(account, run, task string) string {
	return account + "/runs/" + run + "/outputs/" + task + ".json"
}
