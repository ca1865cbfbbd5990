package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
)

// logGroup is the name of a function's log group.
func (s *stack) logGroup(function string) string { return "/aws/lambda/" + s.named(function) }

// addLogGroup makes a log group that forgets. It goes with the stack.
func (s *stack) addLogGroup(id, name string) awslogs.LogGroup {
	group := awslogs.NewLogGroup(s.Stack, &id, &awslogs.LogGroupProps{
		LogGroupName:  &name,
		RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	})
	raw := group.Node().DefaultChild().(awslogs.CfnLogGroup)
	days := float64(s.RetentionDays)
	raw.SetRetentionInDays(&days)
	if s.KMSKey != "" {
		raw.SetKmsKeyId(&s.KMSKey)
	}
	return group
}
