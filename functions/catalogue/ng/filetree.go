package ng

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
)

// rootFolder is how the folder is called that all others of a scope are in.
const rootFolder = "Root"

// tree is the file store of a scope: what lies in which folder follows from what each
// file says of its parent.
type tree struct {
	at   core.Scope
	rows map[string]core.EntityRow // by identifier
}

func (d *door) tree(ctx context.Context, at core.Scope) (tree, error) {
	rows, _, err := d.Catalogue.List(ctx, entity.Query{Kind: core.EntityFile, Scope: at})
	t := tree{at, map[string]core.EntityRow{}}
	for _, r := range rows {
		t.rows[r.Identifier] = r.EntityRow
	}
	return t, err
}

func parentOf(r core.EntityRow) string { return r.Facts["parentIdentifier"] }

// path is where a file lies: /folder/name.
func (t tree) path(id string) string {
	var names []string
	for range len(t.rows) + 1 {
		row, ok := t.rows[id]
		if !ok {
			break
		}
		names, id = append(names, row.Name), parentOf(row)
	}
	slices.Reverse(names)
	return "/" + strings.Join(names, "/")
}

// in are the files of a folder, folders first and each by name.
func (t tree) in(folder string) []any {
	var rows []core.EntityRow
	for _, r := range t.rows {
		if parentOf(r) == folder {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b core.EntityRow) int {
		return cmp.Or(cmp.Compare(b.Type, a.Type), cmp.Compare(a.Name, b.Name))
	})
	out := []any{}
	for _, r := range rows {
		out = append(out, showFile(r, t))
	}
	return out
}

// below are a file and all that lies in it, the deepest first.
func (t tree) below(id string) []core.EntityRow {
	var out []core.EntityRow
	for _, r := range t.rows {
		if parentOf(r) == id {
			out = append(out, t.below(r.Identifier)...)
		}
	}
	if row, ok := t.rows[id]; ok {
		out = append(out, row)
	}
	return out
}

// fits refuses a file where it cannot lie.
func (t tree) fits(e core.Entity) error {
	parent := e.Facts["parentIdentifier"]
	folder, ok := t.rows[parent]
	switch {
	case parent == "":
		return fault.New(fault.Invalid, "parentIdentifier is needed: the folder's, or %s", rootFolder)
	case parent != rootFolder && !ok:
		return fault.New(fault.Invalid, "there is no folder %s: create it first", parent)
	case parent != rootFolder && folder.Type != "FOLDER":
		return fault.New(fault.Invalid, "%s is no folder", parent)
	}
	if slices.ContainsFunc(t.below(e.Identifier), func(r core.EntityRow) bool { return r.Identifier == parent }) {
		return fault.New(fault.Invalid, "folder %s cannot lie in itself", e.Identifier)
	}
	for _, r := range t.rows {
		if parentOf(r) == parent && r.Name == e.Name && r.Identifier != e.Identifier {
			return fault.New(fault.AlreadyExists, "there is a %s in %s already, with the identifier %s", e.Name, t.path(parent), r.Identifier)
		}
	}
	path := strings.TrimSuffix(t.path(parent), "/") + "/" + e.Name
	if len(path) > document.MaxPath {
		return fault.New(fault.TooLarge, "the path has %d bytes: at most %d are allowed", len(path), document.MaxPath)
	}
	return nil
}

// users are the documents that refer to one of these files by its path.
func (d *door) users(ctx context.Context, t tree, files []core.EntityRow) ([]core.EntityRef, error) {
	var out []core.EntityRef
	for _, f := range files {
		users, err := d.Catalogue.Users(ctx, document.FileRef(t.at, t.path(f.Identifier)))
		if err != nil {
			return nil, err
		}
		for _, u := range users {
			if !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
	}
	return out, nil
}

// staysPut refuses to call a file otherwise, or to move it, when documents refer to it,
// or to what lies in it, by its path.
func (d *door) staysPut(ctx context.Context, t tree, e core.Entity) error {
	if _, ok := t.rows[e.Identifier]; !ok {
		return nil
	}
	was, will := t.path(e.Identifier), strings.TrimSuffix(t.path(e.Facts["parentIdentifier"]), "/")+"/"+e.Name
	if was == will {
		return nil
	}
	used, err := d.users(ctx, t, t.below(e.Identifier))
	if err == nil && len(used) > 0 {
		err = fmt.Errorf("its path %s would become %s: %w", was, will, entity.InUse(e.EntityRef, used))
	}
	return err
}

// discard deletes a file, or a folder with all that lies in it.
func (d *door) discard(ctx context.Context, ref core.EntityRef, by entity.Change, force bool) error {
	t, err := d.tree(ctx, ref.Scope)
	if err != nil {
		return err
	}
	files := t.below(ref.Identifier)
	if _, ok := t.rows[ref.Identifier]; !ok {
		return fault.New(fault.NotFound, "there is no %s", ref)
	}
	used, err := d.users(ctx, t, files)
	if err != nil {
		return err
	}
	if len(used) > 0 && !force {
		return entity.InUse(ref, used)
	}
	for _, f := range files {
		change := entity.Change{By: by.By}
		if f.Identifier == ref.Identifier {
			change = by
		}
		if err := d.Catalogue.Delete(ctx, core.EntityRef{Kind: core.EntityFile, Scope: t.at, Identifier: f.Identifier}, change); err != nil {
			return err
		}
	}
	return nil
}
