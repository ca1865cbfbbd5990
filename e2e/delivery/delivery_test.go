package delivery

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/engine/enginetest"
)

var (
	shell, wait, approval        = enginetest.Shell, enginetest.Wait, enginetest.Approval
	group, parallel, stage, plan = enginetest.Group, enginetest.Parallel, enginetest.Stage, enginetest.Plan
)

// on gives a node a strategy for all errors.
func on(n *core.Node, a core.FailureAction) *core.Node {
	n.Failure = []core.FailureStrategy{{Errors: []core.ErrorType{core.AllErrors}, Action: a}}
	return n
}

func undo(n *core.Node, steps ...*core.Node) *core.Node {
	n.Rollback = steps
	return n
}

// chain is a stage that runs a pipeline of one stage.
func chain(id string, steps ...*core.Node) *core.Node {
	n := stage(id)
	n.Chain = &core.Chain{Plan: plan(stage("i", steps...)), Outputs: []core.ChainOutput{{Name: "o", Value: "<+pipeline.stages.i.status>"}}}
	return n
}

func act(t core.ActionType) core.FailureAction { return core.FailureAction{Type: t} }

// runs are small pipelines, how many things may happen twice in one order, how many
// machines lose their token while they work, and how they have to end. Steps called x fail, y in their first attempt.
var runs = []struct {
	name  string
	twice int
	lose  int
	plan  func() *core.Plan
	want  string
}{
	{"steps", 3, 0, func() *core.Plan { return plan(stage("s", shell("a"), shell("b"))) }, "SUCCEEDED s a b"},
	{"a lost machine", 1, 1, func() *core.Plan { return plan(stage("s", shell("a"), wait("w"), shell("b"))) }, "SUCCEEDED s a w b"},
	{"a lost branch", 0, 2, func() *core.Plan { return plan(stage("s", parallel(shell("a"), shell("b")))) }, "SUCCEEDED s a b"},
	{"stages", 2, 0, func() *core.Plan { return plan(stage("s", shell("a")), stage("t", shell("b"))) }, "SUCCEEDED s a t b"},
	{"wait and approval", 2, 0, func() *core.Plan { return plan(stage("s", wait("w"), approval("p", 1), shell("a"))) }, "SUCCEEDED s w p a"},
	{"branches", 1, 0, func() *core.Plan { return plan(stage("s", parallel(shell("a"), shell("b")), shell("c"))) }, "SUCCEEDED s a b c"},
	{"parallel stages", 1, 0, func() *core.Plan {
		return plan(parallel(stage("s", shell("a")), stage("t", shell("b"))), stage("u", shell("c")))
	}, "SUCCEEDED s a t b u c"},
	{"retry", 2, 0, func() *core.Plan {
		return plan(stage("s", on(shell("y"), core.FailureAction{Type: core.ActionRetry, Retries: 1, Intervals: []int64{1000}, Then: &core.FailureAction{Type: core.ActionAbort}}), shell("b")))
	}, "SUCCEEDED s y×2 b"},
	{"a person", 1, 0, func() *core.Plan {
		return plan(stage("s", on(shell("x"), core.FailureAction{Type: core.ActionManualIntervention, Timeout: 1000, Then: &core.FailureAction{Type: core.ActionAbort}}), shell("b")))
	}, "IGNORE_FAILED s=IGNORE_FAILED x×2=IGNORE_FAILED b"},
	{"rollback", 2, 0, func() *core.Plan {
		return plan(on(undo(stage("s", shell("a"), shell("x")), shell("u")), act(core.ActionStageRollback)), stage("t", shell("b")))
	}, "FAILED s=FAILED a x=FAILED u"},
	{"rollback of branches", 1, 0, func() *core.Plan {
		return plan(on(undo(stage("s", parallel(shell("x"), shell("b"))), shell("u")), act(core.ActionStageRollback)))
	}, "FAILED s=FAILED x=FAILED b u"},
	{"a chained run", 2, 0, func() *core.Plan { return plan(chain("s", shell("a")), stage("t", shell("b"))) }, "SUCCEEDED s (SUCCEEDED i a) t b"},
	{"a lost machine of a chained run", 0, 2, func() *core.Plan { return plan(chain("s", shell("a"))) }, "SUCCEEDED s (SUCCEEDED i a)"},
	{"a chained run, tried again", 1, 0, func() *core.Plan {
		return plan(on(chain("s", shell("x")), core.FailureAction{Type: core.ActionRetry, Retries: 1, Intervals: []int64{1000}, Then: &core.FailureAction{Type: core.ActionIgnore}}))
	}, "IGNORE_FAILED s×2=IGNORE_FAILED (FAILED i=FAILED x=FAILED)"},
	{"chained runs side by side", 0, 0, func() *core.Plan { return plan(parallel(chain("s", shell("a")), chain("t", wait("w")))) },
		"SUCCEEDED s (SUCCEEDED i a) t (SUCCEEDED i w)"},
	{"a group in a branch", 1, 0, func() *core.Plan {
		return plan(stage("s", parallel(group("g", shell("a"), shell("c")), on(shell("x"), act(core.ActionIgnore)))))
	}, "IGNORE_FAILED s=IGNORE_FAILED g a c x=IGNORE_FAILED"},
}

// TestDelivery tries every order in which what happens to a run can arrive, with
// things happening twice and however late: it always ends the same, and no step's
// effect is there twice.
func TestDelivery(t *testing.T) {
	start, all := time.Now(), 0
	for _, tc := range runs {
		t.Run(tc.name, func(t *testing.T) {
			x := explorer{seen: map[[16]byte]bool{}, ends: map[string]int{}}
			w := begin(tc.plan())
			w.twice, w.lose = tc.twice, tc.lose
			if raced {
				w.twice = max(0, tc.twice-1)
			}
			if err := x.from(w); err != nil {
				t.Fatal(err)
			}
			if got := slices.Sorted(maps.Keys(x.ends)); len(got) != 1 || got[0] != tc.want {
				t.Errorf("it ends as %q, want %q", got, tc.want)
			}
			t.Logf("%d states", len(x.seen))
			all += len(x.seen)
		})
	}
	t.Logf("%d states in %.1f s", all, time.Since(start).Seconds())
}

func begin(p *core.Plan) *world {
	w := &world{runs: map[string]*engine.Run{"": engine.NewRun(core.Launch{Run: "R", Plan: p, Started: core.Started{Sequence: 1, By: core.Actor{ID: "admin"}}})},
		tracks: map[string]*engine.Track{}, execs: map[string]exec{}, ran: map[string]int{},
		answers: []core.ActionType{core.ActionRetry, core.ActionIgnore}}
	w.outcome = func(node string, attempt int) core.Completed {
		if node == "x" || node == "y" && attempt == 1 {
			return core.Completed{Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: "no"}}
		}
		return core.Completed{OK: true, Outputs: map[string]any{"said": fmt.Sprint(node, attempt)}}
	}
	w.send(message{key: "start", do: func(w *world) error { return w.apply("0", core.Event{Type: core.EventStarted}) }})
	return w
}

// explorer has been in every state once.
type explorer struct {
	seen   map[[16]byte]bool
	ends   map[string]int
	hashes map[*engine.Track][32]byte
}

// from tries all that can happen next: each thing that is on its way, with the end of
// it or, while that is allowed, with the same to come once more.
func (x *explorer) from(w *world) error {
	id := x.id(w)
	if x.seen[id] {
		return nil
	}
	x.seen[id] = true
	if len(w.pending) == 0 {
		x.ends[w.end()]++
		return nil
	}
	for i, m := range w.pending {
		if i > 0 && w.pending[i-1].key == m.key {
			continue
		}
		for _, again := range []bool{false, true} {
			if again && w.twice == 0 {
				continue
			}
			next := w.clone()
			next.pending = slices.Delete(next.pending, i, i+1)
			if again {
				next.twice--
				second := message{key: m.key, do: m.do}
				if m.other != nil {
					second.do, second.key = m.other, m.key+" again"
				}
				next.send(second)
			}
			if err := m.do(next); err != nil {
				return fmt.Errorf("%s: %w", m.key, err)
			}
			if err := x.from(next); err != nil {
				return fmt.Errorf("%s, then %w", m.key, err)
			}
		}
	}
	return nil
}

// id is a digest of all there is of a state.
func (x *explorer) id(w *world) (id [16]byte) {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(w.tracks)) {
		d := x.digest(w.tracks[name])
		h.Write(d[:])
	}
	for _, name := range slices.Sorted(maps.Keys(w.execs)) {
		fmt.Fprint(h, w.execs[name])
	}
	fmt.Fprint(h, w.ran, w.twice, w.lose) // maps are printed in order
	for _, m := range w.pending {
		fmt.Fprintln(h, m.key)
	}
	copy(id[:], h.Sum(nil))
	return id
}

func (x *explorer) digest(t *engine.Track) [32]byte {
	if d, known := x.hashes[t]; known {
		return d
	}
	text, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	if x.hashes == nil {
		x.hashes = map[*engine.Track][32]byte{}
	}
	x.hashes[t] = sha256.Sum256(text)
	return x.hashes[t]
}

// end is how a run has ended: statuses, attempts and outputs by node, in the order of
// the plan, and what was done other than once.
func (w *world) end() string {
	out := w.ends("")
	for _, id := range slices.Sorted(maps.Keys(w.ran)) {
		if w.ran[id] != 1 {
			out = append(out, fmt.Sprintf("task %s ran %d times", id, w.ran[id]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.execs)) {
		if !w.execs[name].Ended {
			out = append(out, "machine "+name+" hangs")
		}
	}
	return strings.Join(out, " ")
}

// ends is end, of one run.
func (w *world) ends(prefix string) []string {
	run := w.runs[strings.TrimSuffix(prefix, "/")]
	out := []string{string(w.track(prefix + "0").Status)}
	run.Plan.Root.Walk(func(n *core.Node) {
		if n.Identifier == "" || n.Kind == core.KindPipeline {
			return
		}
		f := w.node(run, prefix, n.FQN)
		if f == nil {
			return
		}
		text := n.Identifier
		if f.Attempt > 1 {
			text += fmt.Sprintf("×%d", f.Attempt)
		}
		if f.Status != core.Succeeded {
			text += "=" + string(f.Status)
		}
		if said := f.Outputs["said"]; said != nil && said != fmt.Sprint(n.Identifier, f.Attempt) {
			text += fmt.Sprintf(" says %v", said)
		}
		out = append(out, text)
		if f.Chained != nil {
			out = append(out, "("+strings.Join(w.ends(f.Chained.Run+"/"), " ")+")")
		}
	})
	return out
}

// node is how a node stands in the track that walks it, or in the one above.
func (w *world) node(run *engine.Run, prefix, fqn string) *engine.Node {
	for id := run.Owner(fqn); id != ""; id = core.ParentTrack(id) {
		if n := w.track(prefix + id).Nodes[fqn]; n != nil {
			return n
		}
	}
	return nil
}
