package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/meter"
)

func (a *app) cost() *cobra.Command {
	var causes bool
	cmd := &cobra.Command{
		Use:   "cost RUN",
		Short: "Show what a run has used and what that costs",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.showCost(cmd.Context(), args[0], causes) },
	}
	cmd.Flags().BoolVar(&causes, "causes", false, "say what for, not only of which service")
	return cmd
}

func (a *app) showCost(ctx context.Context, run string, causes bool) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	cost, err := c.Cost(ctx, run)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(cost)
	}
	what := "run %s has cost at least\n\n"
	if cost.Estimated {
		what = "what run %s would have cost on AWS\n\n"
	}
	if _, err := fmt.Fprintf(a.out, what, cost.Run); err != nil {
		return err
	}
	head, rows := []string{"SERVICE", "UNIT", "QUANTITY", "PRICE", "USD"}, [][]string{}
	if causes {
		head = append([]string{"CAUSE"}, head...)
		for _, r := range cost.Rows {
			rows = append(rows, append([]string{r.Cause}, costRow(r)...))
		}
	} else {
		for _, r := range cost.ByService() {
			rows = append(rows, costRow(r))
		}
	}
	if err := a.theme.Table(a.out, head, rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "\n%s  %.6f USD%s\nlist prices of %s, %s; other regions differ\n", a.theme.Paint(screen.Bold, "total"),
		cost.Dollars, a.budget(cost.Budget), cost.Region, cost.Date)
	return err
}

func costRow(r meter.Row) []string {
	price := strconv.FormatFloat(r.Price, 'g', -1, 64)
	if r.Per != 1 {
		price += " for " + strconv.FormatFloat(r.Per, 'f', -1, 64)
	}
	return []string{r.Service, r.Unit, strconv.FormatFloat(r.Quantity, 'g', 4, 64), price, strconv.FormatFloat(r.Dollars, 'f', 8, 64)}
}

// budget says how a run stands to what it may cost.
func (a *app) budget(b *meter.Allowed) string {
	switch {
	case b == nil:
		return ""
	case b.Over:
		return a.theme.Paint(screen.Bad, fmt.Sprintf(", over the budget of %g USD (%s)", b.Dollars, b.Action))
	}
	return fmt.Sprintf(", of a budget of %g USD (%s)", b.Dollars, b.Action)
}
