package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/jsii-runtime-go"
)

// addReconciling tells advance of every execution that has ended badly, which is
// only ever a fault of the platform or somebody's hand: it puts another in its
// place when the run needs one.
func (s *stack) addReconciling() {
	machines := []any{}
	for _, m := range machineNames {
		machines = append(machines, s.machineARN(m))
	}
	rule := awsevents.NewRule(s.Stack, jsii.String("FailedExecutions"), &awsevents.RuleProps{
		RuleName:    jsii.String(s.named("failed-executions")),
		Description: jsii.String("An execution ends badly only on a fault of the platform: another takes its place"),
		EventPattern: &awsevents.EventPattern{
			Source:     text("aws.states"),
			DetailType: text("Step Functions Execution Status Change"),
			Detail: &map[string]any{
				"status":          []any{"FAILED", "TIMED_OUT", "ABORTED"},
				"stateMachineArn": machines,
			},
		},
	})
	rule.AddTarget(awseventstargets.NewLambdaFunction(s.functions["advance"], &awseventstargets.LambdaFunctionProps{
		DeadLetterQueue: s.deadLetters,
		RetryAttempts:   jsii.Number(100),
		MaxEventAge:     seconds(24 * 60 * 60),
	}))
}
