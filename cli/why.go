package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/explain"
)

func (a *app) why() *cobra.Command {
	return &cobra.Command{
		Use:   "why RUN [NODE]",
		Short: "Tell why a run or a node stands as it does",
		Long: "Tell what decided how a run or one of its nodes stands, each link of the chain with its place in a file.\n" +
			"NODE is a path such as stages.build.steps.unit, or an identifier that only one node has.",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.showWhy(cmd.Context(), args[0], strings.Join(args[1:], ""))
		},
	}
}

func (a *app) showWhy(ctx context.Context, run, node string) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	why, err := c.Why(ctx, run, node)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(why)
	}
	what := why.Kind + " " + why.Node
	if why.Node == "" {
		what = "run " + why.Run
	}
	if _, err := fmt.Fprintf(a.out, "%s %s: %s\n\n", a.theme.Symbol(why.Status), a.theme.Clean(what), a.theme.Status(why.Status)); err != nil {
		return err
	}
	for _, l := range why.Links {
		if err := a.showLink(l); err != nil {
			return err
		}
	}
	return nil
}

// showLink writes a link with its place below it.
func (a *app) showLink(l explain.Link) error {
	_, err := fmt.Fprintf(a.out, "%-10s %s\n", l.Of, a.theme.Clean(l.Text))
	if err == nil && l.Pos != "" {
		_, err = fmt.Fprintf(a.out, "%-10s %s\n", "", a.theme.Paint(screen.Dim, a.theme.Clean(l.Pos)))
	}
	return err
}
