package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/core"
)

func (a *app) delegates() *cobra.Command {
	return group("delegates", "List delegates, and let them in", &cobra.Command{
		Use:   "list",
		Short: "List the delegates the platform has seen",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.listDelegates(cmd.Context()) },
	}, &cobra.Command{
		Use:   "token NAME",
		Short: "Make a join token and print it, once (for admins)",
		Long: "Make a join token, with which delegates sign in, and print it. It is told this once: keep it where only\n" +
			"they can read it, and start them with --token-file. NAME is what lists and revoke call it.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.makeToken(cmd.Context(), "", args[0]) },
	}, &cobra.Command{
		Use:   "tokens",
		Short: "List the join tokens that were made (for admins)",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.listTokens(cmd.Context(), "") },
	}, &cobra.Command{
		Use:   "revoke NAME",
		Short: "Revoke a join token: its delegates are not let in any more (for admins)",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.revokeToken(cmd.Context(), "", args[0]) },
	})
}

func (a *app) listDelegates(ctx context.Context) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	list, err := c.Delegates(ctx)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		if list == nil {
			list = []client.Delegate{}
		}
		return a.print(map[string]any{"delegates": list})
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.out, "no delegate has called yet")
		return err
	}
	now := core.Millis(time.Now())
	rows := make([][]string, len(list))
	for i, d := range list {
		state := a.theme.Paint(screen.Bad, "away")
		if d.Connected {
			state = a.theme.Paint(screen.Good, "connected")
		}
		rows[i] = []string{a.theme.Clean(d.Name), state, d.ID, a.theme.Clean(d.Host), d.Version, strings.Join(d.Tags, ","),
			strconv.Itoa(len(d.Holds)), screen.Duration(now-d.Beat) + " ago"}
	}
	return a.theme.Table(a.out, []string{"NAME", "STATE", "ID", "HOST", "VERSION", "TAGS", "HAS", "SEEN"}, rows)
}
