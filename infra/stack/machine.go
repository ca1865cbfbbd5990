package stack

import (
	"path/filepath"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsstepfunctions"
	"github.com/aws/jsii-runtime-go"
)

// machineNames are the definitions in statemachines/.
var machineNames = []string{"pipeline", "stage", "branch"}

// addMachines makes the state machines from the definitions as they are.
func (s *stack) addMachines() {
	group := s.addLogGroup("MachineLog", "/aws/vendedlogs/states/"+s.Name)
	for _, name := range machineNames {
		id := strings.ToUpper(name[:1]) + name[1:]
		machine := awsstepfunctions.NewStateMachine(s.Stack, jsii.String(id+"Machine"), &awsstepfunctions.StateMachineProps{
			StateMachineName: jsii.String(s.named(name)),
			StateMachineType: awsstepfunctions.StateMachineType_STANDARD,
			DefinitionBody:   awsstepfunctions.DefinitionBody_FromFile(jsii.String(filepath.Join(s.Definitions, name+".asl.json")), nil),
			DefinitionSubstitutions: &map[string]*string{
				"AdvanceFunction": jsii.String(s.functionARN("advance")),
				"StageMachine":    jsii.String(s.machineARN("stage")),
			},
			Role: s.machineRole(id, name),
			Logs: &awsstepfunctions.LogOptions{
				Destination:          group,
				Level:                awsstepfunctions.LogLevel_ERROR,
				IncludeExecutionData: jsii.Bool(false), // tokens of tasks are in it
			},
			TracingEnabled: jsii.Bool(s.Tracing),
		})
		machine.Node().AddDependency(s.functions["advance"])
	}
}

// machineRole: every machine invokes advance; the pipeline's also runs stages and
// awaits them, for which Step Functions keeps a rule of its own.
func (s *stack) machineRole(id, name string) awsiam.IRole {
	list := []grant{
		{"invoke", []string{"lambda:InvokeFunction"}, []string{s.functionARN("advance")}, nil},
		// Delivering logs has no resource to name.
		{"log", []string{"logs:CreateLogDelivery", "logs:GetLogDelivery", "logs:UpdateLogDelivery", "logs:DeleteLogDelivery",
			"logs:ListLogDeliveries", "logs:PutResourcePolicy", "logs:DescribeResourcePolicies", "logs:DescribeLogGroups"}, []string{"*"}, nil},
	}
	if s.Tracing {
		list = append(list, grant{"trace", []string{"xray:PutTraceSegments", "xray:PutTelemetryRecords",
			"xray:GetSamplingRules", "xray:GetSamplingTargets"}, []string{"*"}, nil})
	}
	if name == "pipeline" {
		list = append(list,
			grant{"start", []string{"states:StartExecution"}, []string{s.machineARN("stage")}, nil},
			grant{"follow", []string{"states:DescribeExecution", "states:StopExecution"}, []string{s.arn("states", "execution:"+s.named("stage")+":*")}, nil},
			grant{"await", []string{"events:PutTargets", "events:PutRule", "events:DescribeRule"},
				[]string{s.arn("events", "rule/StepFunctionsGetEventsForStepFunctionsExecutionRule")}, nil})
	}
	return s.role(id+"MachineRole", "the state machine "+name+" may do", "states.amazonaws.com", list,
		map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": *s.Account()},
			"ArnLike": map[string]any{"aws:SourceArn": s.machineARN("*")}})
}
