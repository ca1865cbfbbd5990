package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/simulate"
)

// simulated is when a simulated run starts, the same for all: nothing may depend on
// when somebody looks.
var simulated = core.Millis(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))

// scriptFlags are what a simulation assumes.
type scriptFlags struct {
	fail, approve, reject, output, duration, intervene []string
}

func (a *app) simulate() *cobra.Command {
	var f runFlags
	var s scriptFlags
	cmd := &cobra.Command{
		Use:   "simulate FILE",
		Short: "Play a whole run on a virtual clock: nothing is touched",
		Long: "Play a whole run on a virtual clock, with nothing touched and no platform needed: which steps run in what order,\n" +
			"which conditions hold, who is asked, what a failure leads to, and how long all of it takes.\n\n" +
			"A step succeeds at once, a Wait takes its duration, a step that fails of Timeout takes its timeout. Nobody answers\n" +
			"approvals and interventions unless you say so. NODE is a path such as stages.build.steps.unit, or an identifier\n" +
			"or name that only one node has. Templates and input sets that are referred to are looked for in the folders\n" +
			"given by --with. Steps that nothing executes yet are played as well, and told on standard error.\n" +
			"FILE may be - for standard input.\n\n" +
			"Exit status: 0 the run was played, however it ended, 1 the pipeline is wrong, 2 bad usage.",
		Example: "  slipway simulate p.yaml --fail stages.build.steps.unit=Timeout*2 --approve all\n" +
			"  slipway simulate p.yaml --duration deploy=5m --output stages.build.steps.unit.version=1.4",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.simulateFile(args[0], f, s) },
	}
	set := cmd.Flags()
	f.pipeline(set)
	set.StringArrayVar(&s.fail, "fail", nil, "`NODE=TYPE`: a step fails, as failure strategies name it; TYPE*2 the first two times (repeatable)")
	set.StringArrayVar(&s.approve, "approve", nil, "`NODE`: who is asked says yes; or all (repeatable)")
	set.StringArrayVar(&s.reject, "reject", nil, "`NODE`: somebody says no; or all (repeatable)")
	set.StringArrayVar(&s.output, "output", nil, "`NODE.name=value`: an output of a step (repeatable)")
	set.StringArrayVar(&s.duration, "duration", nil, "`NODE=10s`: how long a step takes, or an answer to it (repeatable)")
	set.StringArrayVar(&s.intervene, "intervene", nil, "`NODE=Action`: the answer to an intervention; again for the next one (repeatable)")
	return cmd
}

func (a *app) simulateFile(file string, f runFlags, flags scriptFlags) error {
	plan, err := a.readPlan(file, f)
	if err != nil {
		return err
	}
	script := simulate.NewScript(plan)
	for _, part := range []struct {
		flag string
		args []string
		take func(string) error
	}{
		{"fail", flags.fail, script.Fail}, {"approve", flags.approve, script.Approve}, {"reject", flags.reject, script.Reject},
		{"output", flags.output, script.Output}, {"duration", flags.duration, script.Duration}, {"intervene", flags.intervene, script.Intervene},
	} {
		for _, arg := range part.args {
			if err := part.take(arg); err != nil {
				return fmt.Errorf("--%s: %w", part.flag, err)
			}
		}
	}
	for _, d := range script.Doubts {
		fmt.Fprintln(a.err, "slipway: warning: "+a.theme.Clean(d))
	}
	result, err := simulate.Run(plan, script, simulated)
	if err != nil {
		return err
	}
	if a.json() {
		return a.print(result)
	}
	return a.simulation(result)
}

// readPlan compiles a pipeline file for looking at; what is to be said of it goes to
// standard error.
func (a *app) readPlan(file string, f runFlags) (*core.Plan, error) {
	l, err := a.readLaunch(file, f)
	if err != nil {
		return nil, err
	}
	sources, err := readLibrary(f.with)
	if err != nil {
		return nil, err
	}
	library, diags := compile.Index(sources)
	for i := range diags {
		diags[i].Severity = core.SeverityWarning // a file that nothing may refer to
	}
	opt := options(l, f.inputSets, library)
	opt.Lenient = true
	e, ds := compile.Explain(compile.Source{File: l.File, Data: []byte(l.YAML)}, opt)
	diags = append(diags, ds...)
	wrong := e == nil
	for _, d := range diags {
		wrong = wrong || d.Severity == core.SeverityError
	}
	if wrong && a.json() {
		_ = a.print(map[string]any{"event": "refused", "diagnostics": diags, "exit": exitFailed})
		return nil, &ended{exitFailed}
	}
	for _, d := range diags {
		fmt.Fprintln(a.err, a.theme.Clean(d.String()))
	}
	if wrong {
		return nil, &ended{exitFailed}
	}
	return e.Plan, nil
}
