package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"
)

// addDeadLetters makes the one queue for whatever could not be delivered: timers,
// asynchronous calls, batches of the stream, and executions that failed. What is in
// it needs a person. One queue, because each alarm has a price.
func (s *stack) addDeadLetters() {
	s.deadLetters = s.queue("DeadLetters", "dead-letters")
}

// queue makes one that keeps messages as long as SQS does. Messages are references
// and ids, so that SQS's own key does, which every service may write with.
func (s *stack) queue(id, name string) awssqs.Queue {
	return awssqs.NewQueue(s.Stack, &id, &awssqs.QueueProps{
		QueueName:       jsii.String(s.named(name)),
		Encryption:      awssqs.QueueEncryption_SQS_MANAGED,
		EnforceSSL:      jsii.Bool(true),
		RetentionPeriod: days(14),
	})
}
