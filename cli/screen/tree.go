package screen

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// Tree writes a run with everything in it. command returns the line that approves
// an approval. now is in ms since 1970, for what has not ended.
func (t Theme) Tree(w io.Writer, r view.Run, now int64, command func(approval string) string) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s  %s\n", t.Symbol(r.Status), t.Paint(Bold, t.Clean(r.Name)), t.Status(r.Status))
	for _, row := range [][2]string{
		{"run", r.ID},
		{"pipeline", fmt.Sprintf("%s  #%d", r.Pipeline, r.Sequence)},
		{"project", r.Scope.Path()},
		{"started", Clock(r.Started) + " by " + t.Clean(r.By.ID)},
		{"took", Between(r.Started, orNow(r.Finished, now))},
	} {
		fmt.Fprintf(&out, "  %s %s\n", t.Paint(Dim, fmt.Sprintf("%-8s", row[0])), row[1])
	}
	if up := r.Parent; up != nil {
		fmt.Fprintf(&out, "  %s %s\n", t.Paint(Dim, fmt.Sprintf("%-8s", "for")), fmt.Sprintf("stage %s of %s  #%d, run %s", t.Clean(up.Stage), up.Pipeline, up.Sequence, up.Run))
	}
	if r.Failure != nil {
		fmt.Fprintf(&out, "  %s %s\n", t.Paint(Dim, fmt.Sprintf("%-8s", "failure")), t.Paint(Bad, t.Clean(r.Failure.Message)))
	}
	for _, warned := range r.Warnings {
		fmt.Fprintf(&out, "  %s %s\n", t.Paint(Dim, fmt.Sprintf("%-8s", "warning")), t.Paint(Bad, t.Clean(warned.Message)))
	}
	out.WriteByte('\n')
	depth := Depths(r.Nodes)
	for _, n := range r.Nodes {
		t.node(&out, n, strings.Repeat("  ", depth[n.FQN]), now)
	}
	t.approvals(&out, r, command)
	_, err := io.WriteString(w, out.String())
	return err
}

// node writes one node's lines.
func (t Theme) node(out *strings.Builder, n view.Node, indent string, now int64) {
	name, took := t.Clean(Label(n)), ""
	if n.Started != 0 {
		took = Between(n.Started, orNow(n.Finished, now))
	}
	fmt.Fprintf(out, "%s%s %s", indent, t.Symbol(n.Status), t.Paint(inkOf(n), name))
	for _, s := range []string{t.Paint(Dim, n.Type), t.Status(n.Status), took} {
		if s != "" {
			out.WriteString("  " + s)
		}
	}
	if n.Attempt > 1 {
		fmt.Fprintf(out, "  attempt %d", n.Attempt)
	}
	out.WriteByte('\n')
	if n.Failure != nil && n.Kind != core.KindStage {
		fmt.Fprintf(out, "%s    %s\n", indent, t.Paint(Bad, t.failure(n.Failure)))
	}
	for _, a := range n.Earlier {
		if a.Chained != "" {
			fmt.Fprintf(out, "%s    run %s  %s\n", indent, a.Chained, t.Status(a.Status.API()))
		}
	}
	if n.Chained != nil && n.Chained.Run != "" {
		fmt.Fprintf(out, "%s    run %s  pipeline %s\n", indent, n.Chained.Run, t.Clean(n.Chained.Pipeline))
	}
	for _, line := range t.outputs(n.Outputs) {
		fmt.Fprintf(out, "%s    %s\n", indent, line)
	}
	if n.OutputsAt != "" {
		fmt.Fprintf(out, "%s    %s\n", indent, t.Paint(Dim, "outputs too large to be shown here: GET "+n.OutputsAt))
	}
}

func inkOf(n view.Node) Ink {
	if n.Kind == core.KindStage {
		return Bold
	}
	return Plain
}

// failure is a failure in one line.
func (t Theme) failure(f *core.Failure) string {
	s := t.Clean(f.Message)
	if len(f.Types) > 0 {
		s += " (" + strings.Join(f.Types, ", ") + ")"
	}
	return s
}

// outputs are a step's outputs, output variables first and by name, one a line.
func (t Theme) outputs(outputs map[string]any) []string {
	var lines []string
	vars, _ := outputs["outputVariables"].(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(vars)) {
		lines = append(lines, t.Paint(Dim, t.Clean(k)+" = ")+t.value(vars[k]))
	}
	for _, k := range slices.Sorted(maps.Keys(outputs)) {
		if k != "outputVariables" {
			lines = append(lines, t.Paint(Dim, t.Clean(k)+": ")+t.value(outputs[k]))
		}
	}
	return lines
}

// maxValue is how much of a value is shown; --format json has all of it.
const maxValue = 200

func (t Theme) value(v any) string {
	text, ok := v.(string)
	if !ok {
		b, _ := json.Marshal(v)
		text = string(b)
	}
	runes := []rune(t.Clean(strings.ReplaceAll(text, "\n", "⏎")))
	if len(runes) > maxValue {
		return string(runes[:maxValue]) + "…"
	}
	return string(runes)
}

func (t Theme) approvals(out *strings.Builder, r view.Run, command func(string) string) {
	for _, a := range r.Approvals {
		fmt.Fprintf(out, "\napproval %s  %s  %s\n", t.Paint(Bold, t.Clean(a.Name)), t.approvalStatus(a.Approval.Status), a.ID)
		for line := range strings.Lines(a.Approval.Spec.Message) {
			fmt.Fprintf(out, "  %s\n", t.Clean(line))
		}
		for _, act := range a.Approval.Activities {
			fmt.Fprintf(out, "  %s by %s at %s", strings.ToLower(act.Action), t.Clean(act.By.ID), Clock(act.At))
			if act.Comments != "" {
				fmt.Fprintf(out, ": %s", t.Clean(act.Comments))
			}
			out.WriteByte('\n')
		}
		if a.Approval.Status == "WAITING" {
			fmt.Fprintf(out, "  %d of %d approved, asked: %s\n  %s\n", len(a.Approval.Activities), a.Approval.Spec.MinimumCount,
				t.Clean(Approvers(a)), command(a.ID))
		}
	}
}

// Approvers says who is asked.
func Approvers(a view.Approval) string {
	return strings.Join(append(slices.Clone(a.Approval.Spec.UserGroups), a.Approval.Spec.ServiceAccounts...), ", ")
}

func (t Theme) approvalStatus(s string) string {
	switch s {
	case "WAITING":
		return t.Paint(Busy, s)
	case "APPROVED":
		return t.Paint(Good, s)
	default:
		return t.Paint(Bad, s)
	}
}

func orNow(ms, now int64) int64 {
	if ms == 0 {
		return now
	}
	return ms
}

// Label is what a node is called: its name, else its identifier, else its kind.
func Label(n view.Node) string {
	switch {
	case n.Name != "":
		return n.Name
	case n.Identifier != "":
		return n.Identifier
	default:
		return string(n.Kind)
	}
}

// Depths says for each node, by FQN, how far below the pipeline it is, from 0.
func Depths(nodes []view.Node) map[string]int {
	depths := make(map[string]int, len(nodes))
	for _, n := range nodes { // parents come first
		if d, ok := depths[n.Parent]; ok {
			depths[n.FQN] = d + 1
		} else {
			depths[n.FQN] = 0
		}
	}
	return depths
}
