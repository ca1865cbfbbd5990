package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/core"
)

func (a *app) users() *cobra.Command {
	return group("users", "Say who may sign in, and with what (for admins)", &cobra.Command{
		Use:   "list",
		Short: "List users",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.listUsers(cmd.Context()) },
	}, a.setUser(), &cobra.Command{
		Use:   "remove ID",
		Short: "Remove a user; their tokens end",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.removeUser(cmd.Context(), args[0]) },
	}, &cobra.Command{
		Use:   "token ID NAME",
		Short: "Make a token of a user and print it, once",
		Long: "Make a token with which a user calls the platform, and print it. It is told this once.\n" +
			"NAME is what lists and revoke call it.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.makeToken(cmd.Context(), args[0], args[1]) },
	}, &cobra.Command{
		Use:   "tokens ID",
		Short: "List the tokens that were made of a user",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.listTokens(cmd.Context(), args[0]) },
	}, &cobra.Command{
		Use:   "revoke ID NAME",
		Short: "Revoke a token of a user",
		Args:  cobra.ExactArgs(2),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.revokeToken(cmd.Context(), args[0], args[1]) },
	})
}

func (a *app) listUsers(ctx context.Context) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	list, err := c.Users(ctx)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(map[string]any{"users": append([]core.User{}, list...)})
	}
	rows := make([][]string, len(list))
	for i, u := range list {
		admin := ""
		if u.Admin {
			admin = a.theme.Paint(screen.Bold, "admin")
		}
		rows[i] = []string{a.theme.Clean(u.ID), a.theme.Clean(u.Name), a.theme.Clean(u.Email), admin, a.theme.Clean(strings.Join(u.Groups, ","))}
	}
	return a.theme.Table(a.out, []string{"ID", "NAME", "EMAIL", "ADMIN", "GROUPS"}, rows)
}

func (a *app) setUser() *cobra.Command {
	var u core.User
	cmd := &cobra.Command{
		Use:   "set ID",
		Short: "Make a user, or change one",
		Long:  "Make a user, or change one: what no flag is given for stays as it is. Groups are given all at once.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			u.ID = args[0]
			return a.changeUser(cmd.Context(), u, cmd.Flags().Changed)
		},
	}
	cmd.Flags().StringVar(&u.Name, "name", "", "the user's `name`, for people")
	cmd.Flags().StringVar(&u.Email, "email", "", "e-mail `address`")
	cmd.Flags().StringSliceVar(&u.Groups, "group", nil, "`group` the user is in (repeatable; '' for none)")
	cmd.Flags().BoolVar(&u.Admin, "admin", false, "may do everything; --admin=false ends that")
	return cmd
}

// changeUser stores what given flags say over what there is.
func (a *app) changeUser(ctx context.Context, u core.User, given func(flag string) bool) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	list, err := c.Users(ctx)
	if err != nil {
		return t.reached(err)
	}
	now := core.User{ID: u.ID}
	if i := slices.IndexFunc(list, func(x core.User) bool { return x.ID == u.ID }); i >= 0 {
		now = list[i]
	}
	for flag, take := range map[string]func(){
		"name": func() { now.Name = u.Name }, "email": func() { now.Email = u.Email }, "admin": func() { now.Admin = u.Admin },
		"group": func() { now.Groups = slices.DeleteFunc(u.Groups, func(g string) bool { return g == "" }) },
	} {
		if given(flag) {
			take()
		}
	}
	stored, err := c.SetUser(ctx, now)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(stored)
	}
	_, err = fmt.Fprintf(a.out, "stored: %s\n", a.theme.Clean(stored.ID))
	return err
}

func (a *app) removeUser(ctx context.Context, id string) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	if err := c.RemoveUser(ctx, id); err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(map[string]any{"id": id, "removed": true})
	}
	_, err = fmt.Fprintf(a.out, "removed: %s\n", id)
	return err
}
