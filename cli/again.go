package cli

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/fault"
)

func (a *app) rerun() *cobra.Command {
	var inputs, sets []string
	cmd := &cobra.Command{
		Use:   "rerun RUN",
		Short: "Run a pipeline again, as it is written now",
		Long:  "Start a fresh run of a run's pipeline as it is written now. Inputs are those of that run unless they are given.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.again(cmd.Context(), args[0], inputs, sets, client.Again{}, (*client.Client).Rerun)
		},
	}
	againInputs(cmd, &inputs, &sets)
	return cmd
}

func (a *app) retry() *cobra.Command {
	var inputs, sets []string
	var in client.Again
	cmd := &cobra.Command{
		Use:   "retry RUN",
		Short: "Take up a failed run where it has failed",
		Long: "Start a run that takes up a failed one: stages before the one it begins with count as executed, with their outputs.\n" +
			"The pipeline is as it is written now; its stages up to there have to be the same.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(in.Stages) == 0 && len(inputs)+len(sets) > 0 {
				return fault.New(fault.Invalid, "a retry from where the run has failed keeps its inputs: name a stage with --from to give others")
			}
			return a.again(cmd.Context(), args[0], inputs, sets, in, (*client.Client).Retry)
		},
	}
	cmd.Flags().StringArrayVar(&in.Stages, "from", nil, "the `stage` to begin with; all of a parallel begin when one is named")
	cmd.Flags().BoolVar(&in.FailedOnly, "failed-only", false, "of a parallel, run only the stages that have failed")
	againInputs(cmd, &inputs, &sets)
	return cmd
}

func againInputs(cmd *cobra.Command, inputs, sets *[]string) {
	cmd.Flags().StringArrayVar(inputs, "input", nil, "a runtime input, `PATH=VALUE`; a bare name is a pipeline variable")
	cmd.Flags().StringArrayVar(sets, "inputs", nil, "a `file` with an input set, instead of all that the run had")
}

// again starts a run in the place of another and says which.
func (a *app) again(ctx context.Context, run string, inputs, sets []string, in client.Again,
	start func(*client.Client, context.Context, string, client.Again) (client.Launched, error),
) error {
	var err error
	if in.Inputs, err = pairs("--input", inputs); err != nil {
		return err
	}
	for _, f := range sets {
		text, err := a.readInput(f)
		if err != nil {
			return err
		}
		in.InputSets = append(in.InputSets, string(text))
	}
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	in.Key = rand.Text()
	started, err := insist(ctx, func() (client.Launched, error) { return start(c, ctx, run, in) })
	if err != nil {
		return t.reached(err)
	}
	if a.json() {
		return a.print(started)
	}
	_, err = fmt.Fprintf(a.out, "run %s  #%d\n", started.Run, started.Sequence)
	return err
}
