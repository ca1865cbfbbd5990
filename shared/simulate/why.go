package simulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// why tells in a line what became of a node, from what the engine decided.
func (b *book) why(n *core.Node) string {
	at := b.all[n.FQN]
	if at == nil || at.Status == core.NotStarted {
		return b.never(n)
	}
	t := &telling{}
	told := false
	if at.Approval != nil {
		t.say("asked " + strings.Join(slices.Concat(at.Approval.Spec.UserGroups, at.Approval.Spec.ServiceAccounts), ", "))
	}
	for _, d := range b.decisions[n.FQN] {
		switch {
		case d.Gate != nil:
			t.say(b.gate(n, d.Gate))
		case d.Failing != nil:
			t.failed(failed(d.Failing))
			told = true
		case d.Action != nil:
			t.acted(d.Action.Strategy, b.acted(n, d.Action))
			told = true
		}
	}
	inside := b.below(n, at.Status)
	switch {
	case at.Status == core.Skipped && len(*t) == 0: // an iteration behind one that failed
		t.say(b.before(n, b.all[b.run.Parent(n).FQN].Status))
	case !told && inside != "":
		t.say(inside)
	case at.Failure != nil && !told: // it was stopped, or could not begin
		t.say(oneLine(at.Failure.Message))
	case at.Approval != nil && at.Status == core.Succeeded:
		t.say(approved(at.Approval))
	}
	return t.String()
}

// gate tells why a node runs that has a condition, or why one does not.
func (b *book) gate(n *core.Node, g *engine.Gate) string {
	status := "stageStatus"
	if n.Kind == core.KindStage {
		status = "pipelineStatus"
	}
	where := ""
	if g.Pos.Line > 0 {
		where = " (" + place(g.Pos) + ")"
	}
	switch {
	case g.Failure != nil: // told as what it has failed of
		return ""
	case !g.Holds && g.Status == core.WhenFailure && g.Past.Failing():
		return status + " Failure does not hold, for what failed was rolled back" + where
	case !g.Holds && where == "":
		return b.before(n, g.Past)
	case !g.Holds:
		return fmt.Sprintf("%s %s does not hold, for %s%s", status, g.Status, b.before(n, g.Past), where)
	case !g.Runs:
		return "the condition " + oneLine(g.Condition) + " is false" + values(g.Values) + where
	case g.Condition != "":
		return "the condition " + oneLine(g.Condition) + " is true" + where
	case where != "" && g.Status != core.WhenSuccess:
		return fmt.Sprintf("%s %s holds%s", status, g.Status, where)
	}
	return ""
}

// before tells what of what ended before a node counted.
func (b *book) before(n *core.Node, past core.Status) string {
	if !past.Failing() {
		return "nothing has failed"
	}
	within := b.run.Parent(n)
	for within.Loop == nil && within.Kind != core.KindStage && within.Kind != core.KindPipeline {
		within = b.run.Parent(within)
	}
	if s := b.below(within, past); s != "" {
		return s
	}
	return "what was before it is " + past.API()
}

// values tells what a condition has read.
func values(list []engine.Value) string {
	var out []string
	for _, v := range list {
		switch {
		case v.Secret:
			out = append(out, v.Name+" is a secret")
		case v.Err != "":
			out = append(out, v.Name+": "+v.Err)
		case !v.Found:
			out = append(out, v.Name+" is not there")
		default:
			if text, ok := v.Value.(string); ok {
				v.Value = strconv.Quote(text)
			}
			out = append(out, fmt.Sprintf("%s is %s", v.Name, oneLine(fmt.Sprint(v.Value))))
		}
	}
	if out == nil {
		return ""
	}
	return ", for " + strings.Join(out, ", ")
}

// failed tells of what kind a failure is, and when nothing is done about it.
func failed(f *engine.Failing) string {
	var types []string
	for _, t := range f.Failure.Types {
		types = append(types, string(engine.ErrorType(t)))
	}
	s := strings.Join(types, ", ") + " (" + oneLine(f.Failure.Message) + ")"
	if !f.Matched {
		s += ", for which there is no failure strategy"
	}
	return s
}

// acted tells what a failure strategy did about a node.
func (b *book) acted(n *core.Node, a *engine.Action) string {
	s := string(a.Action.Type)
	switch a.Action.Type {
	case core.ActionRetry, core.ActionRetryStepGroup:
		if s = fmt.Sprintf("%s %d of %d", s, a.Tried+1, a.Action.Retries); a.Tried >= a.Action.Retries {
			s = fmt.Sprintf("%s %d of %d in vain", a.Action.Type, a.Action.Retries, a.Action.Retries)
		}
	case core.ActionManualIntervention:
		s += " for " + Duration(a.Action.Timeout)
	default:
	}
	switch {
	case strings.HasSuffix(a.Strategy, ".then"):
		return "then " + s
	case a.At == "":
		return s + ", as a person said"
	case a.At == n.FQN:
		return s + " by its failure strategy (" + place(a.Pos) + ")"
	}
	return s + " by the failure strategy of " + b.path(a.At) + " (" + place(a.Pos) + ")"
}

// approved tells who has agreed.
func approved(a *engine.Approval) string {
	var by []string
	for _, x := range a.Activities {
		by = append(by, x.By.ID)
	}
	return strings.ToLower(a.Status) + " by " + strings.Join(by, ", ")
}

// below tells which of the nodes inside one made it end as it did.
func (b *book) below(n *core.Node, status core.Status) string {
	if status == core.Succeeded {
		return ""
	}
	for _, c := range b.order {
		if at := b.all[c.FQN]; c != n && named(c) && at != nil && at.Status == status && b.run.Below(c, n) {
			return b.path(c.FQN) + " is " + status.API()
		}
	}
	return ""
}

// worst tells of a node that has failed, or of one inside it.
func (b *book) worst(n *core.Node) string {
	if at := b.all[n.FQN]; at != nil && at.Status.Failing() {
		return b.path(n.FQN) + " is " + at.Status.API()
	}
	return ""
}

// never tells why a node was not come to.
func (b *book) never(n *core.Node) string {
	r := b.run
	if of := r.Undone(n); of != nil {
		for _, c := range of.Rollback {
			if s := b.worst(c); s != "" {
				return s
			}
		}
		return "nothing was rolled back"
	}
	for p := r.Parent(n); p != nil; p = r.Parent(p) {
		at := b.all[p.FQN]
		switch {
		case !named(p):
		case at == nil:
			return b.path(p.FQN) + " did not run"
		case at.Status == core.Skipped:
			return b.path(p.FQN) + " is skipped"
		default:
			if s := b.below(p, at.Status); s != "" {
				return s
			}
			return b.path(p.FQN) + " is " + at.Status.API()
		}
	}
	root := b.World.Track("0").Status
	if s := b.below(r.Plan.Root, root); s != "" {
		return s
	}
	return "the run is " + root.API()
}

func place(p core.Position) string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Duration spells ms milliseconds exactly, and round ones short.
func Duration(ms int64) string {
	s := (time.Duration(ms) * time.Millisecond).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// longest is how much of a text is shown.
const longest = 200

func oneLine(s string) string {
	if s = strings.Join(strings.Fields(s), " "); len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return s
}
