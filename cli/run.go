package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// How often a run is asked about: a platform in this process is asked at once
// again, nearly; one that others use as well, a few times a second.
const (
	privatePoll = 40 * time.Millisecond
	serverPoll  = 200 * time.Millisecond
)

// runFlags are the flags of `slipway run`.
type runFlags struct {
	inputs, inputSets, with, secrets, approve []string
	stages, expressions                       []string
	keep                                      bool
	stored                                    string   // the identifier of a stored pipeline
	sets                                      []string // of its stored input sets
}

// pipeline registers the flags about what a pipeline is compiled with.
func (f *runFlags) pipeline(set *pflag.FlagSet) {
	set.StringArrayVar(&f.inputs, "input", nil, "runtime input, `path=value`; a bare name is a pipeline variable (repeatable)")
	set.StringArrayVar(&f.inputSets, "inputs", nil, "input set or overlay `file` (repeatable, later ones win)")
	set.StringArrayVar(&f.stages, "stage", nil, "run this stage alone, by its `id` (repeatable)")
	set.StringArrayVar(&f.expressions, "expression", nil, "value for an expression on a stage that is left out, `<+…>=value` (repeatable)")
	set.StringArrayVar(&f.with, "with", nil, "`folder` with the templates and input sets that are referred to (repeatable)")
}

func (a *app) run() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE | --pipeline ID",
		Short: "Run a pipeline file and exit with its status",
		Long: "Run a pipeline file. Without --server a private platform is started for it in a temporary data folder and\n" +
			"ended with it; with --data DIR it is the platform that runs on DIR, or a private one that keeps its data there.\n" +
			"FILE may be - for standard input. Ctrl-C aborts the run. With --pipeline a pipeline runs that was kept by apply, with what\n" +
			"else is kept: its input sets, templates, services and environments.\n\n" +
			"Exit status: 0 Success or IgnoreFailed, 1 any other end, 2 bad input, 3 platform unreachable.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case (len(args) == 1) == (f.stored != ""):
				return fault.New(fault.Invalid, "name a file, or a pipeline that the platform keeps with --pipeline")
			case f.stored != "":
				return a.runStored(cmd.Context(), f)
			case len(f.sets) > 0:
				return fault.New(fault.Invalid, "--input-set names a stored input set, for --pipeline; a file is given with --inputs")
			}
			return a.runFile(cmd.Context(), args[0], f, cmd.Flags().Changed("data"))
		},
	}
	f.pipeline(cmd.Flags())
	cmd.Flags().StringVar(&f.stored, "pipeline", "", "run the stored pipeline of this `id`, on the platform that keeps it")
	cmd.Flags().StringArrayVar(&f.sets, "input-set", nil, "`id` of an input set stored for it (repeatable, later ones win)")
	cmd.Flags().StringArrayVar(&f.secrets, "secret", nil, "value of a secret, `id=@FILE` or id=env:NAME (repeatable)")
	cmd.Flags().StringArrayVar(&f.approve, "approve", nil, "approve by itself: a step's `id`, name or path, or all (repeatable)")
	cmd.Flags().BoolVar(&f.keep, "keep", false, "keep the data folder, and say where it is")
	return cmd
}

func (a *app) runFile(ctx context.Context, file string, f runFlags, dataGiven bool) error {
	launch, err := a.readLaunch(file, f)
	if err != nil {
		return err
	}
	if len(f.with) > 0 {
		sources, err := readLibrary(f.with)
		if err != nil {
			return err
		}
		launch.Library = needed(launch, f.inputSets, sources)
	}
	secrets, err := readSecrets(f.secrets)
	if err != nil {
		return err
	}
	signals, stop := interrupts()
	defer stop()
	if a.flags.server != "" || dataGiven && a.isUp(ctx) {
		if len(secrets) > 0 {
			return fault.New(fault.Unsupported, "not supported yet: --secret with a platform that runs already; without --server the run gets a private one")
		}
		c, t, err := a.connect()
		if err != nil {
			return err
		}
		w := &watch{client: c, target: t, poll: serverPoll, signals: signals}
		return t.reached(a.launch(ctx, w, launch, f))
	}
	p, err := a.private(ctx, f.keep, dataGiven, home(launch), secrets)
	if err != nil {
		return err
	}
	w := &watch{client: p.client, target: p.target, poll: privatePoll, signals: signals, failed: p.platform.Failed()}
	err = a.launch(ctx, w, launch, f)
	return errors.Join(err, p.close(ctx))
}

// runStored runs a pipeline that the platform keeps.
func (a *app) runStored(ctx context.Context, f runFlags) error {
	if len(f.secrets) > 0 || len(f.with) > 0 || f.keep {
		return fault.New(fault.Invalid, "--secret, --with and --keep are for files: what is stored uses what is stored")
	}
	l := client.Launch{Pipeline: f.stored, SetRefs: f.sets, Org: a.flags.org, Project: a.flags.project}
	if err := a.readOptions(&l, f); err != nil {
		return err
	}
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	signals, stop := interrupts()
	defer stop()
	w := &watch{client: c, target: t, poll: serverPoll, signals: signals}
	return t.reached(a.launch(ctx, w, l, f))
}

// interrupts takes Ctrl-C and a polite kill from now on.
func interrupts() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 2)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	return c, func() { signal.Stop(c) }
}

// isUp reports whether a platform answers for the data folder.
func (a *app) isUp(ctx context.Context) bool {
	s, found, err := readServerFile(a.flags.data)
	return err == nil && found && answers(ctx, s.URL)
}

func answers(ctx context.Context, url string) bool {
	c, err := client.New(url, "", "")
	return err == nil && c.Health(ctx) == nil
}

// readLaunch reads everything a run is made of; nothing has been started.
func (a *app) readLaunch(file string, f runFlags) (client.Launch, error) {
	l := client.Launch{File: file, Org: a.flags.org, Project: a.flags.project}
	text, err := a.readInput(file)
	if err != nil {
		return l, err
	}
	if l.YAML = string(text); file == "-" {
		l.File = "<stdin>"
	}
	return l, a.readOptions(&l, f)
}

// readOptions reads what a pipeline is compiled with.
func (a *app) readOptions(l *client.Launch, f runFlags) (err error) {
	if l.Inputs, err = pairs("--input", f.inputs); err != nil {
		return err
	}
	l.Stages = f.stages
	if l.Expressions, err = expressionValues(f.expressions); err != nil {
		return err
	}
	for _, set := range f.inputSets {
		text, err := a.readInput(set)
		if err != nil {
			return err
		}
		l.InputSets = append(l.InputSets, string(text))
	}
	return nil
}

// expressionValues reads values for expressions: what is before the first = behind the
// closing >.
func expressionValues(list []string) (map[string]string, error) {
	var out map[string]string
	for _, arg := range list {
		i := strings.LastIndex(arg, ">=")
		if !strings.HasPrefix(arg, "<+") || i < 0 {
			return nil, fault.New(fault.Invalid, "--expression %s: expected <+…>=VALUE, the expression as it is written in the pipeline", arg)
		}
		if out == nil {
			out = map[string]string{}
		}
		out[arg[:i+1]] = arg[i+2:]
	}
	return out, nil
}

// maxInput is how much of a file is sent: the server takes requests of 5 MB.
const maxInput = 4 << 20

func (a *app) readInput(file string) ([]byte, error) {
	in := a.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, unreadable(file, err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, unreadable(file, err)
	}
	if len(text) > maxInput {
		return nil, fault.New(fault.TooLarge, "%s has more than %d MB", file, maxInput>>20)
	}
	return text, nil
}

func unreadable(file string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fault.New(fault.Invalid, "%s cannot be read: %w", file, err)
}

// launch starts a run, lets w follow it to its end, and returns what stands for
// its status.
func (a *app) launch(ctx context.Context, w *watch, l client.Launch, f runFlags) error {
	started, err := launchOnce(ctx, w.client, l)
	if r, ok := errors.AsType[*client.Refused](err); ok {
		nameInputSets(r.Diagnostics, f.inputSets)
	}
	if err != nil {
		return err
	}
	nameInputSets(started.Warnings, f.inputSets)
	p := a.printer(w.target)
	p.begun(started)
	w.run, w.printer, w.approve = started.Run, p, f.approve
	w.in, w.err, w.theme, w.terminal = a.in, a.err, a.theme, a.mayAsk()
	run, err := w.follow(ctx)
	if err != nil {
		return err
	}
	status := exitFailed
	if screen.Passed(run.Status) {
		status = exitOK
	}
	p.ended(run, status)
	if status != exitOK {
		return &ended{status}
	}
	return nil
}

// nameInputSets gives diagnostics of input sets, which travel by number, the names
// of their files.
func nameInputSets(ds core.Diagnostics, files []string) {
	for i := range ds {
		for n, file := range files {
			if ds[i].File == fmt.Sprintf("inputSets[%d]", n) {
				ds[i].File = file
			}
		}
	}
}

// mayAsk reports whether there is a person to ask: questions go to standard error,
// so that standard output may be kept in a file.
func (a *app) mayAsk() bool {
	return !a.json() && screen.Terminal(a.in) && screen.Terminal(a.err)
}
