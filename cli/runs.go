package cli

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func (a *app) runs() *cobra.Command {
	return group("runs", "List runs, show one, or write one to a file", a.runsList(), a.runsShow(), a.runsExport())
}

func (a *app) runsList() *cobra.Command {
	var limit int
	var cursor string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List a project's runs, newest first",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.listRuns(cmd.Context(), limit, cursor) },
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "how `many`")
	cmd.Flags().StringVar(&cursor, "cursor", "", "where an earlier list ended")
	return cmd
}

func (a *app) listRuns(ctx context.Context, limit int, cursor string) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	after, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return fault.New(fault.Invalid, "--cursor %s is not one that a list has shown", cursor)
	}
	page, err := c.Runs(ctx, a.flags.org, a.flags.project, limit, string(after))
	if err != nil {
		return t.reached(err)
	}
	// The server's own cursor may hold bytes that a command line cannot.
	page.Cursor = base64.RawURLEncoding.EncodeToString([]byte(page.Cursor))
	if a.json() {
		return a.print(page)
	}
	if len(page.Runs) == 0 {
		_, err := fmt.Fprintf(a.out, "no runs in %s/%s\n", a.flags.org, a.flags.project)
		return err
	}
	now := core.Millis(time.Now())
	rows := make([][]string, len(page.Runs))
	for i, r := range page.Runs {
		end := r.Ended
		if end == 0 {
			end = now
		}
		status := string(r.Status)
		by := a.theme.Clean(r.By.ID)
		if r.Parent != "" { // a stage of that run has started it
			by += " in " + r.Parent
		}
		rows[i] = []string{a.theme.Symbol(status) + " " + r.ID, a.theme.Clean(r.Pipeline), "#" + strconv.FormatInt(r.Sequence, 10),
			a.theme.Status(status), screen.Clock(r.Started), screen.Between(r.Started, end), by}
	}
	if err := a.theme.Table(a.out, []string{"  RUN", "PIPELINE", "NO", "STATUS", "STARTED", "TOOK", "BY"}, rows); err != nil {
		return err
	}
	if page.Cursor != "" {
		_, err = fmt.Fprintf(a.out, "more: --cursor %s\n", page.Cursor)
	}
	return err
}

func (a *app) runsShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run with everything in it",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.showRun(cmd.Context(), args[0]) },
	}
}

func (a *app) showRun(ctx context.Context, id string) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	run, err := c.Run(ctx, id)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(run)
	}
	return a.theme.Tree(a.out, run, core.Millis(time.Now()), t.approveLine)
}
