package parity

import (
	"slices"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// TestDiffHolds lets iterations end in any order, and a person be before or behind a machine that comes to ask
// them, and not before or behind a delegate.
func TestDiffHolds(t *testing.T) {
	finish := func(token, kind string, segment int) []core.Command {
		return []core.Command{{Do: core.DoFinish, Token: token, Route: &core.Route{Kind: kind, Segment: segment}}}
	}
	entered := func(segment int, token string, c []core.Command) core.Event {
		return core.Event{Type: core.EventEntered, Entered: &core.Entered{Segment: segment, Token: token}, Commands: c}
	}
	answer := func(action core.ActionType, c []core.Command) core.Event {
		return core.Event{Type: core.EventIntervened, Intervened: &core.Intervened{Node: "x", Action: action}, Commands: c}
	}
	claim := core.Event{Type: core.EventClaimed, Claimed: &core.Claimed{Task: "t"}}
	of := func(events ...core.Event) Log { return Log{Run: "r", Tracks: map[string][]core.Event{"0.1": events}} }
	child := func(track string, c ...core.Command) core.Event {
		return core.Event{Type: core.EventChild, Child: &core.Child{Track: track}, Commands: c}
	}
	third := core.Command{Do: core.DoStart, Track: "0.1~2"}
	asks := entered(1, "t1", finish("t1", "Intervene", 2))
	tests := map[string]struct {
		a, b Log
		same bool
	}{
		"an answer before the machine has come": {
			of(asks, entered(2, "t2", nil), answer("Ignore", finish("t2", "Work", 3)), entered(3, "t3", nil)),
			of(asks, answer("Ignore", nil), entered(2, "t2", finish("t2", "Work", 3)), entered(3, "t3", nil)), true},
		"another answer": {
			of(asks, entered(2, "t2", nil), answer("Ignore", nil)), of(asks, entered(2, "t2", nil), answer("Abort", nil)), false},
		"an answer in another hold": {
			of(asks, answer("Ignore", nil), entered(2, "t2", finish("t2", "Work", 3)), entered(3, "t3", finish("t3", "Intervene", 4)), answer("Ignore", nil)),
			of(asks, answer("Ignore", nil), answer("Ignore", nil), entered(2, "t2", finish("t2", "Work", 3)), entered(3, "t3", finish("t3", "Intervene", 4))), false},
		"which iteration lets the next begin": {
			of(entered(1, "t1", finish("t1", "Branches", 2)), entered(2, "t2", nil), child("0.1~0", third), child("0.1~1"), child("0.1~2", finish("t2", "Work", 3)...)),
			of(entered(1, "t1", finish("t1", "Branches", 2)), entered(2, "t2", nil), child("0.1~1", third), child("0.1~0"), child("0.1~2", finish("t2", "Work", 3)...)), true},
		"an iteration that never began": {
			of(entered(1, "t1", finish("t1", "Branches", 2)), entered(2, "t2", nil), child("0.1~0", third), child("0.1~1")),
			of(entered(1, "t1", finish("t1", "Branches", 2)), entered(2, "t2", nil), child("0.1~0"), child("0.1~1")), false},
		"marked before it was claimed": {
			of(entered(1, "t1", nil), claim, answer(core.InterruptMarkFailed, nil)), of(entered(1, "t1", nil), answer(core.InterruptMarkFailed, nil), claim), false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := Diff(tc.a, tc.b); (diff == "") != tc.same {
				t.Errorf("same is %v, want %v:\n%s", diff == "", tc.same, diff)
			}
			if Diff(tc.a, Log{Run: "r", Tracks: map[string][]core.Event{"0.1": slices.Clone(tc.a.Tracks["0.1"])}}) != "" {
				t.Error("a log differs from itself")
			}
		})
	}
}
