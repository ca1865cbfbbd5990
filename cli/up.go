package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/fault"
)

const defaultPort = "7700"

// closeGrace is how long a platform may take to close.
const closeGrace = 15 * time.Second

func (a *app) up() *cobra.Command {
	var port, level, account string
	var noDelegate bool
	var maxRuns int
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start the whole platform on this machine, in the foreground",
		Long: "Start the whole platform on this machine: one process, one port on the loopback interface, one data folder.\n" +
			"What was under way when it ended goes on. Ctrl-C stops it.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if env := os.Getenv("PORT"); env != "" && !cmd.Flags().Changed("port") {
				port = env
			}
			if env := os.Getenv("SLIPWAY_MAX_RUNS"); env != "" && !cmd.Flags().Changed("max-runs") {
				n, err := strconv.Atoi(env)
				if err != nil || n < 0 {
					return fault.New(fault.Invalid, "SLIPWAY_MAX_RUNS is %q: it is a number from 0", env)
				}
				maxRuns = n
			}
			if maxRuns < 0 {
				return fault.New(fault.Invalid, "--max-runs is %d: it is a number from 0", maxRuns)
			}
			return a.serve(cmd.Context(), port, level, platform.Config{Delegate: !noDelegate, MaxRuns: maxRuns,
				Account: cmp.Or(account, os.Getenv("SLIPWAY_ACCOUNT"))})
		},
	}
	cmd.Flags().StringVar(&port, "port", defaultPort, "`port` on 127.0.0.1, 0 for any free one (else $PORT)")
	cmd.Flags().StringVar(&account, "account-id", "", "`identifier` of the account, as your Harness clients send it: for a new data folder (default \"default\"; else $SLIPWAY_ACCOUNT)")
	cmd.Flags().BoolVar(&noDelegate, "no-delegate", false, "do not run the built-in delegate")
	cmd.Flags().IntVar(&maxRuns, "max-runs", 0, "how many runs may go on at once, the others wait for their turn (0: no limit; else $SLIPWAY_MAX_RUNS)")
	cmd.Flags().StringVar(&level, "log-level", "warn", "debug, info, warn or error")
	return cmd
}

// serve runs a platform until a signal or a failure of its own.
func (a *app) serve(ctx context.Context, port, level string, cfg platform.Config) error {
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fault.New(fault.Invalid, "the port is %q: it is a number from 0 to 65535", port)
	}
	log, err := a.logger(level)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := a.alreadyUp(ctx); err != nil {
		return err
	}
	cfg.Dir, cfg.Addr, cfg.Version, cfg.Logger, cfg.AllowAs = a.flags.data, net.JoinHostPort("127.0.0.1", port), version(), log, true
	p, err := platform.Start(ctx, cfg)
	if err != nil {
		if fault.Is(err, fault.Unavailable) { // nothing was asked for over the network
			err = fault.New(fault.Conflict, "%w; another port: slipway up --port PORT", err)
		}
		return err
	}
	if err := a.welcome(p.URL(), cfg.Delegate); err != nil {
		return err
	}
	var failed error
	select {
	case <-ctx.Done():
		stop() // a second signal ends the process
	case failed = <-p.Failed():
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeGrace)
	defer cancel()
	if err := p.Close(closing); failed == nil {
		failed = err
	}
	return failed
}

// alreadyUp refuses to start a second platform on the same data.
func (a *app) alreadyUp(ctx context.Context) error {
	s, found, err := readServerFile(a.flags.data)
	if err != nil || !found || !answers(ctx, s.URL) {
		return nil // it is written anew
	}
	return fault.New(fault.Conflict, "a platform is running on %s already: %s (process %d)", a.flags.data, s.URL, s.PID)
}

// welcome says where the platform is and what to do next.
func (a *app) welcome(url string, delegate bool) error {
	dir, err := filepath.Abs(a.flags.data)
	if err != nil {
		dir = a.flags.data
	}
	t := target{args: []string{"--server", url}}
	run := target{}.command("run", "--server", url, a.sample())
	if a.json() {
		return a.print(map[string]any{"url": url, "data": dir, "pid": os.Getpid(), "run": run})
	}
	rows := [][2]string{
		{"data", dir},
		{"run a sample", run},
	}
	if !delegate {
		rows = append(rows, [2]string{"work", t.command("delegate")})
	}
	rows = append(rows, [2]string{"stop", "Ctrl-C"})
	fmt.Fprintf(a.out, "Slipway is up at %s\n", a.theme.Paint(screen.Bold, url))
	for _, r := range rows {
		fmt.Fprintf(a.out, "  %s  %s\n", a.theme.Paint(screen.Dim, fmt.Sprintf("%-12s", r[0])), r[1])
	}
	return nil
}

// logger writes to standard error: text for people.
func (a *app) logger(level string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fault.New(fault.Invalid, "--log-level %s is not known: it is debug, info, warn or error", level)
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: l})), nil
}

// program is how this program was called, for commands to copy.
func program() string {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "slipway") {
		return os.Args[0]
	}
	return "slipway"
}
