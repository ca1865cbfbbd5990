package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) delete() *cobra.Command {
	var n identified
	var force bool
	cmd := &cobra.Command{
		Use:   "delete KIND ID",
		Short: "Delete a document that nobody refers to",
		Long: `Delete a document that nobody refers to. Its history stays. With a pipeline go its input sets and triggers, with an
environment its infrastructures. --force deletes what others refer to, and an organization or project with all that is in it.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := n.ref(a.flags, args[0], args[1])
			if err != nil {
				return err
			}
			c, t, err := a.connect()
			if err != nil {
				return err
			}
			if err := c.DeleteEntity(cmd.Context(), r, force); err != nil {
				return t.reached(err)
			}
			if a.json() {
				return a.print(map[string]any{"kind": r.Kind, "identifier": r.ID, "deleted": true})
			}
			_, err = fmt.Fprintf(a.out, "deleted   %s %s\n", r.Kind, a.theme.Clean(r.ID))
			return err
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "though others refer to it")
	n.register(cmd)
	return cmd
}
