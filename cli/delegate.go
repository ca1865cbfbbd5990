package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/delegate"
	"github.com/slipway-cd/slipway/delegate/httpclient"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/fault"
)

// delegateFlags are the flags of `slipway delegate`.
type delegateFlags struct {
	name     string
	tags     []string
	work     string
	capacity int
	drain    time.Duration
	level    string
}

func (a *app) delegate() *cobra.Command {
	var f delegateFlags
	cmd := &cobra.Command{
		Use:   "delegate",
		Short: "Run a delegate: it asks a platform for work and does it here",
		Long: "Run a delegate: it dials out to a platform, asks for work and does it on this machine. The token is a join\n" +
			"token: --token, --token-file, SLIPWAY_TOKEN, else the one in the data folder of a platform on this machine.\n" +
			"The first Ctrl-C lets running steps end, the second stops them.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.work(cmd.Context(), f) },
	}
	host, _ := os.Hostname()
	if host == "" {
		host = "delegate"
	}
	cmd.Flags().StringVar(&f.name, "name", host, "the delegate's `name`, also a tag of it")
	cmd.Flags().StringArrayVar(&f.tags, "tag", nil, "`tag` that delegate selectors may ask for (repeatable)")
	cmd.Flags().StringVar(&f.work, "work", "", "work `folder`, of this delegate alone (default ${XDG_STATE_HOME:-~/.local/state}/slipway/delegate/NAME)")
	cmd.Flags().IntVar(&f.capacity, "capacity", delegate.DefaultCapacity, "how many steps at once")
	cmd.Flags().DurationVar(&f.drain, "drain", 10*time.Minute, "how long running steps may take to end after the first Ctrl-C")
	cmd.Flags().StringVar(&f.level, "log-level", "info", "debug, info, warn or error")
	return cmd
}

func (a *app) work(ctx context.Context, f delegateFlags) error {
	log, err := a.logger(f.level)
	if err != nil {
		return err
	}
	t, err := a.server()
	if err != nil {
		return err
	}
	token, err := a.joinToken(t.url)
	if err != nil {
		return err
	}
	server, err := httpclient.New(t.url, func() string { return token }, nil)
	if err != nil {
		return err
	}
	if f.work == "" {
		if f.work, err = workFolder(f.name); err != nil {
			return err
		}
	}
	c := clock.System()
	d, err := delegate.New(delegate.Config{
		Server: server, WorkDir: f.work, Name: f.name, Version: version(), Tags: f.tags, Capacity: f.capacity,
		Clock: c, IDs: clock.NewIDs(c), Logger: log, Secret: token, DrainGrace: f.drain,
	})
	if err != nil {
		return err
	}
	if a.json() {
		err = a.print(map[string]string{"server": t.url, "name": f.name, "work": f.work})
	} else {
		_, err = fmt.Fprintf(a.out, "delegate %s works for %s in %s; Ctrl-C stops it\n", f.name, t.url, f.work)
	}
	if err != nil {
		return err
	}
	ctx, stop := a.drained(ctx, d)
	defer stop()
	return d.Run(ctx)
}

// drained ends the context on the first signal and kills the delegate on the second.
func (a *app) drained(ctx context.Context, d *delegate.Delegate) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		if _, ok := <-signals; ok {
			fmt.Fprintln(a.err, "taking no more work; waiting for running steps to end, once more to stop them")
			cancel()
		}
		if _, ok := <-signals; ok {
			d.Kill()
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel()
	}
}

// joinToken finds the token a delegate signs in with.
func (a *app) joinToken(server string) (string, error) {
	return a.tokenOr(func() (string, error) {
		if t := os.Getenv("SLIPWAY_TOKEN"); t != "" {
			return t, nil
		}
		path := filepath.Join(a.flags.data, "join-token")
		here, found, err := readServerFile(a.flags.data)
		if err != nil {
			return "", err
		}
		if found && sameServer(here.URL, server) {
			return readToken(path)
		}
		return "", fault.New(fault.Unauthenticated, "there is no join token for %s: no --token, --token-file or SLIPWAY_TOKEN, and no such platform runs on %s; "+
			"an admin makes one with slipway delegates token NAME; a laptop's own is in the file join-token of its data folder", server, a.flags.data)
	})
}

// workFolder is where a delegate of this name keeps what it must remember.
func workFolder(name string) (string, error) {
	if name == "" || name != filepath.Base(name) || name == "." || name == ".." {
		return "", fault.New(fault.Invalid, "--name %q cannot be a folder's name: give --work DIR", name)
	}
	state, err := baseFolder("XDG_STATE_HOME", filepath.Join(".local", "state"))
	return filepath.Join(state, "slipway", "delegate", name), err
}
