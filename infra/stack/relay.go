package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
)

// addRelayMapping gives the relay the stream's items that have commands. What is
// filtered out costs nothing. A batch that fails is halved until what is wrong
// stands alone, and ends as a dead letter.
func (s *stack) addRelayMapping() {
	pending := map[string]any{"dynamodb": map[string]any{"NewImage": map[string]any{
		tablePending: map[string]any{"S": []any{map[string]any{"exists": true}}}}}}
	awslambda.NewCfnEventSourceMapping(s.Stack, jsii.String("RelayMapping"), &awslambda.CfnEventSourceMappingProps{
		FunctionName:                   s.functions["relay"].FunctionName(),
		EventSourceArn:                 s.table.TableStreamArn(),
		StartingPosition:               jsii.String("TRIM_HORIZON"),
		BatchSize:                      jsii.Number(25),
		MaximumBatchingWindowInSeconds: jsii.Number(1), // doors execute what they cause: it is for what they left undone
		ParallelizationFactor:          jsii.Number(1),
		BisectBatchOnFunctionError:     true,
		MaximumRetryAttempts:           jsii.Number(10),
		MaximumRecordAgeInSeconds:      jsii.Number(6 * 60 * 60),
		DestinationConfig: &awslambda.CfnEventSourceMapping_DestinationConfigProperty{
			OnFailure: &awslambda.CfnEventSourceMapping_OnFailureProperty{Destination: s.deadLetters.QueueArn()},
		},
		FilterCriteria: &awslambda.CfnEventSourceMapping_FilterCriteriaProperty{
			Filters: []any{map[string]any{"pattern": s.ToJsonString(pending, nil)}},
		},
	})
}
