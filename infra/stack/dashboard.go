package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/jsii-runtime-go"

	"github.com/slipway-cd/slipway/infra/settings"
)

// panel is a graph: metrics as CloudWatch's dashboards write them.
type panel struct {
	title, stat string
	metrics     []any
}

// addDashboard makes one page of the numbers that matter, within the 50 metrics of
// a dashboard that is free.
func (s *stack) addDashboard() {
	if !s.Dashboard {
		return
	}
	var widgets []any
	for i, p := range s.panels() {
		widgets = append(widgets, map[string]any{
			"type": "metric", "x": i % 2 * 12, "y": i / 2 * 6, "width": 12, "height": 6,
			"properties": map[string]any{"title": p.title, "stat": p.stat, "metrics": p.metrics,
				"region": *s.Stack.Region(), "period": 300, "view": "timeSeries", "yAxis": map[string]any{"left": map[string]any{"min": 0}}},
		})
	}
	awscloudwatch.NewCfnDashboard(s.Stack, jsii.String("Dashboard"), &awscloudwatch.CfnDashboardProps{
		DashboardName: jsii.String(s.Name),
		DashboardBody: s.ToJsonString(map[string]any{"widgets": widgets}, nil),
	})
}

func (s *stack) panels() []panel {
	table, queue := *s.table.TableName(), s.named("dead-letters")
	return []panel{
		{"Executions", "Sum", s.byMachine("ExecutionsStarted", "ExecutionsFailed", "ExecutionsTimedOut")},
		{"What needs a person", "Maximum", []any{
			[]any{"AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", queue, map[string]any{"label": "dead letters"}},
			[]any{"AWS/Lambda", "IteratorAge", "FunctionName", s.named("relay"), map[string]any{"label": "relay's lag, ms", "yAxis": "right"}}}},
		{"Calls of functions", "Sum", s.byFunction("Invocations")},
		{"Errors of functions", "Sum", s.byFunction("Errors")},
		{"Calls refused for concurrency", "Sum", s.byFunction("Throttles")},
		{"Duration of functions, p99, ms", "p99", s.byFunction("Duration")},
		{"API", "Sum", []any{
			[]any{"AWS/ApiGateway", "Count", "ApiName", s.Name}, []any{"AWS/ApiGateway", "4XXError", "ApiName", s.Name},
			[]any{"AWS/ApiGateway", "5XXError", "ApiName", s.Name}}},
		{"Table", "Sum", []any{
			[]any{"AWS/DynamoDB", "ConsumedReadCapacityUnits", "TableName", table}, []any{"AWS/DynamoDB", "ConsumedWriteCapacityUnits", "TableName", table},
			[]any{"AWS/DynamoDB", "ReadThrottleEvents", "TableName", table}, []any{"AWS/DynamoDB", "WriteThrottleEvents", "TableName", table}}},
	}
}

func (s *stack) byFunction(metric string) (list []any) {
	for _, f := range settings.Functions {
		list = append(list, []any{"AWS/Lambda", metric, "FunctionName", s.named(f), map[string]any{"label": f}})
	}
	return list
}

func (s *stack) byMachine(metrics ...string) (list []any) {
	for _, metric := range metrics {
		for _, m := range machineNames {
			list = append(list, []any{"AWS/States", metric, "StateMachineArn", s.machineARN(m), map[string]any{"label": m + " " + metric[len("Executions"):]}})
		}
	}
	return list
}
