package awstest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	ebtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// Queue makes a queue and returns its URL and ARN.
func Queue(t testing.TB, cfg aws.Config) (url, arn string) {
	t.Helper()
	client := sqs.NewFromConfig(cfg)
	made, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String(Name("slipway"))})
	must(t, "making a queue", err)
	cleanup(t, "a queue", func(ctx context.Context) error {
		_, err := client.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: made.QueueUrl})
		return err
	})
	out, err := client.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{
		QueueUrl: made.QueueUrl, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	must(t, "asking a queue's ARN", err)
	return *made.QueueUrl, out.Attributes[string(types.QueueAttributeNameQueueArn)]
}

// EventBus makes an event bus with one rule for all events of a source, and returns
// its name and what the rule has matched so far, as EventBridge delivers it.
func EventBus(t testing.TB, cfg aws.Config, source string) (name string, received func() [][]byte) {
	t.Helper()
	client := eventbridge.NewFromConfig(cfg)
	bus, rule := aws.String(Name("slipway")), aws.String("all")
	url, arn := Queue(t, cfg)
	_, err := client.CreateEventBus(t.Context(), &eventbridge.CreateEventBusInput{Name: bus})
	must(t, "making an event bus", err)
	cleanup(t, "an event bus", func(ctx context.Context) error {
		_, err := client.RemoveTargets(ctx, &eventbridge.RemoveTargetsInput{EventBusName: bus, Rule: rule, Ids: []string{"queue"}})
		if err == nil {
			_, err = client.DeleteRule(ctx, &eventbridge.DeleteRuleInput{EventBusName: bus, Name: rule})
		}
		if err == nil {
			_, err = client.DeleteEventBus(ctx, &eventbridge.DeleteEventBusInput{Name: bus})
		}
		return err
	})
	pattern, err := json.Marshal(map[string][]string{"source": {source}})
	must(t, "writing a pattern", err)
	_, err = client.PutRule(t.Context(), &eventbridge.PutRuleInput{EventBusName: bus, Name: rule, EventPattern: aws.String(string(pattern))})
	must(t, "making a rule", err)
	_, err = client.PutTargets(t.Context(), &eventbridge.PutTargetsInput{
		EventBusName: bus, Rule: rule, Targets: []ebtypes.Target{{Id: aws.String("queue"), Arn: &arn}},
	})
	must(t, "setting a rule's target", err)
	return *bus, poll(t, sqs.NewFromConfig(cfg), url)
}

// poll returns a function that empties a queue and returns all that was in it ever.
func poll(t testing.TB, client *sqs.Client, url string) func() [][]byte {
	var all [][]byte
	return func() [][]byte {
		t.Helper()
		out, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &url, MaxNumberOfMessages: 10})
		must(t, "receiving", err)
		for _, m := range out.Messages {
			all = append(all, []byte(aws.ToString(m.Body)))
			_, err := client.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: &url, ReceiptHandle: m.ReceiptHandle})
			must(t, "deleting a message", err)
		}
		return all
	}
}
