package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/harness"
	"github.com/slipway-cd/slipway/shared/fault"
)

func (a *app) importing() *cobra.Command {
	var from, key, keyFile, account string
	cmd := &cobra.Command{
		Use:   "import DIR --from URL",
		Short: "Write the documents of a Harness account into a folder",
		Long: `Write the documents of a Harness account into a folder, a file each, as they are there: apply or restore keeps them here.
DIR must be new or empty. The key comes from --api-key-file or $HARNESS_API_KEY; it needs to see what is to be read. Secrets come without their
values: give them with slipway secrets set. What the key may not see or the account does not offer is said and passed over.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := apiKey(key, keyFile)
			if err != nil {
				return err
			}
			s, err := harness.New(from, text, account)
			if err != nil {
				return err
			}
			return a.importAll(cmd.Context(), s, args[0])
		},
	}
	cmd.Flags().StringVar(&from, "from", "https://app.harness.io", "where the account is, a `URL`")
	cmd.Flags().StringVar(&key, "api-key", "", "API `key` (a file is better: arguments can be seen by others)")
	cmd.Flags().StringVar(&keyFile, "api-key-file", "", "`file` that holds the API key")
	cmd.Flags().StringVar(&account, "account", "", "`identifier` of the account, when the key does not say it")
	return cmd
}

func apiKey(key, file string) (string, error) {
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", unreadable(file, err)
		}
		key = strings.TrimSpace(string(text))
	}
	if key == "" {
		key = os.Getenv("HARNESS_API_KEY")
	}
	if key == "" {
		return "", fault.New(fault.Invalid, "an API key is needed: --api-key-file, or $HARNESS_API_KEY")
	}
	return key, nil
}

func (a *app) importAll(ctx context.Context, s *harness.Source, dir string) error {
	f, err := newFolder(dir)
	if err != nil {
		return err
	}
	defer func() { _ = f.root.Close() }()
	missed := 0
	err = s.Walk(ctx, func(d harness.Document) error {
		return f.write(client.Place{Org: d.Org, Project: d.Project}, d.Kind, d.Parent, d.Identifier, d.Label, d.YAML)
	}, func(what string, err error) {
		missed++
		if err == nil {
			err = fault.New(fault.NotFound, "it has no document there")
		}
		fmt.Fprintf(a.err, "passed over: %s: %s\n", a.theme.Clean(what), a.theme.Clean(err.Error()))
	})
	if err != nil {
		return err
	}
	if a.json() {
		return a.print(map[string]any{"folder": dir, "documents": f.files, "passedOver": missed})
	}
	_, err = fmt.Fprintf(a.out, "%d documents in %s; keep them with: slipway restore %s\n", f.files, a.theme.Clean(dir), quoted(dir))
	return err
}
