package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) abort() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "abort RUN",
		Short: "Stop a run: everything open in it ends as Aborted",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.abortRun(cmd.Context(), args[0], reason) },
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`why`, shown in the run")
	return cmd
}

func (a *app) abortRun(ctx context.Context, id, reason string) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	accepted, err := c.Abort(ctx, id, reason)
	switch {
	case err != nil:
		return t.reached(err)
	case a.json():
		return a.print(map[string]any{"run": id, "accepted": accepted})
	case accepted:
		_, err = fmt.Fprintf(a.out, "aborting %s\n", id)
	default:
		_, err = fmt.Fprintf(a.out, "%s has ended, or is being aborted already\n", id)
	}
	return err
}
