package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func (a *app) clone() *cobra.Command {
	var n identified
	var to client.Clone
	var org, project string
	var account bool
	cmd := &cobra.Command{
		Use:   "clone KIND ID",
		Short: "Keep a document once more: in another scope, or under another name",
		Long: `Keep a document once more: in another scope, or under another name. It stays as its author wrote it, with its comments and order; only
identifier, name, orgIdentifier and projectIdentifier are rewritten where they stand. --to-project alone is of the same organization, --to-org
alone is the organization itself. What the clone would refer to and is not there is told, and refused unless forced. A secret comes without its
value; a pipeline without its input sets and triggers, an environment without its infrastructures, a template with this one version.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := n.ref(a.flags, args[0], args[1])
			if err != nil {
				return err
			}
			if account && (org != "" || project != "") {
				return fault.New(fault.Invalid, "--to-account excludes --to-org and --to-project")
			}
			if account || org != "" {
				to.Org = &org
			}
			if project != "" {
				to.Project = &project
			}
			return a.cloneTo(cmd.Context(), r, to)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&account, "to-account", false, "into the account itself")
	f.StringVar(&org, "to-org", "", "into this `organization`")
	f.StringVar(&project, "to-project", "", "into this `project`")
	f.StringVar(&to.Identifier, "id", "", "the clone's `identifier`, when it is another")
	f.StringVar(&to.Name, "name", "", "the clone's `name`, when it is another")
	f.BoolVar(&to.Force, "force", false, "though something that it refers to is not there")
	f.BoolVar(&to.DryRun, "dry-run", false, "say what would be kept, and keep nothing")
	n.register(cmd)
	return cmd
}

func (a *app) cloneTo(ctx context.Context, r client.EntityRef, to client.Clone) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	e, err := c.Clone(ctx, r, to)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(e)
	}
	if to.DryRun {
		_, err = fmt.Fprint(a.out, a.theme.Clean(e.YAML))
		return err
	}
	line := fmt.Sprintf("%-9s %s %s in %s", e.Action, e.Kind, e.Identifier, inWords(client.Place{Org: e.Org, Project: e.Project}))
	if e.Kind == string(core.EntitySecret) {
		line += ", without a value: slipway secrets set"
	}
	if _, err := fmt.Fprintln(a.out, a.theme.Clean(line)); err != nil {
		return err
	}
	for _, d := range e.Diagnostics {
		fmt.Fprintf(a.out, "  %s\n", a.theme.Clean(d.String()))
	}
	return nil
}
