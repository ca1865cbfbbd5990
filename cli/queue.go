package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

func (a *app) queue() *cobra.Command {
	kind := core.LockQueue
	show := &cobra.Command{
		Use:   "show KEY",
		Short: "Show who holds a key and who waits for it",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.showLock(cmd.Context(), kind, args[0]) },
	}
	show.Flags().StringVar(&kind, "kind", kind, "queue (a Queue step's key), infra (an infrastructure key) or runs (key \"\")")
	return group("queue", "Show what runs wait in line for", &cobra.Command{
		Use:   "list",
		Short: "List the keys that runs hold or wait for",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.listLocks(cmd.Context()) },
	}, show)
}

func (a *app) listLocks(ctx context.Context) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	locks, err := c.Locks(ctx)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(map[string]any{"locks": locks})
	}
	if len(locks) == 0 {
		_, err := fmt.Fprintln(a.out, "nobody holds a key")
		return err
	}
	rows := make([][]string, len(locks))
	for i, l := range locks {
		first := ""
		if len(l.Holders) > 0 {
			first = l.Holders[0].Run
		}
		rows[i] = []string{l.Kind, a.theme.Clean(l.Key), strconv.Itoa(len(l.Holders)), strconv.Itoa(len(l.Waiters)), first}
	}
	return a.theme.Table(a.out, []string{"KIND", "KEY", "HOLD", "WAIT", "HELD BY"}, rows)
}

func (a *app) showLock(ctx context.Context, kind, key string) error {
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	l, err := c.Lock(ctx, kind, key)
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(l)
	}
	if len(l.Holders)+len(l.Waiters) == 0 {
		_, err := fmt.Fprintf(a.out, "nobody holds %s or waits for it\n", a.theme.Clean(key))
		return err
	}
	var rows [][]string
	now := core.Millis(time.Now())
	add := func(state string, ink screen.Ink, list []view.Claim) {
		for _, h := range list {
			rows = append(rows, []string{a.theme.Paint(ink, state), h.Run, a.theme.Clean(h.Node), string(h.Scope), screen.Duration(now-h.Since) + " ago"})
		}
	}
	add("holds", screen.Good, l.Holders)
	add("waits", screen.Busy, l.Waiters)
	return a.theme.Table(a.out, []string{"STATE", "RUN", "STEP", "SCOPE", "SINCE"}, rows)
}
