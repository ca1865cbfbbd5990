package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/follow"
	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/view"
	"github.com/slipway-cd/slipway/shared/wire"
)

func (a *app) logs() *cobra.Command {
	var live bool
	var step string
	cmd := &cobra.Command{
		Use:   "logs RUN",
		Short: "Show what a run's steps have written",
		Long: "Show what a run's steps have written, step by step in the order of the pipeline; with -f live, in the order\n" +
			"it is written, until the run ends.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.showLogs(cmd.Context(), args[0], step, live) },
	}
	cmd.Flags().BoolVarP(&live, "follow", "f", false, "go on until the run ends")
	cmd.Flags().StringVar(&step, "step", "", "this step alone: its `id`, name or path")
	return cmd
}

func (a *app) showLogs(ctx context.Context, id, step string, live bool) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	run, err := c.Run(ctx, id)
	if err != nil {
		return t.reached(err)
	}
	if step != "" && !slices.ContainsFunc(run.Nodes, func(n view.Node) bool { return named(n, step) }) {
		return fault.New(fault.Invalid, "run %s has no step %q", id, step)
	}
	show := func(n view.Node, line wire.LogLine) {
		if step == "" || named(n, step) {
			a.logLine(n, line)
		}
	}
	if live {
		err = followLogs(ctx, c, id, show)
	} else {
		err = readLogs(ctx, c, run, show)
	}
	if ctx.Err() != nil {
		return &ended{exitInterrupted}
	}
	return t.reached(err)
}

func named(n view.Node, name string) bool {
	return n.Identifier == name || n.Name == name || n.FQN == name
}

// readLogs shows what there is, in plan order.
func readLogs(ctx context.Context, c *client.Client, run view.Run, show func(view.Node, wire.LogLine)) error {
	for _, n := range run.Nodes {
		for _, id := range follow.Chains(n) {
			inner, err := c.Run(ctx, id)
			if err != nil {
				return err
			}
			if err = readLogs(ctx, c, inner, show); err != nil {
				return err
			}
		}
		if n.Task == "" {
			continue
		}
		for after := 0; ; {
			page, err := c.Logs(ctx, run.ID, n.Task, after)
			if err != nil {
				return err
			}
			for _, line := range page.Lines {
				show(n, line)
			}
			if page.Next == after {
				break
			}
			after = page.Next
		}
	}
	return nil
}

// followLogs shows lines as they come until the run ends.
func followLogs(ctx context.Context, c *client.Client, id string, show func(view.Node, wire.LogLine)) error {
	f := follow.New(c, id)
	for failures := 0; ; {
		run, err := f.Poll(ctx, func(e follow.Event) {
			if e.Kind == follow.Logged {
				show(e.Node, e.Line)
			}
		})
		if err == nil && run.Ended {
			return nil
		}
		if failures++; err == nil {
			failures = 0
		} else if failures == patience || !fault.Retryable(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(slowest, serverPoll<<min(failures, 6))):
		}
	}
}

func (a *app) logLine(n view.Node, line wire.LogLine) {
	if a.json() {
		_ = a.print(logRecord{Event: string(follow.Logged), Time: line.Time, Node: n.FQN, ID: n.Identifier, Level: line.Level, Text: line.Text})
		return
	}
	ink := screen.Dim
	if line.Level == "ERROR" {
		ink = screen.Bad
	}
	fmt.Fprintf(a.out, "%s %s %s\n", a.theme.Paint(screen.Dim, a.theme.Clean(screen.Label(n))), a.theme.Paint(ink, "│"), a.theme.Clean(line.Text))
}
