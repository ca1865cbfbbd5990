package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/shared/fault"
)

func (a *app) approvals() *cobra.Command {
	var user string
	link := &cobra.Command{
		Use:   "link ID --user USER",
		Short: "Print a signed link with which one user decides an approval once",
		Long: "Print a signed link with which one user decides an approval once, without signing in.\n" +
			"ID is the approval's, or the run's when exactly one approval waits in it. Send it to that user alone.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.link(cmd.Context(), args[0], user) },
	}
	link.Flags().StringVar(&user, "user", "", "`who` may decide with it")
	return group("approvals", "Make approval links", link)
}

func (a *app) link(ctx context.Context, id, user string) error {
	if user == "" {
		return fault.New(fault.Invalid, "for whom? --user USER")
	}
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	approval, err := a.waiting(ctx, c, t, id)
	if err != nil {
		return err
	}
	link, raw, err := c.Link(ctx, approval.ID, user)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(raw)
	}
	_, err = fmt.Fprintln(a.out, link)
	return err
}
