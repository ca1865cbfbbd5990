package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/shared/core"
)

func (a *app) intervene() *cobra.Command {
	return &cobra.Command{
		Use:   "intervene RUN NODE ACTION",
		Short: "Say what is to become of a failed step",
		Long: "Say what is to become of a failed step that waits for a person: Retry, MarkAsSuccess, Ignore, MarkAsFailure or Abort, as far as its failure strategy allows.\n" +
			"UserMarkedFailure fails a step, or all that runs in a stage, while it still runs. NODE is a path such as stages.build.steps.unit, or an identifier that only one node has.",
		Args: cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.interveneIn(cmd.Context(), args[0], args[1], core.ActionType(args[2]))
		},
	}
}

func (a *app) interveneIn(ctx context.Context, run, node string, action core.ActionType) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	fqn, err := c.Intervene(ctx, run, node, action)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(map[string]any{"run": run, "node": fqn, "action": action})
	}
	_, err = fmt.Fprintf(a.out, "%s: %s\n", action, a.theme.Clean(fqn))
	return err
}

// interveneLine is the command that answers for a step on this platform.
func (t target) interveneLine(run, node string) string {
	return t.command("intervene", run, node, "ACTION")
}
