package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
)

func (a *app) pause() *cobra.Command {
	return &cobra.Command{
		Use:   "pause RUN [STAGE]",
		Short: "Hold a run up, or one stage of it: what runs ends, nothing new starts",
		Long: "Hold a run up, or one stage of it: steps that run end, nothing new starts until it is resumed. What waits for people, time or others goes on waiting,\n" +
			"and answers are kept. Timeouts pass as ever. STAGE is a path such as stages.build, or an identifier that only one node has.",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.pauseIn(cmd.Context(), args, "pausing", "is paused already", (*client.Client).Pause)
		},
	}
}

func (a *app) resume() *cobra.Command {
	return &cobra.Command{
		Use:   "resume RUN [STAGE]",
		Short: "Let a paused run or stage go on",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.pauseIn(cmd.Context(), args, "resuming", "goes on already", (*client.Client).Resume)
		},
	}
}

func (a *app) pauseIn(ctx context.Context, args []string, doing, done string, ask func(*client.Client, context.Context, string, string) (client.Pausing, error)) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	run, stage := args[0], ""
	if len(args) > 1 {
		stage = args[1]
	}
	out, err := ask(c, ctx, run, stage)
	what := run
	if stage != "" {
		what = a.theme.Clean(out.Node) + " of " + run
	}
	switch {
	case err != nil:
		return t.reached(err)
	case a.json():
		return a.print(out)
	case out.Accepted:
		_, err = fmt.Fprintf(a.out, "%s %s\n", doing, what)
	default:
		_, err = fmt.Fprintf(a.out, "%s %s\n", what, done)
	}
	return err
}
