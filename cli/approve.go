package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/view"
)

func (a *app) approve() *cobra.Command {
	d := client.Decision{Action: client.Approve}
	var inputs []string
	cmd := &cobra.Command{
		Use:   "approve ID",
		Short: "Approve what a run waits for",
		Long:  "Approve what a run waits for. ID is the approval's, or the run's when exactly one approval waits in it.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if d.Inputs, err = pairs("--input", inputs); err != nil {
				return err
			}
			return a.decide(cmd.Context(), args[0], d)
		},
	}
	cmd.Flags().StringVar(&d.Comments, "comment", "", "`text` kept with the decision")
	cmd.Flags().StringArrayVar(&inputs, "input", nil, "answer to an approver input, `name=value` (repeatable)")
	return cmd
}

func (a *app) reject() *cobra.Command {
	d := client.Decision{Action: client.Reject}
	cmd := &cobra.Command{
		Use:   "reject ID",
		Short: "Reject what a run waits for",
		Long:  "Reject what a run waits for. ID is the approval's, or the run's when exactly one approval waits in it.",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.decide(cmd.Context(), args[0], d) },
	}
	cmd.Flags().StringVar(&d.Comments, "comment", "", "`text` kept with the decision")
	return cmd
}

func (a *app) decide(ctx context.Context, id string, d client.Decision) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	approval, err := a.waiting(ctx, c, t, id)
	if err != nil {
		return err
	}
	if err := c.Decide(ctx, approval.ID, d); err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(map[string]string{"approval": approval.ID, "run": approval.Run, "node": approval.Node, "action": d.Action})
	}
	past := map[string]string{client.Approve: "approved", client.Reject: "rejected"}
	_, err = fmt.Fprintf(a.out, "%s: %s\n", past[d.Action], a.theme.Clean(approval.Name))
	return err
}

// waiting finds the one approval that an id means: its own, or a run's in which
// just one waits.
func (a *app) waiting(ctx context.Context, c *client.Client, t target, id string) (view.Approval, error) {
	found, err := c.Approvals(ctx, id)
	if err != nil {
		return view.Approval{}, t.reached(err)
	}
	switch len(found) {
	case 0:
		return view.Approval{}, fault.New(fault.NotFound, "nothing waits for an approval as %s", id)
	case 1:
		return found[0], nil
	}
	lines := make([]string, len(found))
	for i, f := range found {
		lines[i] = fmt.Sprintf("  %s  %s (%s)", f.ID, a.theme.Clean(f.Name), f.Node)
	}
	return view.Approval{}, fault.New(fault.Invalid, "%d approvals wait in run %s; say which:\n%s", len(found), id, strings.Join(lines, "\n"))
}

// approveLine is the command that approves an approval on this platform.
func (t target) approveLine(approval string) string { return t.command("approve", approval) }

// pairs reads name=value arguments of a flag.
func pairs(flag string, args []string) (map[string]string, error) {
	values := make(map[string]string, len(args))
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || name == "" {
			return nil, fault.New(fault.Invalid, "%s %s: it is name=value", flag, arg)
		}
		if _, twice := values[name]; twice {
			return nil, fault.New(fault.Invalid, "%s %s: %s is given twice", flag, arg, name)
		}
		values[name] = value
	}
	return values, nil
}
