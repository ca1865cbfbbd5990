package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// standing is how a node stands now, and what that hangs on.
func (s *Story) standing(n *core.Node) []Link {
	o := s.state(n)
	if c, ok := s.run.Launch.Retry.From(s.run.Owner(n.FQN)); ok {
		return []Link{{Of: OfEnd, Pos: place(n.Pos), Text: fmt.Sprintf("was executed in run %s, which this one takes up: slipway why %s %s", c.Run, c.Run, Path(n.FQN))}}
	}
	switch b := s.run.Launch.Rollback; {
	case b != nil && s.run.OfRolledBack(engine.NodeRef(n.FQN)) && n.Kind != core.KindStage:
		return []Link{{Of: OfEnd, Pos: place(n.Pos), Text: fmt.Sprintf("is not run: this run rolls back run %s, which has run it: slipway why %s %s", b.Of, b.Of, Path(n.FQN))}}
	case o == nil || o.Status == core.NotStarted:
		return s.notReached(n)
	case o.Status == core.Skipped:
		return nil // its condition has said so
	case !o.Status.Terminal():
		return s.open(n, o)
	}
	end := Link{Of: OfEnd, At: o.Ended, Pos: place(n.Pos), Text: fmt.Sprintf("ended as %s after %s", o.Status.API(), duration(o.Ended-o.Started))}
	if acts(n) {
		if stop := s.stopped(n, o); stop != nil {
			return []Link{*stop, end}
		}
		if o.Failure != nil && !slices.ContainsFunc(s.decided[n.FQN], func(m moment) bool { return m.Failing != nil }) {
			return []Link{{Of: OfFailure, At: o.Ended, Pos: place(n.Pos), Text: first(o.Failure.Message)}, end}
		}
		return []Link{end}
	}
	return append(s.inner(n, o), end)
}

// inner tells which node inside decided how one ended that failed.
func (s *Story) inner(n *core.Node, o *engine.Node) []Link {
	if stop := s.stopped(n, o); stop != nil {
		return []Link{*stop}
	}
	if !o.Status.Failing() && o.Status != core.IgnoreFailed {
		return nil
	}
	var found *core.Node
	s.walk(n, func(c *core.Node) {
		if i := s.state(c); acts(c) && i != nil && (i.Status == o.Status || i.Status.Failing() && o.Status.Failing()) &&
			(found == nil || i.Ended < s.state(found).Ended) {
			found = c
		}
	})
	if found == nil {
		return nil
	}
	links := []Link{{Of: OfFailure, At: s.state(found).Ended, Pos: place(found.Pos), Text: fmt.Sprintf("%s ended as %s", name(found), s.status(found).API())}}
	for _, l := range append(s.happened(found), s.standing(found)...) {
		if l.Of == OfFailure || l.Of == OfStrategy || l.Of == OfAction || l.Of == OfPerson {
			links = append(links, l)
		}
	}
	return links
}

// stopped tells of an abort or a deadline that ended a node.
func (s *Story) stopped(n *core.Node, o *engine.Node) *Link {
	for _, ev := range s.events[s.run.Owner(n.FQN)] {
		if ev.Stop != nil && ev.At <= o.Ended && ev.Stop.Status == o.Status {
			l := &Link{Of: OfPerson, At: ev.At, Text: "the run was stopped: " + first(ev.Stop.Reason)}
			if ev.Actor != "" {
				l.Text += " (" + ev.Actor + ")"
			}
			return l
		}
	}
	return nil
}

// open tells what a node that has not ended does or waits for.
func (s *Story) open(n *core.Node, o *engine.Node) []Link {
	if !acts(n) {
		return s.busy(n)
	}
	l := Link{Of: OfWaiting, At: o.Started, Pos: place(n.Pos)}
	t := s.track(s.run.Owner(n.FQN))
	switch {
	case t.Task != nil && t.Task.Node == n.FQN && t.Task.Delegate == nil:
		l.At = t.Task.At
		l.Text = "waits for any delegate to take it"
		if len(t.Task.Selectors) > 0 {
			l.Text = "waits for a delegate with the selectors " + strings.Join(t.Task.Selectors, ", ")
		}
	case t.Task != nil && t.Task.Node == n.FQN:
		l.At, l.Text = t.Task.Claimed, "runs on delegate "+t.Task.Delegate.Name+until(t.Task.Claimed+t.Task.Timeout)
	case t.Hold != nil && t.Hold.Node == n.FQN:
		l.Text = waitsFor(t.Hold, o)
	default:
		l.Text = "is on its way" + s.paused(n)
	}
	return []Link{l}
}

func waitsFor(h *engine.Hold, o *engine.Node) string {
	what := "waits (" + h.Kind + ")"
	switch h.Kind {
	case "Approval":
		a := o.Approval.Spec
		who := append(slices.Clone(a.UserGroups), a.ServiceAccounts...)
		what = fmt.Sprintf("waits for %d of %s to approve, %d have", a.MinimumCount, strings.Join(who, ", "), len(o.Approval.Activities))
		if a.DisallowPipelineExecutor {
			what += "; not whoever started the run"
		}
	case "Intervene":
		what = "waits for a person to say what is to become of it: " + joined(o.Asked.Allowed)
		if then := o.Asked.Action.Then; then != nil {
			what += "; else " + string(then.Type)
		}
	case "Wait":
		what = "waits for its time to pass"
	case "Child":
		what = "waits for run " + o.Chained.Run
	case "BackOff":
		what = "waits before another try"
	case "Lock":
		kind, key := core.LockParts(h.Claim.Lock)
		of := "the key"
		if kind == core.LockInfra {
			of = "the infrastructure"
		}
		what = fmt.Sprintf("waits in line for %s %s (slipway queue show --kind %s %s)", of, key, kind, key)
	}
	return what + until(h.Until)
}

func until(ms int64) string {
	if ms <= 0 {
		return ""
	}
	return ", until " + time.UnixMilli(ms).UTC().Format(time.RFC3339)
}

// busy tells what runs or waits in a node.
func (s *Story) busy(n *core.Node) []Link {
	var links []Link
	s.walk(n, func(c *core.Node) {
		if o := s.state(c); acts(c) && o != nil && !o.Status.Terminal() {
			for _, l := range s.open(c, o) {
				l.Text = name(c) + " " + l.Text
				links = append(links, l)
			}
		}
	})
	return links
}

// notReached tells why a node has not begun.
func (s *Story) notReached(n *core.Node) []Link {
	l := Link{Of: OfEnd, Pos: place(n.Pos)}
	for p := s.run.Parent(n); p != nil; p = s.run.Parent(p) {
		o := s.state(p)
		switch {
		case o == nil || o.Status == core.NotStarted || p.Kind == core.KindParallel:
			continue
		case p.Loop != nil && !strings.Contains(s.run.Owner(n.FQN), "~"):
			l.Text = "it runs in the iterations of " + name(p) + ": ask about one of them"
		case o.Status == core.Skipped:
			l.Text = "did not run: it is in " + name(p) + ", which was skipped"
		case !o.Status.Terminal():
			l.Text = "its turn has not come" + s.paused(n)
			return append([]Link{l}, s.busy(p)...)
		case s.run.RollsBack(n) == p:
			l.Text = "did not run: it is a rollback step, and nothing asked for a rollback of " + name(p)
		default:
			if stop := s.stopped(p, o); stop != nil {
				l.Text = "did not run: " + stop.Text
				break
			}
			l.Text = "did not run: nothing behind a failure did, for nothing there asks for one"
			if failed, why := s.turned(p); failed != nil {
				l.Of, l.Pos = OfAction, why.Pos
				l.Text = fmt.Sprintf("did not run: %s had ended as %s, and %s", name(failed), s.status(failed).API(), why.Text)
			} else if c := s.failedFirst(p, n, o.Ended); c != nil {
				l.Of, l.Pos = OfFailure, place(c.Pos)
				l.Text = fmt.Sprintf("did not run: %s had ended as %s, and nothing behind it asks for a failure", name(c), s.status(c).API())
			}
		}
		return []Link{l}
	}
	l.Text = "its turn has not come" + s.paused(n)
	return []Link{l}
}

// paused says who holds the walk up that a node is part of, "" when nobody does.
func (s *Story) paused(n *core.Node) string {
	for id := s.run.Owner(n.FQN); id != ""; id = core.ParentTrack(id) {
		if p := s.track(id).Paused(); p != nil {
			return fmt.Sprintf(": paused by %s at %s", p.By.ID, time.UnixMilli(p.At).UTC().Format(time.RFC3339))
		}
	}
	return ""
}
