package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/strategy"
)

func (a *app) plan() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "plan FILE",
		Short: "Show what a pipeline file comes to: templates, inputs, loops, and where each value is from",
		Long: "Show what a pipeline file comes to before anything runs: templates put in, inputs merged, loops expanded where\n" +
			"they are known, and for each value the file and line it is from. Nothing is started and no platform is needed.\n" +
			"Templates and input sets that are referred to are looked for in the folders given by --with. What cannot be\n" +
			"executed yet is shown too, and told on standard error. FILE may be - for standard input.\n\n" +
			"Exit status: 0 it could be shown, 2 bad input.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.showPlan(args[0], f) },
	}
	f.pipeline(cmd.Flags())
	return cmd
}

// planned is a plan for programs.
type planned struct {
	Plan   *core.Plan                 `json:"plan"`
	Fields map[string][]compile.Field `json:"fields"` // by a node's fqn
	Uses   map[string][]compile.Use   `json:"templates"`
	// Loops are the iterations of the loops that are known before the run.
	Loops       map[string][]iteration `json:"loops"`
	Diagnostics core.Diagnostics       `json:"diagnostics"`
}

// iteration is one of a loop's that is known before the run.
type iteration struct {
	Identifier string         `json:"id"`
	Matrix     map[string]any `json:"matrix,omitempty"`
	Item       any            `json:"item,omitempty"`
	Partition  []any          `json:"partition,omitempty"`
}

func (a *app) showPlan(file string, f runFlags) error {
	l, err := a.readLaunch(file, f)
	if err != nil {
		return err
	}
	sources, err := readLibrary(f.with)
	if err != nil {
		return err
	}
	library, diags := compile.Index(sources)
	for i := range diags {
		diags[i].Severity = core.SeverityWarning // a file that nothing may refer to
	}
	opt := options(l, f.inputSets, library)
	opt.Lenient = true
	e, ds := compile.Explain(compile.Source{File: l.File, Data: []byte(l.YAML)}, opt)
	diags = append(diags, ds...)
	for _, d := range diags {
		if d.Severity == core.SeverityError || e == nil {
			a.refused(diags)
			return &ended{exitInvalid}
		}
	}
	p := planned{Plan: e.Plan, Fields: e.Fields, Uses: e.Uses, Loops: known(e.Plan), Diagnostics: append(core.Diagnostics{}, diags...)}
	if a.json() {
		return a.print(p)
	}
	draw := drawing{out: a.out, theme: a.theme, planned: p}
	draw.node(e.Plan.Root, "")
	if len(diags) > 0 {
		fmt.Fprintln(a.err, diags)
	}
	return nil
}

// known expands the loops that need nothing of the run.
func known(p *core.Plan) map[string][]iteration {
	out := map[string][]iteration{}
	p.Root.Walk(func(n *core.Node) {
		if n.Loop == nil || len(strategy.Needs(n.Loop)) > 0 {
			return
		}
		its, err := strategy.Expand(n.Loop, strategy.Values{})
		if err != nil {
			return // told by the compiler
		}
		for _, it := range its {
			out[n.FQN] = append(out[n.FQN], iteration{n.Identifier + it.PostFix, it.Matrix, it.Item, it.Partition})
		}
	})
	return out
}
