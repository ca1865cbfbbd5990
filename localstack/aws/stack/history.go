package stack

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/sfn"

	"github.com/slipway-cd/slipway/shared/core"
)

// Transitions counts the states that the machines have entered for a run, by the
// histories of its executions.
func (s *Stack) Transitions(ctx context.Context, run string) (int, error) {
	client, total := sfn.NewFromConfig(s.config), 0
	for _, m := range []string{core.MachinePipeline, core.MachineStage, core.MachineBranch} {
		arn := s.Machines + m
		all := sfn.NewListExecutionsPaginator(client, &sfn.ListExecutionsInput{StateMachineArn: &arn})
		for all.HasMorePages() {
			page, err := all.NextPage(ctx)
			if err != nil {
				return 0, err
			}
			for _, e := range page.Executions {
				if !strings.HasPrefix(*e.Name, run) {
					continue
				}
				n, err := entered(ctx, client, *e.ExecutionArn)
				if err != nil {
					return 0, err
				}
				total += n
			}
		}
	}
	return total, nil
}

func entered(ctx context.Context, client *sfn.Client, execution string) (n int, err error) {
	events := sfn.NewGetExecutionHistoryPaginator(client, &sfn.GetExecutionHistoryInput{ExecutionArn: &execution})
	for events.HasMorePages() {
		page, err := events.NextPage(ctx)
		if err != nil {
			return n, err
		}
		for _, e := range page.Events {
			if strings.HasSuffix(string(e.Type), "StateEntered") {
				n++
			}
		}
	}
	return n, nil
}
