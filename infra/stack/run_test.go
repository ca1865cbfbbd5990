package stack

import (
	"slices"
	"strings"
)

// variables are all that a function may be told. None of them is secret.
var variables = []string{"SLIPWAY_TABLE", "SLIPWAY_BUCKET", "SLIPWAY_BUS", "SLIPWAY_MACHINES", "SLIPWAY_FUNCTIONS", "SLIPWAY_SCHEDULES",
	"SLIPWAY_SCHEDULE_ROLE", "SLIPWAY_SCHEDULE_DLQ", "SLIPWAY_SECRETS", "SLIPWAY_KMS_KEY", "SLIPWAY_ADMIN_SECRET", "SLIPWAY_ACCOUNT", "SLIPWAY_URL",
	"SLIPWAY_LOG_LEVEL", "SLIPWAY_VERSION", "SLIPWAY_DATA_DAYS"}

var runRules = []rule{
	{"functions", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::Lambda::Function") {
			name := strings.TrimPrefix(r.at("FunctionName"), t.Outputs["Name"]["Value"].(string)+"-")
			p.when(r.at("Runtime") != "provided.al2023" || r.at("Handler") != "bootstrap", "%s runs %s %s", id, r.at("Runtime"), r.at("Handler"))
			p.when(r.at("LoggingConfig", "LogFormat") != "JSON", "%s logs %s", id, r.at("LoggingConfig", "LogFormat"))
			group := t.Resources[strings.Trim(r.at("LoggingConfig", "LogGroup"), "${}")]
			p.when(group.at("LogGroupName") != "/aws/lambda/"+r.at("FunctionName"), "%s logs to %s", id, group.at("LogGroupName"))
			timeout, _ := r.Properties["Timeout"].(float64)
			behindAPI := slices.Contains([]string{"api", "catalogue", "delegate", "approve", "authorizer"}, name)
			p.when(timeout == 0 || behindAPI && timeout > 29, "%s may take %v s; API Gateway hangs up after 29", id, timeout)
		}
		return p
	}, func(t template) {
		t.Resources[named(t, "AWS::Lambda::Function", "Api")].Properties["Timeout"] = 60.0
	}},
	{"nothing secret in the environment", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::Lambda::Function") {
			env, _ := get(r.Properties, "Environment", "Variables").(map[string]any)
			for name, value := range env {
				p.when(!slices.Contains(variables, name), "%s is told %s: is it secret?", id, name)
				text, _ := value.(string)
				p.when(strings.Contains(text, "{{resolve:") || strings.Contains(text, "${AdminToken"), "%s is told a secret in %s", id, name)
			}
		}
		return p
	}, func(t template) {
		get(t.Resources[one(t, "AWS::Lambda::Function")].Properties, "Environment", "Variables").(map[string]any)["SLIPWAY_TOKEN"] = "x"
	}},
	{"what is not awaited has a dead letter", func(t template) []string {
		var p problems
		queue := "${" + one(t, "AWS::SQS::Queue") + ".Arn}"
		invoked := map[string]bool{}
		for id, r := range t.all("AWS::Lambda::EventInvokeConfig") {
			p.when(r.at("DestinationConfig", "OnFailure", "Destination") != queue, "%s: %s", id, r.at("DestinationConfig", "OnFailure", "Destination"))
			invoked[strings.Trim(r.at("FunctionName"), "${}")] = true
		}
		p.when(!invoked[named(t, "AWS::Lambda::Function", "Advance")], "timers call advance, and nobody sees when it fails")
		for id, r := range t.all("AWS::Lambda::EventSourceMapping") {
			p.when(r.at("DestinationConfig", "OnFailure", "Destination") != queue, "%s has no dead letters", id)
			p.when(r.at("MaximumRetryAttempts") == "" || r.at("MaximumRecordAgeInSeconds") == "" || r.at("BisectBatchOnFunctionError") != "true", "%s never gives up", id)
			p.when(r.at("FilterCriteria", "Filters", "0", "Pattern") != `{"dynamodb":{"NewImage":{"p":{"S":[{"exists":true}]}}}}`, "%s filters %s", id, r.at("FilterCriteria"))
		}
		return p
	}, func(t template) {
		delete(t.Resources[one(t, "AWS::Lambda::EventSourceMapping")].Properties, "DestinationConfig")
	}},
	{"somebody sees dead letters", func(t template) []string {
		var p problems
		seen := map[string]bool{}
		for id, r := range t.all("AWS::CloudWatch::Alarm") {
			if r.at("Namespace") == "AWS/SQS" && r.at("MetricName") == "ApproximateNumberOfMessagesVisible" && r.at("Threshold") == "0" {
				seen[r.at("Dimensions", "0", "Value")] = true
			}
			p.when(len(t.all("AWS::SNS::Topic")) > 0 && r.at("AlarmActions") == "", "%s tells nobody", id)
			p.when(r.at("TreatMissingData") != "notBreaching", "%s goes off while nothing happens", id)
		}
		for id, r := range t.all("AWS::SQS::Queue") {
			p.when(!seen[r.at("QueueName")], "no alarm watches %s", id)
		}
		return p
	}, func(t template) { delete(t.Resources, "DeadLettersAlarm") }},
	{"machines", func(t template) []string {
		var p problems
		all := t.all("AWS::StepFunctions::StateMachine")
		roles := map[string]bool{}
		for id, r := range all {
			p.when(r.at("StateMachineType") != "STANDARD", "%s is %s", id, r.at("StateMachineType"))
			p.when(r.at("LoggingConfiguration", "Level") != "ERROR" || r.at("LoggingConfiguration", "IncludeExecutionData") != "false", "%s logs the tokens of tasks", id)
			p.when(!strings.HasSuffix(r.at("DefinitionSubstitutions", "AdvanceFunction"), "-advance") || !strings.HasSuffix(r.at("DefinitionSubstitutions", "StageMachine"), "-stage"), "%s: %s", id, r.at("DefinitionSubstitutions"))
			roles[r.at("RoleArn")] = true
		}
		p.when(len(all) != len(machineNames) || len(roles) != len(all), "%d machines with %d roles", len(all), len(roles))
		return p
	}, func(t template) {
		t.Resources[named(t, "AWS::StepFunctions::StateMachine", "Stage")].Properties["LoggingConfiguration"] = map[string]any{"Level": "ALL", "IncludeExecutionData": true}
	}},
	{"nothing runs while nothing happens", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::Events::Rule") {
			p.when(r.at("ScheduleExpression") != "", "%s runs by the clock", id)
		}
		for _, kind := range []string{"AWS::Scheduler::Schedule", "AWS::EC2::NatGateway", "AWS::EC2::VPC", "AWS::KMS::Key", "AWS::Lambda::Version"} {
			p.when(len(t.all(kind)) > 0, "there is a %s", kind)
		}
		for id, r := range t.all("AWS::Lambda::Function") {
			p.when(r.at("ProvisionedConcurrencyConfig") != "" || r.at("SnapStart") != "", "%s costs while nothing happens", id)
		}
		return p
	}, func(t template) { t.Resources["Clock"] = resource{Type: "AWS::Scheduler::Schedule"} }},
}
