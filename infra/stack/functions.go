package stack

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambdadestinations"
	"github.com/aws/jsii-runtime-go"

	"github.com/slipway-cd/slipway/infra/settings"
)

// shape is how a function differs from the others.
type shape struct {
	does    string
	memory  int // MB
	timeout int // seconds; 29 is where API Gateway hangs up
	async   bool
}

var shapes = map[string]shape{
	"api":        {"serves runs to people and their tools", 512, 29, false}, // compiling the largest pipeline takes 290 MB and 3 s of a processor
	"catalogue":  {"serves what people keep", 512, 29, false},               // likewise: what is kept is compiled
	"authorizer": {"says who a request comes from", 128, 10, false},
	"delegate":   {"serves delegates", 256, 29, false},
	"advance":    {"is invoked by the state machines and by timers", 256, 60, true},
	"relay":      {"makes sure of what events command", 256, 60, false},
	"approve":    {"shows and decides approvals", 256, 29, false},
}

// addFunctions makes one function for each folder below functions/.
func (s *stack) addFunctions() {
	for _, name := range settings.Functions {
		s.functions[name] = s.addFunction(name, shapes[name])
	}
}

func (s *stack) addFunction(name string, is shape) awslambda.Function {
	id := strings.ToUpper(name[:1]) + name[1:]
	role := s.role(id+"Role", "the function "+name+" may do", "lambda.amazonaws.com", s.grants(name), nil)
	group := s.addLogGroup(id+"Log", s.logGroup(name))
	props := &awslambda.FunctionProps{
		FunctionName:          jsii.String(s.named(name)),
		Description:           jsii.String("Slipway: " + is.does),
		Runtime:               awslambda.Runtime_PROVIDED_AL2023(),
		Architecture:          s.architecture(),
		Handler:               jsii.String("bootstrap"),
		Code:                  awslambda.Code_FromAsset(jsii.String(filepath.Join(s.Code, name)), nil),
		MemorySize:            jsii.Number(is.memory),
		Timeout:               seconds(is.timeout),
		Role:                  role,
		Environment:           s.environment(name),
		LoggingFormat:         awslambda.LoggingFormat_JSON,
		ApplicationLogLevelV2: awslambda.ApplicationLogLevel(strings.ToUpper(s.LogLevel)),
		SystemLogLevelV2:      awslambda.SystemLogLevel_WARN, // a line for each start and end would cost more than the call
		LogGroup:              group,
		Tracing:               awslambda.Tracing_DISABLED,
	}
	if s.Tracing {
		props.Tracing = awslambda.Tracing_ACTIVE
	}
	if is.async {
		props.OnFailure = awslambdadestinations.NewSqsDestination(s.deadLetters)
		props.RetryAttempts = jsii.Number(2)
		props.MaxEventAge = awscdk.Duration_Hours(jsii.Number(6))
	}
	return awslambda.NewFunction(s.Stack, &id, props)
}

func (s *stack) architecture() awslambda.Architecture {
	if s.Arch == "x86_64" {
		return awslambda.Architecture_X86_64()
	}
	return awslambda.Architecture_ARM_64()
}

// environment is what package shared/aws/function reads, as far as the function
// uses it. No value in it is secret.
func (s *stack) environment(function string) *map[string]*string {
	env := map[string]string{
		"SLIPWAY_TABLE": *s.table.TableName(), "SLIPWAY_SECRETS": s.Name + "/",
		"SLIPWAY_LOG_LEVEL": s.LogLevel, "SLIPWAY_VERSION": s.Version,
	}
	if function == "authorizer" || function == "api" || function == "catalogue" {
		// The doors look at it only where no authorizer stands before them, which is on a
		// stand-in for AWS; their roles may not read the secret.
		env["SLIPWAY_ADMIN_SECRET"] = s.adminSecret()
		if s.AccountID != "" {
			env["SLIPWAY_ACCOUNT"] = s.AccountID
		}
	}
	if s.KMSKey != "" && function != "authorizer" {
		env["SLIPWAY_KMS_KEY"] = s.KMSKey
	}
	if function != "authorizer" && function != "catalogue" {
		env["SLIPWAY_BUCKET"] = *s.bucket.BucketName()
		env["SLIPWAY_BUS"] = s.Name
		env["SLIPWAY_MACHINES"] = s.machineARN("")
		env["SLIPWAY_FUNCTIONS"] = s.functionARN("")
		env["SLIPWAY_SCHEDULES"] = s.Name
		env["SLIPWAY_SCHEDULE_ROLE"] = *s.scheduleRole.RoleArn()
		env["SLIPWAY_SCHEDULE_DLQ"] = *s.deadLetters.QueueArn()
		if s.DataDays > 0 {
			env["SLIPWAY_DATA_DAYS"] = strconv.Itoa(s.DataDays)
		}
		if s.MaxRuns > 0 {
			env["SLIPWAY_MAX_RUNS"] = strconv.Itoa(s.MaxRuns)
		}
	}
	if function == "api" {
		env["SLIPWAY_URL"] = s.url()
	}
	out := map[string]*string{}
	for k, v := range env {
		out[k] = jsii.String(v)
	}
	return &out
}
