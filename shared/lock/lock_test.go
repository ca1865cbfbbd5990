package lock

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

// claim reads "id run stage scope", scope p or s: "a1 A 0.1 s".
func claim(text string) core.Claim {
	f := strings.Fields(text)
	c := core.Claim{ID: f[0], Run: f[1], Stage: f[2], Scope: core.ScopePipeline}
	if f[3] == "s" {
		c.Scope = core.ScopeStage
	}
	return c
}

func TestLock(t *testing.T) {
	tests := map[string]struct {
		limit int
		moves []string // "+ claim" or "- id"
		want  string   // holders | waiters
	}{
		"one holds, two wait in line":               {0, []string{"+ a A 0.1 p", "+ b B 0.1 p", "+ c C 0.1 p"}, "a | b c"},
		"the first in line is next":                 {0, []string{"+ a A 0.1 p", "+ b B 0.1 p", "+ c C 0.1 p", "- a"}, "b | c"},
		"who leaves the line is passed over":        {0, []string{"+ a A 0.1 p", "+ b B 0.1 p", "+ c C 0.1 p", "- b", "- a"}, "c | "},
		"twice is once":                             {0, []string{"+ a A 0.1 p", "+ a A 0.1 p", "+ b B 0.1 p", "- a", "- a"}, "b | "},
		"leaving what one is not in":                {0, []string{"- x", "+ a A 0.1 p", "- x"}, "a | "},
		"again inside the run":                      {0, []string{"+ a A 0.1 p", "+ b B 0.1 p", "+ a2 A 0.2 s"}, "a a2 | b"},
		"again inside the stage":                    {0, []string{"+ a A 0.1 s", "+ b B 0.1 p", "+ a2 A 0.1 p"}, "a a2 | b"},
		"another stage of the run waits":            {0, []string{"+ a A 0.1 s", "+ a2 A 0.2 p"}, "a | a2"},
		"the run goes on holding after its stage":   {0, []string{"+ a A 0.1 s", "+ a2 A 0.1 p", "+ b B 0.1 p", "- a"}, "a2 | b"},
		"who waits inside the next comes in too":    {0, []string{"+ a A 0.1 p", "+ b B 0.1 s", "+ c C 0.1 p", "+ b2 B 0.1 s", "+ b3 B 0.2 s", "- a"}, "b b2 | c b3"},
		"a run lets in its own from behind in line": {0, []string{"+ a A 0.1 p", "+ b B 0.1 p", "+ c C 0.1 p", "+ b2 B 0.2 s", "- a"}, "b b2 | c"},
		"as many as the limit":                      {2, []string{"+ a A 0 p", "+ b B 0 p", "+ c C 0 p", "+ d D 0 p", "- a"}, "b c | d"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			l := &Lock{}
			for i, m := range tc.moves {
				if c, ok := strings.CutPrefix(m, "+ "); ok {
					c := claim(c)
					c.Limit = tc.limit
					l.Acquire(c, int64(i))
				} else {
					id := strings.TrimPrefix(m, "- ")
					l.Release(id, id, int64(i))
				}
			}
			if d := cmp.Diff(tc.want, ids(l.Holders)+" | "+ids(l.Waiters)); d != "" {
				t.Error(d)
			}
		})
	}
}

func ids(list []Held) string {
	var out []string
	for _, h := range list {
		out = append(out, h.ID)
	}
	return strings.Join(out, " ")
}

func TestGiven(t *testing.T) {
	l := &Lock{}
	l.Acquire(claim("a A 0.1 p"), 1)
	l.Acquire(claim("b B 0.1 s"), 2)
	l.Acquire(claim("b2 B 0.1 s"), 3)
	if got := ids(l.Given("a")); got != "a" {
		t.Errorf("a's coming gave the lock to %q, want a itself", got)
	}
	l.Release("a", "a", 4)
	if got := ids(l.Given("a")); got != "b b2" {
		t.Errorf("a's going gave the lock to %q, want b b2", got)
	}
	if b := l.Holders[0]; b.At != 4 {
		t.Errorf("b holds it since %d, want 4", b.At)
	}
}

// TestRandomLines makes random moves: nobody is lost, nobody holds with a stranger,
// nobody waits for a free lock, and strangers come in the order in which they asked.
func TestRandomLines(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		limit := rng.IntN(3)
		l, in := &Lock{}, map[string]bool{}
		for i := range 60 {
			id := fmt.Sprintf("c%d", rng.IntN(12))
			c := core.Claim{ID: id, Run: string("ABCD"[id[1]%4]), Stage: fmt.Sprint("0.", int(id[1])%3), Limit: limit,
				Scope: []core.LockScope{core.ScopePipeline, core.ScopeStage}[id[1]%2]}
			if limit > 1 { // slots: one claim a run
				c.Run = id
			}
			front := ids(l.Waiters)
			if rng.IntN(2) == 0 {
				l.Acquire(c, int64(i))
				in[id] = true
			} else {
				l.Release(id, id, int64(i))
				delete(in, id)
			}
			check(t, seed, l, in, limit)
			for _, h := range l.Holders { // let in just now from behind others: only inside a holder
				if k := strings.Index(front, h.ID); h.At == int64(i) && k > 0 && !withinOther(l, h) && strings.Contains(ids(l.Waiters), strings.Fields(front)[0]) {
					t.Fatalf("seed %d: %s overtook %s", seed, h.ID, front)
				}
			}
		}
	}
}

func withinOther(l *Lock, h Held) bool {
	for _, o := range l.Holders {
		if o.ID != h.ID && h.Within(o.Claim) {
			return true
		}
	}
	return false
}

func check(t *testing.T, seed uint64, l *Lock, in map[string]bool, limit int) {
	t.Helper()
	if len(l.Holders)+len(l.Waiters) != len(in) {
		t.Fatalf("seed %d: %s | %s, want %v", seed, ids(l.Holders), ids(l.Waiters), in)
	}
	runs := map[string]bool{}
	for _, h := range l.Holders {
		runs[h.Run] = true
		if !in[h.ID] {
			t.Fatalf("seed %d: %s holds and has left", seed, h.ID)
		}
	}
	if len(runs) > max(1, limit) {
		t.Fatalf("seed %d: strangers hold together: %s", seed, ids(l.Holders))
	}
	if len(l.Holders) == 0 && len(l.Waiters) > 0 {
		t.Fatalf("seed %d: %s wait for a free lock", seed, ids(l.Waiters))
	}
}
