package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
)

func (a *app) backup() *cobra.Command {
	return &cobra.Command{
		Use:   "backup DIR",
		Short: "Write every document of the account into a folder",
		Long: `Write every document of the account into a folder: those of the account itself, of its organizations and of their projects,
as they were written, in a file each. DIR must be new or empty. Secrets are written without their values, which nobody can read; runs,
users and histories are not written. restore keeps them again, here or on another platform.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.backUp(cmd.Context(), args[0]) },
	}
}

func (a *app) restore() *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "restore DIR",
		Short: "Keep every document of a backup",
		Long: `Keep every document of a backup, as apply does: what is the same is left as it is, what is there and in no backup stays.
Secrets that are new have no value until they are given one: slipway secrets set.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.applyAll(cmd.Context(), args, placeIn(args[0]), applying{dry: dry})
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would change, and change nothing")
	return cmd
}

// placeIn is where the documents of a backup were, by their path in it.
func placeIn(dir string) func(file string) client.Place {
	return func(file string) client.Place {
		var at client.Place
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return at
		}
		for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
			if org, ok := strings.CutPrefix(part, "org-"); ok {
				at.Org = org
			}
			if project, ok := strings.CutPrefix(part, "project-"); ok {
				at.Project = project
			}
		}
		return at
	}
}

// folder is where documents are written, a file each.
type folder struct {
	root  *os.Root
	name  string
	files int
}

// newFolder makes a folder, which must be new or empty.
func newFolder(name string) (*folder, error) {
	if err := os.MkdirAll(name, 0o750); err != nil {
		return nil, fault.New(fault.Invalid, "%s cannot be made: %w", name, err)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err == nil && len(entries) > 0 {
		err = fault.New(fault.Invalid, "%s is not empty: name a new folder", name)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &folder{root: root, name: name}, nil
}

// write puts a document where its scope, kind and identifier say.
func (f *folder) write(at client.Place, kind, parent, id, label, text string) error {
	parts := []string{}
	if at.Org != "" {
		parts = append(parts, "org-"+at.Org)
	}
	if at.Project != "" {
		parts = append(parts, "project-"+at.Project)
	}
	file := id
	if label != "" {
		file += "@" + label
	}
	if parent != "" {
		file = parent + "." + file
	}
	name := path.Join(append(append(parts, kind), strings.Map(plainName, file)+".yaml")...)
	if err := f.root.MkdirAll(path.Dir(name), 0o750); err != nil {
		return fault.New(fault.Invalid, "%s cannot be made: %w", path.Join(f.name, path.Dir(name)), err)
	}
	if _, err := f.root.Stat(name); err == nil {
		return fault.New(fault.AlreadyExists, "%s is there already: two documents have one name", path.Join(f.name, name))
	}
	f.files++
	return f.root.WriteFile(name, []byte(text), 0o644)
}

// plainName keeps what every file system takes.
func plainName(r rune) rune {
	if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
		return '_'
	}
	return r
}

func (a *app) backUp(ctx context.Context, dir string) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	f, err := newFolder(dir)
	if err != nil {
		return err
	}
	defer func() { _ = f.root.Close() }()
	if err := a.backUpPlace(ctx, c, f, client.Place{}); err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(map[string]any{"folder": dir, "documents": f.files})
	}
	_, err = fmt.Fprintf(a.out, "%d documents in %s\n", f.files, a.theme.Clean(dir))
	return err
}

// backUpPlace writes what lives in a place, and then what lives below it.
func (a *app) backUpPlace(ctx context.Context, c *client.Client, f *folder, at client.Place) error {
	for _, kind := range document.Kinds() {
		all, err := c.Entities(ctx, string(kind), at, "")
		if err != nil {
			return err
		}
		for _, e := range all {
			// Some kinds are their home's wherever they are asked for.
			if e.Org != at.Org || e.Project != at.Project {
				continue
			}
			full, err := c.Entity(ctx, client.EntityRef{Place: at, Kind: e.Kind, ID: e.Identifier, Parent: e.Parent, Label: e.Label})
			if err != nil {
				return err
			}
			if err := f.write(at, e.Kind, e.Parent, e.Identifier, e.Label, full.YAML); err != nil {
				return err
			}
			switch e.Kind {
			case "organization":
				err = a.backUpPlace(ctx, c, f, client.Place{Org: e.Identifier})
			case "project":
				err = a.backUpPlace(ctx, c, f, client.Place{Org: at.Org, Project: e.Identifier})
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
