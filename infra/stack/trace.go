package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsxray"
	"github.com/aws/jsii-runtime-go"
)

// traced is the share of requests and executions that is traced.
const traced = 0.05

// addTracing bounds what X-Ray takes, whose own rule takes the first request of
// each second. Approval links are not traced: their path is a credential.
func (s *stack) addTracing() {
	if !s.Tracing {
		return
	}
	s.addSampling("NoLinks", "no-links", "*/slipway/v1/approve/*", 0, 1000)
	s.addSampling("Sampling", "sampling", "*", traced, 1001)
}

func (s *stack) addSampling(id, name, path string, rate float64, priority int) {
	awsxray.NewCfnSamplingRule(s.Stack, &id, &awsxray.CfnSamplingRuleProps{
		SamplingRule: &awsxray.CfnSamplingRule_SamplingRuleProperty{
			RuleName: jsii.String(s.named(name)), Version: jsii.Number(1), Priority: jsii.Number(priority),
			FixedRate: &rate, ReservoirSize: jsii.Number(0),
			ServiceName: jsii.String(s.Name + "*"), ServiceType: jsii.String("*"), ResourceArn: jsii.String("*"),
			Host: jsii.String("*"), HttpMethod: jsii.String("*"), UrlPath: &path,
		},
	})
}
