package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/steps"
	"github.com/slipway-cd/slipway/shared/view"
)

// question asks a person about one approval, a line at a time: what to do, then
// each approver input, then a comment.
type question struct {
	approval view.Approval
	theme    screen.Theme
	out      io.Writer
	decision client.Decision
	inputs   []steps.ApproverInput // still to ask for
}

// ask puts the first question.
func ask(a view.Approval, theme screen.Theme, out io.Writer) *question {
	q := &question{approval: a, theme: theme, out: out, decision: client.Decision{Inputs: map[string]string{}}}
	q.prompt()
	return q
}

// wanted reports whether the approval still waits.
func (q *question) wanted(run view.Run) bool {
	return !run.Ended && slices.ContainsFunc(run.Approvals, func(a view.Approval) bool {
		return a.ID == q.approval.ID && a.Approval.Status == "WAITING"
	})
}

func (q *question) prompt() {
	switch {
	case q.decision.Action == "":
		fmt.Fprint(q.out, q.theme.Paint(screen.Bold, "  approve, reject or leave it? [a/r/l] "))
	case len(q.inputs) > 0:
		in := q.inputs[0]
		text := "  " + in.Name
		if in.Description != "" {
			text += " — " + in.Description
		}
		if choice := choices(in); len(choice) > 0 {
			text += " (" + strings.Join(choice, ", ") + ")"
		}
		if in.DefaultValue != "" {
			text += " [" + in.DefaultValue + "]"
		}
		fmt.Fprint(q.out, q.theme.Clean(text)+": ")
	default:
		fmt.Fprint(q.out, "  comment: ")
	}
}

func choices(in steps.ApproverInput) []string {
	return slices.Concat(in.AllowedValues, in.SelectOneFrom, in.SelectManyFrom)
}

// answer takes a line. done says that there is nothing more to ask; the decision
// is nil when the person left it to others.
func (q *question) answer(line string) (d *client.Decision, done bool) {
	line = strings.TrimSpace(line)
	switch {
	case q.decision.Action == "":
		switch strings.ToLower(line) {
		case "a", "approve", "y", "yes":
			q.decision.Action, q.inputs = client.Approve, q.approval.Approval.Spec.Inputs
		case "r", "reject", "n", "no":
			q.decision.Action = client.Reject
		case "l", "leave":
			return nil, true
		}
	case len(q.inputs) > 0:
		in := q.inputs[0]
		if line == "" {
			line = in.DefaultValue
		}
		if line != "" {
			q.decision.Inputs[in.Name] = line
		}
		if line != "" || !in.Required {
			q.inputs = q.inputs[1:]
		}
	default:
		q.decision.Comments = line
		return &q.decision, true
	}
	q.prompt()
	return nil, false
}
