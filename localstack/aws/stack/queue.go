package stack

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	eventtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/slipway-cd/slipway/shared/aws/bus"
	"github.com/slipway-cd/slipway/shared/core"
)

func environment(variables map[string]string) *types.Environment {
	return &types.Environment{Variables: variables}
}

// Queue collects what is on the bus from when it was made.
type Queue struct {
	client *sqs.Client
	url    *string

	mu   sync.Mutex
	seen []core.BusEvent
	read time.Time
}

// Listen makes a queue behind a rule for everything of Slipway's on the bus.
func (s *Stack) Listen(ctx context.Context, name string) (*Queue, error) {
	q := &Queue{client: sqs.NewFromConfig(s.config)}
	made, err := q.client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &name})
	if err != nil {
		return nil, err
	}
	q.url = made.QueueUrl
	about, err := q.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: q.url,
		AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameQueueArn}})
	if err != nil {
		return nil, err
	}
	rules := eventbridge.NewFromConfig(s.config)
	if _, err := rules.PutRule(ctx, &eventbridge.PutRuleInput{Name: &name, EventBusName: &s.Bus, EventPattern: sdk.String(`{"source":["slipway"]}`)}); err != nil {
		return nil, err
	}
	arn := about.Attributes[string(sqstypes.QueueAttributeNameQueueArn)]
	out, err := rules.PutTargets(ctx, &eventbridge.PutTargetsInput{Rule: &name, EventBusName: &s.Bus,
		Targets: []eventtypes.Target{{Id: sdk.String("queue"), Arn: &arn}}})
	if err == nil && out.FailedEntryCount > 0 {
		err = fmt.Errorf("the rule did not take its target: %v", sdk.ToString(out.FailedEntries[0].ErrorMessage))
	}
	return q, err
}

// fresh is how long what was read stands for what there is.
const fresh = time.Second

// Read returns all messages so far, in no order; the last second's may be missing.
func (q *Queue) Read(ctx context.Context) ([]core.BusEvent, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if time.Since(q.read) < fresh {
		return q.seen, nil
	}
	q.read = time.Now()
	for {
		out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: q.url, MaxNumberOfMessages: 10})
		if err != nil || len(out.Messages) == 0 {
			return q.seen, err
		}
		for _, m := range out.Messages {
			e, err := bus.Event([]byte(sdk.ToString(m.Body)))
			if err != nil {
				return nil, err
			}
			q.seen = append(q.seen, e)
			if _, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: q.url, ReceiptHandle: m.ReceiptHandle}); err != nil {
				return nil, err
			}
		}
	}
}
