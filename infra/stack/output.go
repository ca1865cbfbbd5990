package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

// addOutputs says what people and tests need to know of a deployment. None of it
// is secret.
func (s *stack) addOutputs() {
	region := *s.Stack.Region()
	for _, o := range []struct{ name, value, description string }{
		{"Name", s.Name, "The stack's name, with which all names begin"},
		{"ApiUrl", s.url(), "Where Slipway is"},
		{"AdminToken", "aws secretsmanager get-secret-value --region " + region + " --secret-id " + s.adminSecret() + " --query SecretString --output text",
			"Prints the first admin's token"},
		{"Login", "slipway login --server " + s.url(), "Asks for the token"},
		{"Delegate", "slipway delegates token first > join-token && slipway delegate --server " + s.url() + " --token-file join-token",
			"Starts a delegate, once logged in"},
		{"Region", region, "Where the stack is"},
		{"Table", *s.table.TableName(), "All records"},
		{"Bucket", *s.bucket.BucketName(), "Plans and large outputs"},
		{"Bus", s.Name, "What happens to runs"},
		{"DeadLetters", *s.deadLetters.QueueUrl(), "What needs a person"},
		{"Schedules", s.Name, "The group of the timers"},
		{"Machines", s.machineARN(""), "Their ARNs, without pipeline, stage, branch"},
		{"Functions", s.functionARN(""), "Their ARNs, without their names"},
		{"AdminSecret", s.adminSecret(), "The secret with the first admin's token"},
		{"ApiId", *s.api.RestApiId(), "The API's id"},
	} {
		output := awscdk.NewCfnOutput(s.Stack, jsii.String("Output"+o.name), &awscdk.CfnOutputProps{Value: &o.value, Description: &o.description})
		output.OverrideLogicalId(&o.name)
	}
}
