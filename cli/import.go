package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/harness"
	"github.com/slipway-cd/slipway/shared/fault"
)

func (a *app) importCommand() *cobra.Command {
	var from, key, keyFile, account string
	cmd := &cobra.Command{
		Use:   "import DIR --from URL",
		Short: "Write the documents of a Harness account into a folder",
		Long: `Write the documents of a Harness account into a folder, a file each, as they are there: apply or restore keeps them here.
DIR must be new or empty, or hold a part of the same import: what was read is not read again. The key comes from --api-key-file or
$HARNESS_API_KEY; it needs to see what is to be read. Secrets come without their values: restore lists them. What the key may not see, what the
account does not offer and what is kept in Git alone is said and passed over. Users, groups, roles, service accounts and delegates are not read.`,
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
			return a.importAll(cmd.Context(), s, args[0], fmt.Sprintf("%s of %s\n", s.Account(), from))
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

func (a *app) importAll(ctx context.Context, s *harness.Source, dir, mark string) error {
	f, err := importFolder(dir, mark)
	if err != nil {
		return err
	}
	defer func() { _ = f.root.Close() }()
	im := &importing{folder: f, manifest: manifest{Format: backupFormat}}
	missed := 0
	err = s.Walk(ctx, im.have, im.write, func(what string, err error) {
		missed++
		fmt.Fprintf(a.err, "passed over: %s: %s\n", a.theme.Clean(what), a.theme.Clean(err.Error()))
	})
	if err != nil && im.documents+im.files == 0 {
		_ = f.root.Remove(unfinished)
		return err
	}
	if err != nil {
		return fault.New(fault.KindOf(err), "%w\nwhat was read is in %s: run the same command again to go on", err, dir)
	}
	if err := f.writeJSON(client.Place{}, "", "backup", im.manifest); err != nil {
		return err
	}
	if err := f.root.Remove(unfinished); err != nil {
		return unreadable(dir, err)
	}
	if a.json() {
		return a.print(map[string]any{"folder": dir, "documents": im.documents, "files": im.files, "passedOver": missed, "secretsWithoutValue": im.manifest.Secrets})
	}
	if im.files > 0 {
		fmt.Fprintf(a.out, "%d files of the file store\n", im.files)
	}
	if missed > 0 {
		fmt.Fprintf(a.out, "%d passed over, as said above\n", missed)
	}
	_, err = fmt.Fprintf(a.out, "%d documents in %s; keep them with: slipway restore %s\n", im.documents, a.theme.Clean(dir), quoted(dir))
	return err
}

// unfinished is a file that says of which account a folder holds a part.
const unfinished = "import-unfinished"

// importFolder is a new folder, or one in which an import of the same account was cut
// short.
func importFolder(dir, mark string) (*folder, error) {
	if text, err := os.ReadFile(filepath.Join(dir, unfinished)); err == nil {
		if string(text) != mark {
			return nil, fault.New(fault.Invalid, "%s holds a part of another import, %s: name a new folder", dir, strings.TrimSpace(string(text)))
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, unreadable(dir, err)
		}
		return &folder{root: root, name: dir, before: true}, nil
	}
	f, err := newFolder(dir)
	if err != nil {
		return nil, err
	}
	return f, f.root.WriteFile(unfinished, []byte(mark), 0o644)
}

// importing is one import.
type importing struct {
	folder           *folder
	manifest         manifest
	documents, files int
}

func (im *importing) place(d harness.Document) client.Place {
	return client.Place{Org: d.Org, Project: d.Project}
}

// have reports whether an import that was cut short has read a document.
func (im *importing) have(d harness.Document) bool {
	if !im.folder.before {
		return false
	}
	if d.Kind == fileKind {
		return false // its content may be half of it
	}
	text, err := im.folder.root.ReadFile(documentPath(im.place(d), d.Kind, d.Parent, d.Identifier, d.Label))
	if err != nil {
		return false
	}
	d.YAML = string(text)
	im.note(d)
	return true
}

func (im *importing) note(d harness.Document) {
	im.documents++
	im.manifest.note(client.Entity{Kind: d.Kind, Identifier: d.Identifier, Org: d.Org, Project: d.Project, Label: d.Label, Stable: d.Stable, Color: d.Color, YAML: d.YAML})
}

func (im *importing) write(d harness.Document) error {
	if d.Kind != fileKind {
		im.note(d)
		return im.folder.write(im.place(d), d.Kind, d.Parent, d.Identifier, d.Label, d.YAML)
	}
	im.files++
	i := slices.IndexFunc(besideKinds, func(k besideKind) bool { return k.kind == fileKind })
	b := besideKinds[i].take(d.Item)
	if d.Content != nil {
		if err := im.folder.put(im.place(d), b.kind, b.key()+".content", d.Content); err != nil {
			return err
		}
	}
	return im.folder.writeJSON(im.place(d), b.kind, b.key(), b.fields)
}
