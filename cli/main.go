// Package cli is the command line: `slipway up`, `run`, `delegate` and what asks a
// platform about its runs. One command is one file; they speak to platforms
// through cli/client only.
package cli

import (
	"context"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/screen"
)

// Version is what `slipway version` says; set by main before Main.
var Version = ""

// app is one invocation.
type app struct {
	in       io.Reader
	out, err io.Writer
	flags    flags
	theme    screen.Theme // of out
	begun    bool         // arguments were understood, a command runs
}

// Main runs a command line, without the program's name, and returns its exit
// status: 0, 1, 2 for bad input or usage, 3 when no platform can be reached, 130
// when interrupted twice.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{in: stdin, out: stdout, err: stderr, theme: screen.For(stdout, os.Environ())}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(context.Background())
	return a.exit(cmd, err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "slipway",
		Short:         "Slipway delivers software: it runs Harness-compatible pipelines",
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if err := a.flags.check(); err != nil {
				return err
			}
			a.begun = true
			return nil
		},
	}
	a.flags.register(root.PersistentFlags())
	root.AddCommand(
		a.up(),
		a.run(),
		a.plan(),
		a.simulate(),
		a.delegate(),
		a.runs(),
		a.logs(),
		a.cost(),
		a.rerun(),
		a.retry(),
		a.rollback(),
		a.why(),
		a.replay(),
		a.approve(),
		a.reject(),
		a.approvals(),
		a.abort(),
		a.pause(),
		a.resume(),
		a.intervene(),
		a.input(),
		a.delegates(),
		a.queue(),
		a.users(),
		a.secrets(),
		a.login(),
		a.apply(),
		a.get(),
		a.diff(),
		a.delete(),
		a.clone(),
		a.history(),
		a.backup(),
		a.restore(),
		a.importCommand(),
		a.validate(),
		a.schema(),
		a.doctor(),
		a.version(),
	)
	return root
}

// group is a command that only has commands of its own.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}

// version of this program: what it was built as, else what the module is.
func version() string {
	if Version != "" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
