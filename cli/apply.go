package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/core"
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
	var o applying
	var p placed
	cmd := &cobra.Command{
		Use:   "apply -f FILE|FOLDER…",
		Short: "Keep documents on the platform: pipelines, services, environments and all others",
		Long: `Keep documents on the platform: pipelines, services, environments and all others.

Each document goes where it says itself (orgIdentifier, projectIdentifier), else to --org and --project. What others refer to
goes first. A document is kept whole or not at all; one that has not changed is left as it is, so it is safe to repeat.
Organizations and projects that documents name are created when they are not there. What is kept and in none of the files stays: there
is no --prune. With --if-match N a single document replaces version N and no other; else what others have changed is shown as a difference.
Exit status: 0 all are kept, 1 some are not, 2 a file cannot be read, 3 the platform went away: what was kept stays, apply again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.applyAll(cmd.Context(), files, everywhere(p.at(a.flags)), o)
		},
	}
	cmd.Flags().StringArrayVarP(&files, "file", "f", nil, "`file` or folder; may be repeated, - is standard input")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "say what would change, and change nothing")
	cmd.Flags().Int64Var(&o.match, "if-match", 0, "`version` that must be there, of a single document")
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
	There       *client.Entity   `json:"there,omitempty"` // what somebody else made of it
	given       string
}

// applying is how documents are applied.
type applying struct {
	dry   bool
	match int64 // the version that must be there; 0 for any
	// The rest may be nil: whether a template's version is the stable one, the colour that
	// an environment has, and who is told what became of a document.
	stable func(core.EntityRef) bool
	color  func(core.EntityRef) string
	kept   func(written, applied)
}

func (a *app) applyAll(ctx context.Context, files []string, place func(file string) client.Place, o applying) error {
	docs, foreign, err := a.gather(files, place)
	if err != nil {
		return err
	}
	if o.match != 0 && (len(docs) != 1 || o.match < 0) {
		return fault.New(fault.Invalid, "--if-match is the version of one document, from 1: there are %d documents", len(docs))
	}
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	docs, err = withHomes(ctx, c, docs, o.dry)
	if err != nil {
		return t.reached(err)
	}
	counts := map[string]int{}
	for i, w := range inOrder(docs) {
		done := a.applyOne(ctx, c, w, o)
		if platformGone(done.err) {
			if i > 0 && !a.json() {
				counts["not tried"] = len(docs) - i
				a.sumApplied(counts, foreign, o.dry)
			}
			return t.reached(done.err)
		}
		counts[done.Action]++
		if o.kept != nil && w.entity != nil {
			o.kept(w, done.applied)
		}
		if err := a.showApplied(done.applied); err != nil {
			return err
		}
	}
	if !a.json() {
		a.sumApplied(counts, foreign, o.dry)
	}
	if counts["failed"] > 0 {
		return &ended{exitFailed}
	}
	return nil
}

// outcome is an applied document with its error as it was.
type outcome struct {
	applied
	err error
}

func (a *app) applyOne(ctx context.Context, c *client.Client, w written, o applying) outcome {
	done := outcome{applied: applied{File: w.file, Action: "failed", Diagnostics: w.diags}}
	if w.entity == nil {
		return done
	}
	done.Kind, done.Identifier, done.Parent, done.Label = string(w.entity.Kind), w.entity.Identifier, w.entity.Parent, w.entity.Label
	done.Org, done.Project = w.entity.Scope.Org, w.entity.Scope.Project
	if w.refused {
		return done
	}
	doc := client.Applied{Place: w.at, File: w.file, YAML: w.text, DryRun: o.dry, IfMatch: o.match}
	if o.stable != nil {
		doc.Stable = o.stable(w.entity.EntityRef)
	}
	if o.color != nil {
		doc.Color = o.color(w.entity.EntityRef)
	}
	e, err := patiently(ctx, func() (client.Entity, error) { return c.Apply(ctx, doc) })
	if refused, ok := errors.AsType[*client.Refused](err); ok {
		done.Diagnostics = w.inFile(refused.Diagnostics)
		return done
	}
	if stale, ok := errors.AsType[*client.Stale](err); ok {
		done.There = &stale.There
		if done.given, err = w.shown(); err == nil {
			err = stale
		}
	}
	if err != nil {
		done.err, done.Error, done.Diagnostics = err, err.Error(), nil
		return done
	}
	done.Action, done.Version, done.Draft, done.Diagnostics = e.Action, e.Version, e.Draft != "", w.inFile(e.Diagnostics)
	return done
}

// platformGone reports whether an error concerns all that is still to be done.
func platformGone(err error) bool {
	return fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Unauthenticated)
}

// pauses are how long is waited before each further try of a call that came at a bad
// time: others change the same, or the platform has too much to do.
var pauses = []time.Duration{200 * time.Millisecond, time.Second, 3 * time.Second}

// patiently makes a call that is safe to repeat.
func patiently[T any](ctx context.Context, call func() (T, error)) (T, error) {
	for _, pause := range pauses {
		out, err := call()
		if !fault.Is(err, fault.Throttled) {
			return out, err
		}
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case <-time.After(pause):
		}
	}
	return call()
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
	if d.There != nil {
		fmt.Fprintf(a.out, "  version %d is %s's of %s; what is there, and what was given:\n%s", d.There.Version, a.theme.Clean(d.There.By),
			screen.Clock(d.There.Updated), a.theme.Diff(d.Identifier, d.There.YAML, d.given))
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
	for _, what := range []string{"created", "changed", "unchanged", "failed", "not tried"} {
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
