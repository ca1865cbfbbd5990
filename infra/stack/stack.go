// Package stack is everything that Slipway has in an AWS account: one construct a
// file, and in permission.go, as data, what each function may do.
package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigateway"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/slipway-cd/slipway/infra/settings"
)

// stack is what the constructs share; each file fills in what it makes.
type stack struct {
	awscdk.Stack
	settings.Settings
	key          awskms.IKey // nil without one
	table        awsdynamodb.ITable
	bucket       awss3.Bucket
	bus          awsevents.EventBus
	deadLetters  awssqs.Queue
	scheduleRole awsiam.IRole
	api          awsapigateway.RestApi
	functions    map[string]awslambda.Function
}

// New adds the stack to an app.
func New(app constructs.Construct, set settings.Settings) awscdk.Stack {
	s := &stack{Settings: set, functions: map[string]awslambda.Function{}}
	props := &awscdk.StackProps{
		StackName:   &set.Name,
		Description: jsii.String("Slipway " + set.Version + ": runs Harness-compatible pipelines"),
	}
	if set.Region != "" {
		props.Env = &awscdk.Environment{Region: &set.Region}
	}
	s.Stack = awscdk.NewStack(app, &set.Name, props)
	awscdk.Tags_Of(s.Stack).Add(jsii.String("slipway:stack"), &set.Name, nil)
	awscdk.Tags_Of(s.Stack).Add(jsii.String("slipway:version"), &set.Version, nil)
	if set.KMSKey != "" {
		s.key = awskms.Key_FromKeyArn(s.Stack, jsii.String("Key"), &set.KMSKey)
	}
	s.addDeadLetters()
	s.addTable()
	s.addBucket()
	s.addBus()
	s.addAdminToken()
	s.addSchedules()
	s.addRestAPI() // before the functions, which are told its URL
	s.addFunctions()
	s.addRelayMapping()
	s.addReconciling()
	s.addRoutes()
	s.addDomain()
	s.addMachines()
	s.addTracing()
	s.addAlarms()
	s.addDashboard()
	s.addOutputs()
	return s.Stack
}

// named is a resource's name.
func (s *stack) named(what string) string { return s.Name + "-" + what }

// arn is the ARN of something of this account and region that is known by name,
// so that nothing waits for what it names.
func (s *stack) arn(service, resource string) string {
	return "arn:" + *s.Partition() + ":" + service + ":" + *s.Stack.Region() + ":" + *s.Account() + ":" + resource
}

func (s *stack) functionARN(name string) string { return s.arn("lambda", "function:"+s.named(name)) }

func (s *stack) machineARN(name string) string {
	return s.arn("states", "stateMachine:"+s.named(name))
}

// kept is what becomes of data when the stack is destroyed.
func (s *stack) kept() awscdk.RemovalPolicy {
	if s.DestroyData {
		return awscdk.RemovalPolicy_DESTROY
	}
	return awscdk.RemovalPolicy_RETAIN
}

// text makes a list for CDK.
func text(list ...string) *[]*string { return jsii.Strings(list...) }
