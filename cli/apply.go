package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
)

// placed are the flags of commands that keep and find documents.
type placed struct {
	account string
	command *cobra.Command
}

func (p *placed) register(cmd *cobra.Command) {
	p.command = cmd
	cmd.Flags().StringVar(&p.account, "account", "", "the `account`: without --org and --project, what lives in it itself")
}

// at is where documents are that do not say so themselves: the project of --org and
// --project; with --org alone the organization, with --account alone the account.
func (p *placed) at(f flags) client.Place {
	given := func(name string) bool { return p.command.Flags().Changed(name) }
	at := client.Place{Account: p.account, Org: f.org, Project: f.project}
	switch {
	case given("project"):
	case given("org"):
		at.Project = ""
	case given("account"):
		at.Org, at.Project = "", ""
	}
	return at
}

func scopeOf(at client.Place) core.Scope {
	return core.Scope{Account: at.Account, Org: at.Org, Project: at.Project}
}

func (a *app) apply() *cobra.Command {
	var files []string
	var dry bool
	var p placed
	cmd := &cobra.Command{
		Use:   "apply -f FILE|FOLDER…",
		Short: "Keep documents on the platform: pipelines, services, environments and all others",
		Long: `Keep documents on the platform: pipelines, services, environments and all others.

Each document goes where it says itself (orgIdentifier, projectIdentifier), else to --org and --project. What others refer to
goes first. A document is kept whole or not at all; one that has not changed is left as it is, so it is safe to repeat.
Organizations and projects that documents name are created when they are not there.
Exit status: 0 all are kept, 1 some are not, 2 a file cannot be read.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.applyAll(cmd.Context(), files, everywhere(p.at(a.flags)), dry)
		},
	}
	cmd.Flags().StringArrayVarP(&files, "file", "f", nil, "`file` or folder; may be repeated, - is standard input")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would change, and change nothing")
	_ = cmd.MarkFlagRequired("file")
	p.register(cmd)
	return cmd
}

// applied is what became of one document, as --format json prints it.
type applied struct {
	File        string           `json:"file"`
	Kind        string           `json:"kind"`
	Identifier  string           `json:"identifier"`
	Parent      string           `json:"parent,omitempty"`
	Label       string           `json:"label,omitempty"`
	Org         string           `json:"org,omitempty"`
	Project     string           `json:"project,omitempty"`
	Action      string           `json:"action"` // created, changed, unchanged, failed
	Version     int64            `json:"version,omitempty"`
	Draft       bool             `json:"draft,omitempty"`
	Error       string           `json:"error,omitempty"`
	Diagnostics core.Diagnostics `json:"diagnostics,omitempty"`
}

func (a *app) applyAll(ctx context.Context, files []string, place func(file string) client.Place, dry bool) error {
	docs, foreign, err := a.gather(files, place)
	if err != nil {
		return err
	}
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	docs, err = withHomes(ctx, c, docs, dry)
	if err != nil {
		return t.reached(err)
	}
	counts := map[string]int{}
	for _, w := range inOrder(docs) {
		done := a.applyOne(ctx, c, w, dry)
		if fault.Is(done.err, fault.Unavailable) || fault.Is(done.err, fault.Unauthenticated) {
			return t.reached(done.err)
		}
		counts[done.Action]++
		if err := a.showApplied(done.applied); err != nil {
			return err
		}
	}
	if !a.json() {
		a.sumApplied(counts, foreign, dry)
	}
	if counts["failed"] > 0 {
		return &ended{exitFailed}
	}
	return nil
}

// gather reads the documents of files and folders.
func (a *app) gather(files []string, place func(file string) client.Place) (docs []written, foreign int, err error) {
	for _, f := range files {
		if f == "-" {
			text, err := a.readInput(f)
			if err != nil {
				return nil, 0, err
			}
			more, n := documentsOf([]compile.Source{{File: f, Data: text}}, place)
			docs, foreign = append(docs, more...), foreign+n
			continue
		}
		sources, err := readLibrary([]string{f})
		if err != nil {
			return nil, 0, err
		}
		more, n := documentsOf(sources, place)
		docs, foreign = append(docs, more...), foreign+n
	}
	return docs, foreign, nil
}

// withHomes adds documents for the organizations and projects that others live in and
// nobody has written.
func withHomes(ctx context.Context, c *client.Client, docs []written, dry bool) ([]written, error) {
	known := map[core.EntityRef]bool{}
	for _, w := range docs {
		if w.entity != nil {
			known[w.entity.EntityRef] = true
		}
	}
	var added []written
	for _, w := range docs {
		if w.entity == nil || dry {
			continue
		}
		for _, home := range document.Homes(w.entity.Scope) {
			if known[home] {
				continue
			}
			known[home] = true
			_, err := c.Entity(ctx, client.EntityRef{Kind: string(home.Kind), ID: home.Identifier, Place: client.Place{Org: home.Scope.Org}})
			if err == nil {
				continue
			}
			if !fault.Is(err, fault.NotFound) {
				return nil, err
			}
			text := fmt.Sprintf("%[1]s:\n  name: %[2]s\n  identifier: %[2]s\n", home.Kind, home.Identifier)
			if home.Scope.Org != "" {
				text += "  orgIdentifier: " + home.Scope.Org + "\n"
			}
			more, _ := documentsOf([]compile.Source{{File: "(named by " + w.file + ")", Data: []byte(text)}}, everywhere(client.Place{Org: home.Scope.Org}))
			added = append(added, more...)
		}
	}
	return append(added, docs...), nil
}

// outcome is an applied document with its error as it was.
type outcome struct {
	applied
	err error
}

func (a *app) applyOne(ctx context.Context, c *client.Client, w written, dry bool) outcome {
	done := outcome{applied: applied{File: w.file, Action: "failed", Diagnostics: w.diags}}
	if w.entity == nil {
		return done
	}
	done.Kind, done.Identifier, done.Parent, done.Label = string(w.entity.Kind), w.entity.Identifier, w.entity.Parent, w.entity.Label
	done.Org, done.Project = w.entity.Scope.Org, w.entity.Scope.Project
	e, err := c.Apply(ctx, w.at, w.file, w.text, dry)
	if refused, ok := errors.AsType[*client.Refused](err); ok {
		done.Diagnostics = w.inFile(refused.Diagnostics)
		return done
	}
	if err != nil {
		done.err, done.Error, done.Diagnostics = err, err.Error(), nil
		return done
	}
	done.Action, done.Version, done.Draft, done.Diagnostics = e.Action, e.Version, e.Draft != "", w.inFile(e.Diagnostics)
	return done
}

// inFile places in the file what was said of a document that was sent alone.
func (w written) inFile(ds core.Diagnostics) core.Diagnostics {
	for i := range ds {
		if ds[i].File == w.file {
			ds[i].Line += w.above
		}
	}
	return ds
}

func (a *app) showApplied(d applied) error {
	if a.json() {
		return a.print(d)
	}
	ink := map[string]screen.Ink{"created": screen.Good, "changed": screen.Busy, "failed": screen.Bad}[d.Action]
	name := d.Identifier
	if d.Label != "" {
		name += " " + d.Label
	}
	if d.Parent != "" {
		name += " of " + d.Parent
	}
	if d.Draft {
		name += ", as a draft: it cannot run as it is"
	}
	line := fmt.Sprintf("%-9s %s %s", d.Action, d.Kind, name)
	if d.Kind == "" {
		line = "failed    " + d.File
	}
	if _, err := fmt.Fprintln(a.out, a.theme.Paint(ink, a.theme.Clean(line))); err != nil {
		return err
	}
	if d.Error != "" {
		fmt.Fprintf(a.out, "  %s: %s\n", d.File, a.theme.Clean(d.Error))
	}
	for _, x := range d.Diagnostics {
		if d.Action == "failed" || x.Severity == core.SeverityError || x.Code == "breaks-user" {
			fmt.Fprintf(a.out, "  %s\n", a.theme.Clean(x.String()))
		}
	}
	return nil
}

func (a *app) sumApplied(counts map[string]int, foreign int, dry bool) {
	var parts []string
	for _, what := range []string{"created", "changed", "unchanged", "failed"} {
		if counts[what] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[what], what))
		}
	}
	if foreign > 0 {
		parts = append(parts, fmt.Sprintf("%d passed over, of somebody else", foreign))
	}
	if len(parts) == 0 {
		parts = []string{"no documents"}
	}
	line := strings.Join(parts, ", ")
	if dry {
		line += " (nothing was kept: --dry-run)"
	}
	fmt.Fprintln(a.out, line)
}
