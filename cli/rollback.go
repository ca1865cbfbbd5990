package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
)

func (a *app) rollback() *cobra.Command {
	var in client.Again
	cmd := &cobra.Command{
		Use:   "rollback RUN",
		Short: "Roll back what a run has deployed",
		Long: "Start a run of the rollback steps of a run that has succeeded, its last stage first. What they read is what that run did.\n" +
			"It has to be the latest that has deployed there, at most 30 days ago, and each run is rolled back once.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.rollBack(cmd.Context(), args[0], in) },
	}
	cmd.Flags().StringArrayVar(&in.Stages, "stage", nil, "roll back this `stage` alone (repeatable)")
	return cmd
}

func (a *app) rollBack(ctx context.Context, run string, in client.Again) error {
	return a.again(ctx, run, nil, nil, in, (*client.Client).Rollback)
}
