package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/fault"
)

func (a *app) login() *cobra.Command {
	return &cobra.Command{
		Use:   "login --server URL",
		Short: "Store a platform and a token for later commands",
		Long: "Store a platform and a token, once the platform has accepted it. Without --token, --token-file and\n" +
			"SLIPWAY_TOKEN the token is read from standard input.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.logIn(cmd.Context()) },
	}
}

func (a *app) logIn(ctx context.Context) error {
	c := config{Server: a.flags.server}
	if c.Server == "" {
		c.Server = os.Getenv("SLIPWAY_SERVER")
	}
	if c.Server == "" {
		return fault.New(fault.Invalid, "which platform? slipway login --server URL")
	}
	var err error
	c.Token, err = a.tokenOr(func() (string, error) {
		if t := os.Getenv("SLIPWAY_TOKEN"); t != "" {
			return t, nil
		}
		if screen.Terminal(a.in) {
			fmt.Fprintf(a.err, "token for %s: ", c.Server)
		}
		line, err := bufio.NewReader(a.in).ReadString('\n')
		if line = strings.TrimSpace(line); line == "" {
			return "", fault.New(fault.Invalid, "no token was given: %w", err)
		}
		return line, nil
	})
	if err != nil {
		return err
	}
	server, err := client.New(c.Server, c.Token, "")
	if err != nil {
		return err
	}
	if err := server.Check(ctx); err != nil {
		return target{from: "--server"}.reached(err)
	}
	path, err := c.write()
	if err != nil {
		return err
	}
	if a.json() {
		return a.print(map[string]string{"server": c.Server, "config": path})
	}
	_, err = fmt.Fprintf(a.out, "logged in to %s (stored in %s)\n", c.Server, path)
	return err
}
