package cli

import (
	"context"
	"fmt"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/screen"
)

// makeToken makes a token of a user, or a join token, and prints nothing else on
// standard output, so that it can go into a file.
func (a *app) makeToken(ctx context.Context, user, name string) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	made, err := c.MakeToken(ctx, user, name)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(made)
	}
	if screen.Terminal(a.out) {
		fmt.Fprintln(a.err, "this is told once; keep it where only its owner can read it:")
	}
	_, err = fmt.Fprintln(a.out, made.Text)
	return err
}

func (a *app) listTokens(ctx context.Context, user string) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	list, err := c.Tokens(ctx, user)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(map[string]any{"tokens": append([]client.Token{}, list...)})
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.out, "no token was made")
		return err
	}
	rows := make([][]string, len(list))
	for i, x := range list {
		state := a.theme.Paint(screen.Good, "in use")
		if x.Revoked != 0 {
			state = a.theme.Paint(screen.Bad, "revoked") + " " + screen.Clock(x.Revoked) + " by " + a.theme.Clean(x.RevokedBy)
		}
		rows[i] = []string{a.theme.Clean(x.Name), screen.Clock(x.Created), a.theme.Clean(x.By), state}
	}
	return a.theme.Table(a.out, []string{"NAME", "MADE", "BY", "STATE"}, rows)
}

func (a *app) revokeToken(ctx context.Context, user, name string) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	gone, err := c.RevokeToken(ctx, user, name)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(gone)
	}
	_, err = fmt.Fprintf(a.out, "revoked: %s\n", a.theme.Clean(gone.Name))
	return err
}
