package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/screen"
)

func (a *app) history() *cobra.Command {
	var n identified
	var full bool
	cmd := &cobra.Command{
		Use:   "history KIND ID",
		Short: "Show who changed a document, when and how",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := n.ref(a.flags, args[0], args[1])
			if err != nil {
				return err
			}
			return a.showHistory(cmd.Context(), r, full)
		},
	}
	cmd.Flags().BoolVar(&full, "diff", false, "show what each change changed")
	n.register(cmd)
	return cmd
}

func (a *app) showHistory(ctx context.Context, r client.EntityRef, full bool) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	changes, err := c.History(ctx, r)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(map[string]any{"changes": append([]client.Change{}, changes...)})
	}
	if !full {
		rows := make([][]string, len(changes))
		for i, ch := range changes {
			rows[i] = []string{strconv.FormatInt(ch.Version, 10), strings.ToLower(ch.Action), screen.Clock(ch.At), a.theme.Clean(ch.By)}
		}
		return a.theme.Table(a.out, []string{"VERSION", "CHANGE", "WHEN", "BY"}, rows)
	}
	for i, ch := range changes {
		before := ""
		if i+1 < len(changes) {
			before = changes[i+1].YAML
		}
		head := fmt.Sprintf("version %d, %s by %s, %s", ch.Version, strings.ToLower(ch.Action), ch.By, screen.Clock(ch.At))
		if _, err := fmt.Fprintf(a.out, "%s\n%s\n", a.theme.Paint(screen.Bold, a.theme.Clean(head)), a.theme.Diff(r.ID, before, ch.YAML)); err != nil {
			return err
		}
	}
	return nil
}
