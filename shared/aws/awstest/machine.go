package awstest

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
)

// Machines makes a state machine of each definition, with values for its
// ${substitutions}, and returns their ARNs. ${Name} of a machine "name" stands for
// its own ARN. What still runs at the end of the test is stopped.
func Machines(t testing.TB, cfg aws.Config, definitions map[string][]byte, values map[string]string) map[string]string {
	t.Helper()
	client := sfn.NewFromConfig(cfg)
	prefix := Name("slipway") + "-"
	arns, pairs := map[string]string{}, []string{}
	for name := range definitions {
		arns[name] = "arn:aws:states:" + Region + ":000000000000:stateMachine:" + prefix + name
		pairs = append(pairs, "${"+strings.ToUpper(name[:1])+name[1:]+"}", arns[name])
	}
	for name, value := range values {
		pairs = append(pairs, "${"+name+"}", value)
	}
	for name, definition := range definitions {
		out, err := client.CreateStateMachine(t.Context(), &sfn.CreateStateMachineInput{
			Name: aws.String(prefix + name), RoleArn: aws.String(Role),
			Definition: aws.String(strings.NewReplacer(pairs...).Replace(string(definition))),
		})
		must(t, "making a state machine", err)
		if got := aws.ToString(out.StateMachineArn); got != arns[name] {
			t.Fatalf("the state machine is %s, not %s", got, arns[name])
		}
		cleanup(t, "a state machine", func(ctx context.Context) error { return remove(ctx, client, arns[name]) })
	}
	return arns
}

// remove deletes a machine and stops its executions.
func remove(ctx context.Context, client *sfn.Client, arn string) error {
	list, err := client.ListExecutions(ctx, &sfn.ListExecutionsInput{StateMachineArn: &arn, StatusFilter: types.ExecutionStatusRunning})
	if err != nil {
		return err
	}
	for _, e := range list.Executions {
		if _, err := client.StopExecution(ctx, &sfn.StopExecutionInput{ExecutionArn: e.ExecutionArn}); err != nil {
			return err
		}
	}
	_, err = client.DeleteStateMachine(ctx, &sfn.DeleteStateMachineInput{StateMachineArn: &arn})
	return err
}
