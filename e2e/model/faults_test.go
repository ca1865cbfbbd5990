package model_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fault is a small mistake: in a file below shared/, new stands instead of old. by is
// the package below shared/ and the test that notices it, "" for the model.
type fault struct{ what, file, old, new, by string }

// TestFaultsStand holds that every fault can still be put in: whoever changes its line
// writes it anew.
func TestFaultsStand(t *testing.T) {
	for _, f := range faults {
		if text, err := os.ReadFile(filepath.Join("../../shared", f.file)); err != nil || strings.Count(string(text), f.old) != 1 {
			t.Errorf("%s: %s holds the text %d times, not once, %v:\n\t%s", f.what, f.file, strings.Count(string(text), f.old), err, f.old)
		}
	}
}

// faults are what TestFaults puts in.
var faults = []fault{
	{"Failure always holds", "engine/gate.go", `if status == core.WhenAll {`, `if status != core.WhenSuccess {`, ""},
	{"a stage that was rolled back is a failure", "engine/gate.go", `if status == core.WhenFailure && w.t.RolledBack {`, `if false {`, "engine TestRollback"},
	{"ignored failures are none", "engine/gate.go", `return past.Failing() || past == core.IgnoreFailed, nil`, `return past.Failing(), nil`, ""},
	{"ignored failures are failures", "engine/gate.go", `return !past.Failing(), nil`, `return past == core.Succeeded, nil`, ""},
	{"a group's condition is forgotten inside it", "engine/gate.go", "if g.When != nil {\n\t\t\treturn func", "if false {\n\t\t\treturn func", ""},
	{"a rollback step asks about all that was", "engine/gate.go", `return undo == nil || r.undone(o) == undo`, `return true`, ""},
	{"what is in an ended group counts", "engine/gate.go", ` && !t.inEnded(r, o)`, ``, "engine TestRollback"},
	{"the same block counts", "engine/gate.go", ` && !r.Below(o, block)`, ` && (block == nil || true)`, ""},
	{"a branch does not see what was before it", "engine/gate.go", `past = core.Aggregate(past, f.Status)`, `past = core.Aggregate(past, past); _ = f`, ""},
	{"a false condition does not skip", "engine/gate.go", `return verdict{runs: ok}, nil`, `return verdict{runs: true || ok}, nil`, ""},

	{"the last branch is not awaited", "engine/children.go", `if len(w.t.openChildren()) > 0 || w.queued() {`, `if len(w.t.openChildren()) > 1 || w.queued() {`, ""},
	{"the last rollback asked for is done", "engine/again.go", `case had != n && !w.run.Below(had, n), had == n`, `case false, had == n`, "engine TestRetryStepGroup"},
	{"a child's abort is its own", "engine/children.go", `if e.Status == core.Aborted && w.t.Stopping == "" {`, `if false {`, ""},
	{"only the last stage's rollback is known", "engine/children.go", `w.t.RolledBack = w.t.RolledBack || e.RolledBack`, `w.t.RolledBack = e.RolledBack`, "engine TestRollback"},
	{"a failed branch never stops a rollback", "engine/children.go", `c != nil && !c.Marked || `, ``, "engine TestLoops"},

	{"AllErrors matches nothing", "engine/failure.go", `return e == core.AllErrors || slices`, `return slices`, ""},
	{"the stage has a say in its rollback", "engine/failure.go", `n != nil && n != undo;`, `n != nil && (n != undo || true);`, ""},
	{"the last strategy decides", "engine/failure.go", `return rule{n.FQN + "#" + strconv.Itoa(i), s.Action, n}, true`,
		`if r.at == nil || r.at == n { r = rule{n.FQN + "#" + strconv.Itoa(i), s.Action, n}; ok = true }; if i == len(n.Failure)-1 { return r, ok }`, ""},
	{"Ignore is MarkAsSuccess", "engine/failure.go", `w.endNode(b.n, core.IgnoreFailed, b.failure)`, `w.endNode(b.n, core.Succeeded, b.failure)`, ""},
	{"MarkAsFailure keeps the status", "engine/failure.go", `w.endNode(b.n, core.Failed, b.failure)`, `w.endNode(b.n, b.status, b.failure)`, ""},
	{"Abort fails", "engine/failure.go", `w.endNode(b.n, core.Aborted, b.failure)`, `w.endNode(b.n, core.Failed, b.failure)`, ""},
	{"nothing is marked in branches", "engine/failure.go", `w.t.Marked = w.branchOfRollback()`, `w.t.Marked = false`, "engine TestRollback"},
	{"what follows a strategy is forgotten", "engine/failure.go", `next.action = *r.action.Then`, `_ = next`, ""},

	{"one retry too many", "engine/attempt.go", `Retries[r.key] >= r.action.Retries`, `Retries[r.key] > r.action.Retries`, ""},
	{"the second interval first", "core/failure.go", `min(tries, len(a.Intervals)-1)`, `min(tries+1, len(a.Intervals)-1)`, ""},
	{"retries count twice", "engine/again.go", `s.Retries[strategy]++`, `s.Retries[strategy] += 2`, ""},
	{"a retry's condition is not asked", "engine/attempt.go", `return ok && err == nil, nil`, `return ok || err == nil, nil`, ""},
	{"retries are forgotten", "engine/attempt.go", `Retries: s.Retries, `, ``, ""},

	{"people have twice the time", "engine/intervene.go", `core.InterventionWaiting, r.action.Timeout, false)`, `core.InterventionWaiting, 2*r.action.Timeout, false)`, ""},
	{"nobody's answer is MarkAsFailure", "engine/intervene.go", `w.act(b, r.then())`, `w.act(b, rule{action: core.FailureAction{Type: core.ActionMarkAsFailure}, at: r.at})`, ""},
	{"who asked is forgotten", "engine/intervene.go", `, at: w.owner(a.Strategy)}`, `}`, "engine TestUnansweredGroupRollback"},

	{"a rollback in a rollback", "engine/rollback.go", `case w.run.undone(n) != nil:`, `case false:`, "engine TestPipelineRollback"},
	{"always the innermost group", "engine/rollback.go", `case r.at != nil && r.at.Kind == kind && r.at != n:`, `case false:`, "engine TestUnansweredGroupRollback"},
	{"a rolled back stage ends as its steps did", "engine/rollback.go", "w.t.RolledBack = len(of.Rollback) > 0\n\t\tw.endTrack(core.Failed)", "w.t.RolledBack = len(of.Rollback) > 0\n\t\tw.endTrack(w.aggregate(nodes(w.root)))", ""},
	{"nothing is a rollback too", "engine/rollback.go", `w.t.RolledBack = len(of.Rollback) > 0`, `w.t.RolledBack = true`, "engine TestRollback"},
	{"the stage retries a rolled back group", "engine/rollback.go", `for a.Then != nil {`, `for false {`, "engine TestRollback"},
	{"a group's rollback ends there", "engine/rollback.go", `w.rollBack(b, rule{action: a, at: stage})`, `w.markFailed(b)`, "engine TestPipelineRollback"},
	{"a rollback without an end", "engine/rollback.go", `w.t.Cursor = slices.Clone(u.Cursor)`, `w.t.Cursor = []int{0}`, ""},

	{"nothing runs after a failure", "engine/walk.go", `case w.goesOn():`, `case false:`, ""},
	{"groups always succeed", "engine/walk.go", "w.endNode(g, w.aggregate(g.Children), nil)\n\tw.next()", "w.endNode(g, core.Succeeded, nil)\n\tw.next()", ""},
	{"a failure does not stop a rollback", "engine/walk.go", `case w.t.Undo != nil: // nobody`, `case false: // nobody`, ""},
	{"a failure in a branch does not stop a rollback", "engine/walk.go", `case w.branchOfRollback():`, `case false:`, "engine TestRollback"},

	{"a wait that is over has expired", "engine/hold.go", "if h.Own {\n\t\treturn w.released(n, core.Succeeded, nil)", "if h.Own {\n\t\treturn w.released(n, core.Expired, nil)", ""},
	{"a second timeout is not heard", "engine/hold.go", "if w.t.Stopping != \"\" {\n\t\t\treturn nil", "if w.t.Stopping != \"\" {\n\t\t\treturn errIgnored", "engine TestDeadlineAgain"},
	{"a rejection is a failure", "engine/hold.go", `w.released(n, core.ApprovalRejected,`, `w.released(n, core.Failed,`, ""},
	{"one approval too many", "engine/hold.go", `case len(a.Activities) >= a.Spec.MinimumCount:`, `case len(a.Activities) > a.Spec.MinimumCount:`, ""},

	{"every timeout is the stage's", "engine/task.go", `if t.Stage && w.ev.At >= t.Claimed+t.Timeout-skew {`, `if t.Stage {`, "engine TestStageDeadline"},
	{"a timeout is a failure", "engine/task.go", `status = core.Expired`, `status = core.Failed`, ""},
	{"a stage out of time fails", "engine/task.go", `w.t.Task, w.t.Stopping = nil, core.Expired`, `w.t.Task, w.t.Stopping = nil, core.Failed`, ""},
	{"steps outlive their stage", "engine/task.go", `ok && left < t.Timeout {`, `ok && false && left < t.Timeout {`, ""},
	{"old completions are taken", "engine/task.go", ` || t.Fence != e.Fence`, ``, "engine TestCompletion"},
	{"a task is claimed twice", "engine/task.go", `t == nil || t.ID != e.Task || t.Delegate != nil {`, `t == nil || t.ID != e.Task {`, "engine TestRetryStepGroup"},

	{"what is stopped is aborted", "engine/stop.go", `w.t.Stopping = e.Status`, `w.t.Stopping = core.Aborted`, ""},
	{"children are not told", "engine/stop.go", `for _, track := range open {`, `for _, track := range open[:0] {`, ""},
	{"who stops does not wait", "engine/stop.go", `if len(open) == 0 && c == nil {`, `if true {`, "engine TestDeadlineAgain"},

	{"any token is the newest", "engine/segment.go", ` || s.Token != "" && !newer(e, *s) {`, ` {`, "engine TestTokens"},
	{"the oldest token stands", "engine/segment.go", `return e.At > s.At`, `return e.At < s.At`, "engine TestTokens"},
	{"outcomes do not wait for tokens", "engine/segment.go", `if s.Token == "" || s.Outcome == nil {`, `if s.Outcome == nil {`, ""},

	{"one retry more is compiled", "compile/failure.go", `out.Retries = count`, `out.Retries = count + 1`, ""},
	{"half the time for people is compiled", "compile/failure.go", `out.Timeout = c.fixedDuration(n, "timeout of ManualIntervention of "+o.what)`, `out.Timeout = c.fixedDuration(n, "timeout of ManualIntervention of "+o.what) / 2`, ""},
	{"conditions are not compiled", "compile/when.go", `w.Condition = c.condition(n, "condition", what)`, `_ = c.condition(n, "condition", what)`, ""},

	{"Expired is worse than Failed", "core/status.go", `failing: true, rank: 3}`, `failing: true, rank: 9}`, ""},
	{"an ignored failure is not seen above", "core/status.go", `IgnoreFailed:     {api: "IgnoreFailed", terminal: true, rank: 2}`, `IgnoreFailed:     {api: "IgnoreFailed", terminal: true}`, ""},
	{"a rejection is no failure", "core/status.go", `terminal: true, failing: true, rank: 4}`, `terminal: true, rank: 4}`, ""},

	{"one iteration too many at once", "engine/loop.go", `w.openIterations(its) < l.Limit`, `w.openIterations(its) <= l.Limit`, ""},
	{"the queue is never skipped", "engine/loop.go", `n.Loop.SkipQueued && e.Status.Failing()`, `n.Loop.SkipQueued && false`, ""},
	{"the queue runs before a rollback", "engine/loop.go", `if e.Rollback == "" && e.Again == nil && `, `if `, ""},
	{"iterations start when the time is out", "engine/children.go", `(e.Status == core.Expired || w.moreAfter(n))`, `e.Status == core.Expired`, "engine TestNoIterationOutOfTime"},
	{"a run out of time ends as its stages", "engine/children.go", `(e.Status == core.Expired || w.moreAfter(n))`, `w.moreAfter(n)`, "engine TestOutOfTimeTogether"},
	{"an abort is not heard in another walk", "engine/children.go", `Reason: reason(e.Failure), Round: w.t.Round`, `Reason: reason(e.Failure)`, "engine TestEndedInAnotherWalk"},
	{"a timeout is not heard in another walk", "engine/hold.go", `"the stage's timeout has passed", Round: w.t.Round`, `"the stage's timeout has passed"`, "engine TestEndedInAnotherWalk"},
	{"what cannot be decided is not ignored", "engine/undecided.go", `u.Status = core.IgnoreFailed`, `u.Status = core.Failed`, "engine TestUndecided"},
	{"what cannot be decided rolls nothing back", "engine/undecided.go", `w.wish(u.Child)`, ``, "engine TestUndecided"},
	{"what cannot be decided stops a rollback", "engine/undecided.go", `s.Marked = u.Marked`, `_ = s`, "engine TestUndecided"},
	{"everything may be answered", "engine/intervene.go", `if len(allowed) == 0 {`, `if true {`, ""},
	{"a pipeline is rolled back from a rollback", "engine/intervene.go", `w.run.undone(n) == nil && w.run.hasRollback()`, `w.run.hasRollback()`, "engine TestRollbackByAPerson"},
	{"marked is unknown", "engine/intervene.go", `Types: []string{userMarked}`, `Types: []string{"UNKNOWN_FAILURE"}`, ""},
	{"a value given is another attempt", "engine/input.go", `By: e.By, At: w.ev.At, Resumed: true}`, `By: e.By, At: w.ev.At}`, ""},
	{"any failure proceeds with defaults", "engine/input.go", `if !slices.Contains(f.Types, inputTimeout) {`, `if false {`, ""},
	{"defaults are not taken", "engine/input.go", `case a.Default != nil:`, `case false:`, ""},
	{"a pipeline is rolled back forwards", "engine/pipelineback.go", "\tslices.Reverse(list)\n", "", "engine TestPipelineRollback"},
	{"what is rolled back is so twice", "engine/pipelineback.go", `if !f.Found {`, `if !f.Found || true {`, "engine TestPipelineRollback"},
	{"a stage is not itself in its rollback", "engine/pipelineback.go", `return *t.Normal`, `_ = 0`, ""},

	{"one position is enough", "engine/barrier.go", `!known || at.State == core.PositionGone {`, `known && at.State == core.PositionGone {`, "engine TestBarrier"},
	{"a skipped position is awaited", "engine/barrier.go", `return core.PositionAbsent, ""`, `return "", ""`, "engine TestBarrier"},
	{"nobody hears of a broken barrier", "engine/barrier.go", `b.Over, b.Reason = core.BarrierBroken, p.Reason`, `_ = 0`, "engine TestBarrier"},
	{"the last in line is next", "lock/lock.go", `first := i == 0 && `, `first := i == len(l.Waiters)-1 && `, "lock TestLock"},
	{"a lock has room for one more", "lock/lock.go", `len(l.Holders) < max(1, l.Limit)`, `len(l.Holders) <= max(1, l.Limit)`, "lock TestLock"},
	{"a lock is kept for ever", "engine/lock.go", `w.owns(c) {`, `false && w.owns(c) {`, "engine TestQueueHolds"},
	{"a barrier stays as it was in a group tried again", "engine/barrier.go", `old != nil && old.Again == p.Again`, `old != nil`, "engine TestLocksInARetriedGroup"},
	{"who starts anew has gone", "engine/barrier.go", ` && s.Status != core.NotStarted {`, ` {`, "engine TestLocksInARetriedGroup"},

	{"a paused track goes on", "engine/pause.go", "if w.t.Paused() == nil {\n\t\treturn false", "if true {\n\t\treturn false", "engine TestPause"},
	{"a late word about pausing counts", "engine/pause.go", ` || w.t.Pauses[e.Of].N >= e.N {`, ` {`, "engine TestPauseRefused"},
	{"a task on offer stays there", "engine/pause.go", `if t == nil || t.Delegate != nil {`, `if t == nil || true {`, "engine TestPausedOffer"},
	{"iterations start in a paused run", "engine/loop.go", `for w.t.Paused() == nil && `, `for `, "engine TestPause"},
	{"a stage is rolled back without its infrastructure", "engine/infralock.go", `return slices.Concat([]*core.Node{lock}, stage.Rollback)`, `return slices.Clone(stage.Rollback)`, "engine TestInfrastructureHeld"},
	{"a stage goes on without its infrastructure", "engine/failure.go", `if b.n.Type == steps.InfrastructureLock {`, `if b.n.Type == steps.InfrastructureLock && false {`, "engine TestInfrastructureNotGot"},
	{"an execution that is over goes on", "engine/continue.go", `if x.Round != t.Round || `, `if true || x.Round != t.Round || `, "engine TestContinued"},
	{"the old pipeline's machine goes on", "engine/continue.go", `w.t.Children[w.ev.Child.Track].Then = `, `_ = `, "engine TestContinued"},
	{"a rollback reads itself", "engine/postback.go", `return r.Launch.Rollback != nil && n.Kind`, `return false && n.Kind`, "engine TestPostRollback"},
	{"a failed deployment is the latest", "engine/postback.go", `if status != core.Succeeded || `, `if `, "engine TestDeployedIsNoted"},
}
