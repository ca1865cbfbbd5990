package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
)

// failing tells of a failure and which strategies were asked about it.
func (s *Story) failing(n *core.Node, m moment) []Link {
	f := m.Failing
	links := []Link{{Of: OfFailure, At: m.at, Pos: place(n.Pos),
		Text: fmt.Sprintf("failed as %s: %s", types(f), first(f.Failure.Message))}}
	for _, a := range f.Asked {
		verb := "does not match"
		if a.Matches {
			verb = "matches"
		}
		links = append(links, Link{Of: OfStrategy, At: m.at, Pos: place(a.Pos),
			Text: fmt.Sprintf("the strategy of %s %s for %s %s", a.Kind, Path(a.At), joined(a.Errors), verb)})
	}
	if !f.Matched {
		links = append(links, Link{Of: OfStrategy, At: m.at, Pos: place(n.Pos),
			Text: "no failure strategy is for that: it fails, and what is around it"})
	}
	return links
}

func types(f *engine.Failing) string {
	if len(f.Types) == 0 {
		return strings.Join(f.Failure.Types, ", ")
	}
	return joined(f.Types)
}

func joined[T ~string](list []T) string {
	var parts []string
	for _, v := range list {
		parts = append(parts, string(v))
	}
	return strings.Join(parts, ", ")
}

// action tells what was done about a failure. next is the decision behind it.
func action(m moment, next *moment) Link {
	a := m.Action
	l := Link{Of: OfAction, At: m.at, Pos: place(a.Pos)}
	followed := next != nil && next.n == m.n && next.Action != nil
	switch {
	case a.Action.Type == core.ActionRetry && followed && a.Tried >= a.Action.Retries:
		l.Text = fmt.Sprintf("Retry: all %d tries are used up", a.Action.Retries)
	case a.Action.Type == core.ActionRetry && followed:
		l.Text = "Retry: its condition " + quote(a.Action.Condition) + " does not hold, or there is nothing to try again"
	case a.Action.Type == core.ActionRetry:
		l.Text = fmt.Sprintf("Retry: try %d of %d", a.Tried+1, a.Action.Retries)
		if len(a.Action.Intervals) > 0 {
			l.Text += " after " + duration(a.Action.Intervals[min(a.Tried, len(a.Action.Intervals)-1)])
		}
	case a.Action.Type == core.ActionManualIntervention && followed:
		l.Text = "ManualIntervention: there is nothing that could be tried again"
	case a.Action.Type == core.ActionManualIntervention:
		l.Text = "ManualIntervention: a person is asked, for " + duration(a.Action.Timeout)
		if a.Action.Then != nil {
			l.Text += "; then " + string(a.Action.Then.Type)
		}
	default:
		l.Text = done[a.Action.Type]
		if strings.HasSuffix(a.Strategy, ".then") {
			l.Text = "then " + l.Text
		}
	}
	return l
}

// done says what an action does.
var done = map[core.ActionType]string{
	core.ActionIgnore:            "Ignore: it counts as a success",
	core.ActionMarkAsSuccess:     "MarkAsSuccess: it is a success",
	core.ActionMarkAsFailure:     "MarkAsFailure: it fails, and the conditions of what follows decide",
	core.ActionProceedDefault:    "ProceedWithDefaultValues",
	core.ActionAbort:             "Abort: the run is aborted",
	core.ActionStageRollback:     "StageRollback: the stage's rollback steps run",
	core.ActionStepGroupRollback: "StepGroupRollback: the group's rollback steps run",
	core.ActionPipelineRollback:  "PipelineRollback: what the run has deployed is rolled back",
	core.ActionRetryStepGroup:    "RetryStepGroup: the group runs again",
}

// turns reports whether what was done ends the walk through the normal steps.
func turns(t core.ActionType) bool {
	return t == core.ActionStageRollback || t == core.ActionStepGroupRollback || t == core.ActionPipelineRollback || t == core.ActionAbort
}

// turned is the first such action that was taken in a node, with the node that failed.
func (s *Story) turned(in *core.Node) (failed *core.Node, why Link) {
	s.walk(in, func(c *core.Node) {
		for _, m := range s.decided[c.FQN] {
			if m.Action != nil && turns(m.Action.Action.Type) && (failed == nil || m.at <= why.At) {
				failed, why = c, action(m, nil)
			}
		}
	})
	return failed, why
}

// rollback tells why a stage or group was rolled back.
func (s *Story) rollback(of *core.Node) []Link {
	failed, why := s.turned(of)
	if failed == nil {
		return nil
	}
	return []Link{{Of: OfFailure, At: why.At, Pos: place(failed.Pos), Text: fmt.Sprintf("%s had ended as %s", name(failed), s.status(failed).API())}, why}
}

func duration(ms int64) string { return (time.Duration(ms) * time.Millisecond).String() }
