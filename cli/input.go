package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/shared/view"
)

func (a *app) input() *cobra.Command {
	var inputs []string
	cmd := &cobra.Command{
		Use:   "input RUN NODE",
		Short: "Give values to a step that asks for them",
		Long: "Give values to a step, step group or stage that waits for input while running, because its pipeline says <+input>.executionInput().\n" +
			"NODE is a path such as stages.build.steps.unit, or an identifier that only one node has. Values that have a default may be left out.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			values, err := pairs("--input", inputs)
			if err != nil {
				return err
			}
			return a.inputIn(cmd.Context(), args[0], args[1], values)
		},
	}
	cmd.Flags().StringArrayVar(&inputs, "input", nil, "value, `path=value`; the end of a path is enough where it tells which (repeatable)")
	return cmd
}

func (a *app) inputIn(ctx context.Context, run, node string, values map[string]string) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	fqn, err := c.Give(ctx, run, node, values)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(map[string]any{"run": run, "node": fqn})
	}
	_, err = fmt.Fprintf(a.out, "given to %s\n", a.theme.Clean(fqn))
	return err
}

// inputLine is the command that gives a node its values on this platform.
func (t target) inputLine(run string, n view.Node) string {
	line := t.command("input", run, n.FQN)
	for _, a := range n.Asks {
		line += " --input " + a.Path + "=VALUE"
	}
	return line
}
