package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/jsii-runtime-go"
)

// addBus makes the bus on which runs tell of themselves.
func (s *stack) addBus() {
	s.bus = awsevents.NewEventBus(s.Stack, jsii.String("Bus"), &awsevents.EventBusProps{
		EventBusName: &s.Name,
		Description:  jsii.String("What happens to runs; the source is slipway"),
	})
}
