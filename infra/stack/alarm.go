package stack

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/jsii-runtime-go"

	"github.com/slipway-cd/slipway/infra/settings"
)

// watch is an alarm: more than limit in five minutes.
type watch struct {
	id, name, why     string
	namespace, metric string
	dimension, value  string
	statistic         string
	limit             float64
}

// watches is what is watched. Each alarm costs 0.10 USD a month, so that all but
// the first, which catches what needs a person, are there only for somebody.
func (s *stack) watches() []watch {
	list := []watch{{"DeadLettersAlarm", "dead-letters", "Something could not be delivered or an execution failed: see the queue",
		"AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", s.named("dead-letters"), "Maximum", 0}}
	if s.AlarmEmail == "" {
		return list
	}
	list = append(list, watch{"ApiAlarm", "api-5xx", "The API answers with errors of its own", "AWS/ApiGateway", "5XXError", "ApiName", s.Name, "Sum", 5})
	for _, f := range settings.Functions {
		id := strings.ToUpper(f[:1]) + f[1:]
		list = append(list,
			watch{id + "ErrorsAlarm", f + "-errors", "The function " + f + " fails: see its log", "AWS/Lambda", "Errors", "FunctionName", s.named(f), "Sum", 5},
			watch{id + "ThrottlesAlarm", f + "-throttles", "Lambda refuses calls of " + f + ": the account's concurrency is used up", "AWS/Lambda", "Throttles", "FunctionName", s.named(f), "Sum", 5})
	}
	for _, m := range machineNames {
		id := strings.ToUpper(m[:1]) + m[1:]
		list = append(list,
			watch{id + "FailedAlarm", m + "-failed", "Executions of " + m + " fail: a fault of the platform", "AWS/States", "ExecutionsFailed", "StateMachineArn", s.machineARN(m), "Sum", 0},
			watch{id + "TimedOutAlarm", m + "-timed-out", "Executions of " + m + " time out", "AWS/States", "ExecutionsTimedOut", "StateMachineArn", s.machineARN(m), "Sum", 0})
	}
	return list
}

// addAlarms makes them, and tells the given address of them.
func (s *stack) addAlarms() {
	var tell []any
	if s.AlarmEmail != "" {
		tell = append(tell, s.addTopic())
	}
	for _, w := range s.watches() {
		props := &awscloudwatch.CfnAlarmProps{
			AlarmName: jsii.String(s.named(w.name)), AlarmDescription: &w.why,
			Namespace: &w.namespace, MetricName: &w.metric, Statistic: &w.statistic,
			Dimensions:         []any{&awscloudwatch.CfnAlarm_DimensionProperty{Name: &w.dimension, Value: &w.value}},
			ComparisonOperator: jsii.String("GreaterThanThreshold"), Threshold: &w.limit,
			Period: jsii.Number(300), EvaluationPeriods: jsii.Number(1), TreatMissingData: jsii.String("notBreaching"),
		}
		if tell != nil {
			props.AlarmActions, props.OkActions = &tell, &tell
		}
		awscloudwatch.NewCfnAlarm(s.Stack, &w.id, props)
	}
}

// addTopic makes the topic of alarms; its messages hold names and numbers of
// metrics only. It takes TLS alone, and messages of this account's alarms.
func (s *stack) addTopic() *string {
	props := &awssns.TopicProps{TopicName: jsii.String(s.named("alarms")), DisplayName: jsii.String("Slipway"), EnforceSSL: jsii.Bool(true)}
	if s.key != nil {
		props.MasterKey = s.key
	}
	topic := awssns.NewTopic(s.Stack, jsii.String("Alarms"), props)
	topic.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: jsii.String("Alarms"), Actions: text("sns:Publish"), Resources: text(*topic.TopicArn()),
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String("cloudwatch.amazonaws.com"), nil)},
		Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": *s.Account()}},
	}))
	awssns.NewSubscription(s.Stack, jsii.String("AlarmEmail"), &awssns.SubscriptionProps{
		Topic: topic, Protocol: awssns.SubscriptionProtocol_EMAIL, Endpoint: &s.AlarmEmail,
	})
	return topic.TopicArn()
}
