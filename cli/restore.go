package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
)

func (a *app) restore() *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "restore DIR",
		Short: "Keep everything of a backup",
		Long: `Keep everything of a backup, as apply does: what is the same is left as it is, what is there and in no backup stays. Users who are there
already are left as they are. Secrets that are new have no value until they are given one: they are listed, for slipway secrets set. New users and
API keys have no tokens: slipway users token makes them.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.restoreAll(cmd.Context(), args[0], dry) },
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would change, and change nothing")
	return cmd
}

func (a *app) restoreAll(ctx context.Context, dir string, dry bool) error {
	m, err := readManifest(dir)
	if err != nil {
		return err
	}
	items, err := readBeside(dir)
	if err != nil {
		return err
	}
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	r := &restoring{app: a, client: c, dry: dry, counts: map[string]int{}}
	if err := r.users(ctx, dir); err != nil {
		return t.reached(err)
	}
	var empty []string
	failed := a.applyAll(ctx, []string{dir}, placeIn(dir), applying{dry: dry, stable: m.stable, color: m.color, kept: func(w written, d applied) {
		if d.Action == "created" && withoutValue(w) {
			empty = append(empty, secretName(w.entity.EntityRef))
		}
	}})
	if _, told := errors.AsType[*ended](failed); failed != nil && !told {
		return failed
	}
	if err := r.beside(ctx, items); err != nil {
		return t.reached(err)
	}
	if !a.json() {
		a.sumBeside(r.counts, empty)
	}
	if failed == nil && r.counts["failed"] > 0 {
		failed = &ended{exitFailed}
	}
	return failed
}

// withoutValue reports whether a document is of a secret whose value it does not say.
func withoutValue(w written) bool {
	if !document.HasValue(*w.entity) {
		return false
	}
	_, value, err := document.TakeValue(w.text)
	return err == nil && value == nil
}

// secretName is how slipway secrets set calls a secret, with where it lives.
func secretName(r core.EntityRef) string {
	switch s := r.Scope; {
	case s.Org == "":
		return "account." + r.Identifier
	case s.Project == "":
		return "--org " + s.Org + " org." + r.Identifier
	default:
		return "--org " + s.Org + " --project " + s.Project + " " + r.Identifier
	}
}

func (a *app) sumBeside(counts map[string]int, empty []string) {
	var parts []string
	for _, what := range []string{"created", "changed", "unchanged", "failed"} {
		if counts[what] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[what], what))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintln(a.out, "files, users, groups, service accounts, API keys and filters: "+strings.Join(parts, ", "))
	}
	if len(empty) > 0 {
		fmt.Fprintln(a.out, "these secrets have no value yet; give each of them one:")
	}
	for _, name := range empty {
		fmt.Fprintln(a.out, "  slipway secrets set "+a.theme.Clean(name))
	}
}

// restoring is one restore of what is beside documents.
type restoring struct {
	app    *app
	client *client.Client
	dry    bool
	counts map[string]int
	there  map[string]bool // users
}

// users makes those who are not there. Those who are stay as they are: who may do what
// is not a backup's to change.
func (r *restoring) users(ctx context.Context, dir string) error {
	wanted, err := readUsers(dir)
	if err != nil {
		return err
	}
	have, err := r.client.Users(ctx)
	if err != nil {
		return err
	}
	r.there = map[string]bool{}
	for _, u := range have {
		r.there[u.ID] = true
	}
	for _, u := range wanted {
		what, err := "unchanged", error(nil)
		if !r.there[u.ID] {
			what = "created"
			if !r.dry {
				_, err = r.client.SetUser(ctx, u)
			}
		}
		if err := r.show(what, "user", u.ID, client.Place{}, err); err != nil {
			return err
		}
		r.there[u.ID] = true
	}
	return nil
}

// beside keeps what is not the same as there.
func (r *restoring) beside(ctx context.Context, items []placedBeside) error {
	have := map[client.Place]map[string]beside{}
	for _, it := range items {
		if have[it.at] == nil {
			have[it.at] = map[string]beside{}
			all, err := besides(ctx, r.client, it.at)
			if err != nil && !r.dry { // the place itself may be about to be made
				return err
			}
			for _, b := range all {
				have[it.at][b.kind+"/"+b.key()] = b
			}
		}
		b := r.peopled(it.beside)
		old, replace := have[it.at][b.kind+"/"+b.key()]
		what, err := "created", error(nil)
		switch {
		case replace && old.same(b):
			what = "unchanged"
		case replace:
			what = "changed"
		}
		if what != "unchanged" && !r.dry {
			_, err = patiently(ctx, func() (struct{}, error) { return struct{}{}, b.keep(ctx, r.client, it.at, replace) })
		}
		if err := r.show(what, b.kind, b.key(), it.at, err); err != nil {
			return err
		}
	}
	return nil
}

// peopled leaves out of a group who is no user here.
func (r *restoring) peopled(b beside) beside {
	users, ok := b.fields["users"].([]any)
	if !ok || b.kind != "userGroup" {
		return b
	}
	var known []any
	for _, u := range users {
		if id, _ := u.(string); r.there[id] {
			known = append(known, u)
		}
	}
	b.fields["users"] = known
	return b
}

// show tells what became of one. A failure concerns it alone, unless the platform went away.
func (r *restoring) show(what, kind, key string, at client.Place, err error) error {
	if platformGone(err) {
		return err
	}
	if err != nil {
		what = "failed"
	}
	r.counts[what]++
	if r.app.json() {
		out := map[string]any{"kind": kind, "identifier": key, "org": at.Org, "project": at.Project, "action": what}
		if err != nil {
			out["error"] = err.Error()
		}
		return r.app.print(out)
	}
	if what == "unchanged" {
		return nil
	}
	ink := map[string]screen.Ink{"created": screen.Good, "changed": screen.Busy, "failed": screen.Bad}[what]
	line := fmt.Sprintf("%-9s %s %s", what, kind, key)
	if err != nil {
		line += ": " + err.Error()
	}
	_, err = fmt.Fprintln(r.app.out, r.app.theme.Paint(ink, r.app.theme.Clean(line)))
	return err
}
