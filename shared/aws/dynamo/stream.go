package dynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/slipway-cd/slipway/shared/aws/call"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Records returns the pending items that a function gets from the table's stream,
// in their order; deletions and all else are left out.
func Records(e events.DynamoDBEvent) ([]core.Item, error) {
	var items []core.Item
	for _, r := range e.Records {
		m := make(map[string]attribute, len(r.Change.NewImage))
		for name, v := range r.Change.NewImage {
			switch v.DataType() {
			case events.DataTypeString:
				m[name] = attribute{text: v.String()}
			case events.DataTypeNumber:
				m[name] = attribute{text: v.Number()}
			case events.DataTypeBinary:
				m[name] = attribute{bytes: v.Binary()}
			default: // not ours
			}
		}
		if m[attrPending].text == "" {
			continue
		}
		it, err := decode(m)
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}

// record reads one record of a shard; ok when it is a pending item.
func record(r streamtypes.Record) (it core.Item, ok bool, err error) {
	if r.Dynamodb == nil {
		return it, false, nil
	}
	m := make(map[string]attribute, len(r.Dynamodb.NewImage))
	for name, v := range r.Dynamodb.NewImage {
		switch v := v.(type) {
		case *streamtypes.AttributeValueMemberS:
			m[name] = attribute{text: v.Value}
		case *streamtypes.AttributeValueMemberN:
			m[name] = attribute{text: v.Value}
		case *streamtypes.AttributeValueMemberB:
			m[name] = attribute{bytes: v.Value}
		}
	}
	if m[attrPending].text == "" {
		return it, false, nil
	}
	it, err = decode(m)
	return it, err == nil, err
}

// stream finds the ARN of the table's stream.
func (s *Store) stream(ctx context.Context) (string, error) {
	out, err := s.client().DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &s.table})
	if err != nil {
		return "", call.Fault(ctx, "looking for the stream", err, kinds)
	}
	if out.Table == nil || deref(out.Table.LatestStreamArn) == "" {
		return "", fault.New(fault.Internal, "the table %q has no stream", s.table)
	}
	return *out.Table.LatestStreamArn, nil
}

// shards lists all shards of a stream, parents before their children or not.
func (s *Store) shards(ctx context.Context, stream string) (all []streamtypes.Shard, err error) {
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: &stream}
	for {
		out, err := s.streams().DescribeStream(ctx, in)
		if err != nil {
			return nil, call.Fault(ctx, "reading the stream", err, kinds)
		}
		if out.StreamDescription == nil {
			return all, nil
		}
		all = append(all, out.StreamDescription.Shards...)
		if in.ExclusiveStartShardId = out.StreamDescription.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			return all, nil
		}
	}
}

// iterator begins behind a sequence number, or at the beginning of what is kept
// when there is none or it is kept no more.
func (s *Store) iterator(ctx context.Context, stream, shard, after string) (*string, error) {
	in := &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &stream, ShardId: &shard, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
	}
	if after != "" {
		in.ShardIteratorType, in.SequenceNumber = streamtypes.ShardIteratorTypeAfterSequenceNumber, &after
	}
	out, err := s.streams().GetShardIterator(ctx, in)
	if _, trimmed := errors.AsType[*streamtypes.TrimmedDataAccessException](err); trimmed && after != "" {
		return s.iterator(ctx, stream, shard, "")
	}
	if err != nil {
		return nil, call.Fault(ctx, "reading the stream", err, kinds)
	}
	return out.ShardIterator, nil
}
