package cli

import (
	"context"
	"encoding/json"
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
		Short: "Write what the account keeps into a folder",
		Long: `Write what the account keeps into a folder: every document of the account itself, of its organizations and of their projects, as it was
written, in a file each; files of the file store; users, user groups, service accounts, their API keys, and saved filters. DIR must be new or
empty. restore keeps it all again, here or on another platform. Left out are values of secrets and of tokens, which nobody can read, users' own
API keys, delegates' tokens, other people's private filters, runs, and the history of changes.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.backUp(cmd.Context(), args[0]) },
	}
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
	// before: it may hold files that are written anew; made are those that were.
	before bool
	made   map[string]bool
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
	return f.create(documentPath(at, kind, parent, id, label), []byte(text))
}

func documentPath(at client.Place, kind, parent, id, label string) string {
	file := id
	if label != "" {
		file += "@" + label
	}
	if parent != "" {
		file = parent + "." + file
	}
	return pathOf(at, kind, file+".yaml")
}

// writeJSON puts what is no document where its scope, kind and key say.
func (f *folder) writeJSON(at client.Place, kind, key string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return f.put(at, kind, key+".json", append(text, '\n'))
}

// put writes a file of a kind in a scope.
func (f *folder) put(at client.Place, kind, file string, content []byte) error {
	return f.create(pathOf(at, kind, file), content)
}

// pathOf is where a file of a kind in a scope goes.
func pathOf(at client.Place, kind, file string) string {
	parts := []string{}
	if at.Org != "" {
		parts = append(parts, "org-"+at.Org)
	}
	if at.Project != "" {
		parts = append(parts, "project-"+at.Project)
	}
	return path.Join(append(append(parts, kind), strings.Map(plainName, file))...)
}

// create writes a file whole or not at all. One that is there is another's of the same
// name, unless it was there before.
func (f *folder) create(name string, content []byte) error {
	if err := f.root.MkdirAll(path.Dir(name), 0o750); err != nil {
		return fault.New(fault.Invalid, "%s cannot be made: %w", path.Join(f.name, path.Dir(name)), err)
	}
	if _, err := f.root.Stat(name); err == nil && (!f.before || f.made[name]) {
		return fault.New(fault.AlreadyExists, "%s is there already: two documents have one name", path.Join(f.name, name))
	}
	if f.made == nil {
		f.made = map[string]bool{}
	}
	f.made[name] = true
	if !strings.HasSuffix(name, ".content") { // it is of the file beside it
		f.files++
	}
	err := f.root.WriteFile(name+".part", content, 0o644)
	if err == nil {
		err = f.root.Rename(name+".part", name)
	}
	if err != nil {
		return fault.New(fault.Invalid, "%s cannot be written: %w", path.Join(f.name, name), err)
	}
	return nil
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
	b := &backing{client: c, folder: f}
	if err := b.everything(ctx); err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(map[string]any{"folder": dir, "documents": b.documents, "others": f.files - b.documents - 1, "secretsWithoutValue": b.manifest.Secrets})
	}
	if _, err = fmt.Fprintf(a.out, "%d documents in %s\n", b.documents, a.theme.Clean(dir)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "and %d files, users, groups, service accounts, API keys and filters\nleft out: the values of %d secrets, tokens, delegates' tokens, private filters of others, runs, histories\n",
		f.files-b.documents-1, len(b.manifest.Secrets))
	return err
}

// backing is one backup.
type backing struct {
	client    *client.Client
	folder    *folder
	manifest  manifest
	documents int
}

func (b *backing) everything(ctx context.Context) error {
	b.manifest = manifest{Format: backupFormat}
	users, err := b.client.Users(ctx)
	if err != nil {
		return err
	}
	for _, u := range users {
		u.Updated, u.By = 0, ""
		if err := b.folder.writeJSON(client.Place{}, "user", u.ID, u); err != nil {
			return err
		}
	}
	if err := b.place(ctx, client.Place{}); err != nil {
		return err
	}
	return b.folder.writeJSON(client.Place{}, "", "backup", b.manifest)
}

// place writes what lives in a place, and then what lives below it.
func (b *backing) place(ctx context.Context, at client.Place) error {
	for _, kind := range document.Kinds() {
		all, err := b.client.Entities(ctx, string(kind), at, "")
		if err != nil {
			return err
		}
		for _, e := range all {
			// Some kinds are their home's wherever they are asked for.
			if e.Org != at.Org || e.Project != at.Project {
				continue
			}
			if err := b.document(ctx, at, e); err != nil {
				return err
			}
			switch e.Kind {
			case "organization":
				err = b.place(ctx, client.Place{Org: e.Identifier})
			case "project":
				err = b.place(ctx, client.Place{Org: at.Org, Project: e.Identifier})
			}
			if err != nil {
				return err
			}
		}
	}
	items, err := besides(ctx, b.client, at)
	if err != nil {
		return err
	}
	for _, it := range items {
		if err := b.folder.writeJSON(at, it.kind, it.key(), it.fields); err != nil {
			return err
		}
		if it.content == nil {
			continue
		}
		if err := b.folder.put(at, it.kind, it.key()+".content", it.content); err != nil {
			return err
		}
	}
	return nil
}

// document writes one, and notes what is kept of it beside its text.
func (b *backing) document(ctx context.Context, at client.Place, e client.Entity) error {
	full, err := b.client.Entity(ctx, client.EntityRef{Place: at, Kind: e.Kind, ID: e.Identifier, Parent: e.Parent, Label: e.Label})
	if err != nil {
		return err
	}
	b.manifest.note(full)
	b.documents++
	return b.folder.write(at, e.Kind, e.Parent, e.Identifier, e.Label, full.YAML)
}
