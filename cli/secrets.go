package cli

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// maxSecret bounds a secret's value, in bytes (core.Secrets).
const maxSecret = 64 << 10

func (a *app) secrets() *cobra.Command {
	var file string
	set := &cobra.Command{
		Use:   "set REF",
		Short: "Give a secret a value, from a file or standard input",
		Long: "Give a secret a value. REF is what pipelines call it: x, org.x or account.x. The value comes from --file,\n" +
			"else from standard input; on a terminal it is asked for and not shown. It cannot be read back.\n" +
			"The line end behind a single line is left out.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.setSecret(cmd.Context(), args[0], file) },
	}
	set.Flags().StringVar(&file, "file", "", "`file` that holds the value")
	return group("secrets", "Give secrets their values (for admins)", &cobra.Command{
		Use:   "list",
		Short: "List the secrets that were given a value",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.listSecrets(cmd.Context()) },
	}, set, &cobra.Command{
		Use:   "remove REF",
		Short: "Remove a secret",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.removeSecret(cmd.Context(), args[0]) },
	})
}

func (a *app) setSecret(ctx context.Context, ref, file string) error {
	value, err := a.secretValue(ref, file)
	if err != nil {
		return err
	}
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	stored, err := c.SetSecret(ctx, ref, value, a.place())
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(stored)
	}
	_, err = fmt.Fprintf(a.out, "stored: %s\n", a.theme.Clean(stored.Ref))
	return err
}

// secretValue reads a value. What is no text is refused here as well as by the
// platform: what stands between may mend it first.
func (a *app) secretValue(ref, file string) ([]byte, error) {
	name, in := "standard input", a.in
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return nil, unreadable(file, err)
		}
		defer func() { _ = f.Close() }()
		name, in = file, f
	}
	var value []byte
	var err error
	if tty, ok := in.(*os.File); ok && file == "" && screen.Terminal(tty) {
		fmt.Fprintf(a.err, "value of %s: ", ref)
		value, err = screen.Hidden(tty)
		fmt.Fprintln(a.err)
	} else {
		value, err = io.ReadAll(io.LimitReader(in, maxSecret+3)) // a line end is not counted
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	switch value = withoutLineEnd(value); {
	case len(value) == 0:
		return nil, fault.New(fault.Invalid, "%s is empty: a secret has a value", name)
	case len(value) > maxSecret:
		return nil, fault.New(fault.TooLarge, "%s: a secret may have %d KB", name, maxSecret>>10)
	case !utf8.Valid(value):
		return nil, fault.New(fault.Invalid, "%s is not UTF-8 text: encode it, as base64, and decode it where it is used", name)
	}
	return value, nil
}

// place names the organization and project of --org and --project, nothing for
// the default ones.
func (a *app) place() url.Values {
	q := url.Values{}
	for name, v := range map[string][2]string{"orgIdentifier": {a.flags.org, core.DefaultOrg}, "projectIdentifier": {a.flags.project, core.DefaultProject}} {
		if v[0] != v[1] {
			q.Set(name, v[0])
		}
	}
	return q
}

func (a *app) listSecrets(ctx context.Context) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	list, err := c.Secrets(ctx)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(map[string]any{"secrets": append([]core.SecretEntry{}, list...)})
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.out, "no secret was given a value")
		return err
	}
	rows := make([][]string, len(list))
	for i, s := range list {
		rows[i] = []string{a.theme.Clean(s.Ref), screen.Clock(s.Updated), a.theme.Clean(s.By)}
	}
	return a.theme.Table(a.out, []string{"REFERENCE", "SET", "BY"}, rows)
}

func (a *app) removeSecret(ctx context.Context, ref string) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	if err := c.RemoveSecret(ctx, ref, a.place()); err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(map[string]any{"ref": ref, "removed": true})
	}
	_, err = fmt.Fprintf(a.out, "removed: %s\n", ref)
	return err
}
