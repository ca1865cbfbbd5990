package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
)

func (a *app) diff() *cobra.Command {
	var files []string
	var p placed
	cmd := &cobra.Command{
		Use:   "diff -f FILE|FOLDER…",
		Short: "Show how documents differ from what the platform keeps",
		Long: `Show how documents differ from what the platform keeps. A secret's value is compared with nothing.
Exit status: 0 nothing differs, 1 something does, 2 a document or file cannot be read.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.diffAll(cmd.Context(), files, everywhere(p.at(a.flags)))
		},
	}
	cmd.Flags().StringArrayVarP(&files, "file", "f", nil, "`file` or folder; may be repeated, - is standard input")
	_ = cmd.MarkFlagRequired("file")
	p.register(cmd)
	return cmd
}

// differing is one document that is not what the platform keeps.
type differing struct {
	File       string `json:"file"`
	Kind       string `json:"kind"`
	Identifier string `json:"identifier"`
	Label      string `json:"label,omitempty"`
	Version    int64  `json:"version"` // stored; 0 when it is not
	Before     string `json:"before"`
	After      string `json:"after"`
}

func (a *app) diffAll(ctx context.Context, files []string, place func(file string) client.Place) error {
	docs, _, err := a.gather(files, place)
	if err != nil {
		return err
	}
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	status := exitOK
	for _, w := range docs {
		if w.entity == nil {
			fmt.Fprintln(a.err, a.theme.Clean(w.diags.String()))
			status = exitInvalid
			continue
		}
		d, same, err := compared(ctx, c, w)
		if err != nil {
			return t.reached(err)
		}
		if same {
			continue
		}
		status = max(status, exitFailed)
		if a.json() {
			err = a.print(d)
		} else {
			_, err = fmt.Fprint(a.out, a.theme.Diff(w.file, d.Before, d.After))
		}
		if err != nil {
			return err
		}
	}
	if status != exitOK {
		return &ended{status}
	}
	return nil
}

// shown is the document without the value of a secret.
func (w written) shown() (string, error) {
	if w.entity.Kind != core.EntitySecret {
		return w.text, nil
	}
	text, _, err := document.TakeValue(w.text)
	return text, err
}

// compared holds a document to what is stored of it.
func compared(ctx context.Context, c *client.Client, w written) (d differing, same bool, err error) {
	e := w.entity
	after, err := w.shown()
	if err != nil {
		return d, false, err
	}
	d = differing{File: w.file, Kind: string(e.Kind), Identifier: e.Identifier, Label: e.Label, After: after}
	stored, err := c.Entity(ctx, client.EntityRef{Place: client.Place{Org: e.Scope.Org, Project: e.Scope.Project}, Kind: string(e.Kind),
		ID: e.Identifier, Parent: e.Parent, Label: e.Label})
	if err != nil && !fault.Is(err, fault.NotFound) {
		return d, false, err
	}
	if err == nil {
		d.Before, d.Version = stored.YAML, stored.Version
	}
	return d, d.Before == d.After, nil
}
