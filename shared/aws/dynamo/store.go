// Package dynamo is the Store port on one DynamoDB table with PK, SK, the index
// "index1" (x1p, x1s), a stream of new images and ttl.
package dynamo

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/slipway-cd/slipway/shared/aws/call"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Index is the name of the table's global secondary index, which projects all.
const Index = "index1"

// kinds of DynamoDB's errors. A call is checked before it is made, so that a
// validation error is about what only DynamoDB knows: a cursor, the table's keys.
var kinds = call.Kinds{
	"ConditionalCheckFailedException": fault.Conflict,
	"TransactionConflictException":    fault.Throttled, // another write is at the item: nothing has happened
	"TransactionInProgressException":  fault.Unavailable,
	"ValidationException":             fault.Invalid,
	"ResourceNotFoundException":       fault.Internal, // the table
}

// Store implements core.Store.
type Store struct {
	table   string
	clock   core.Clock
	client  func() *dynamodb.Client
	streams func() *dynamodbstreams.Client
}

// New returns the store in a table. clock paces repeated tries and Watch.
func New(cfg aws.Config, table string, clock core.Clock) *Store {
	return &Store{
		table: table, clock: clock,
		client:  call.Lazy(cfg, func(c aws.Config) *dynamodb.Client { return dynamodb.NewFromConfig(c) }),
		streams: call.Lazy(cfg, func(c aws.Config) *dynamodbstreams.Client { return dynamodbstreams.NewFromConfig(c) }),
	}
}

// Get implements core.Store.
func (s *Store) Get(ctx context.Context, key core.Key, strong bool) (core.Item, error) {
	if err := key.Check("key"); err != nil {
		return core.Item{}, err
	}
	out, err := s.client().GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.table, Key: keyOf(key), ConsistentRead: &strong, ReturnConsumedCapacity: capacity,
	})
	if err != nil {
		return core.Item{}, call.Fault(ctx, "reading an item", err, kinds)
	}
	countRead(ctx, out.ConsumedCapacity)
	if len(out.Item) == 0 {
		return core.Item{}, fault.New(fault.NotFound, "no item %q %q", key.PK, key.SK)
	}
	return decode(plain(out.Item))
}

// Bounds of Delete.
const (
	deletePart  = 25 // keys in one call, DynamoDB's
	deleteTries = 8
	deletePause = 50 * time.Millisecond
)

// Delete implements core.Store.
func (s *Store) Delete(ctx context.Context, keys ...core.Key) error {
	seen := make(map[core.Key]bool, len(keys))
	var requests []types.WriteRequest
	for _, k := range keys {
		if err := k.Check("key"); err != nil {
			return err
		}
		if !seen[k] {
			requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyOf(k)}})
		}
		seen[k] = true
	}
	if len(requests) == 1 {
		out, err := s.client().DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.table, Key: requests[0].DeleteRequest.Key,
			ReturnConsumedCapacity: capacity})
		if err == nil {
			countWrite(ctx, deref(out.ConsumedCapacity))
		}
		return call.Fault(ctx, "deleting an item", err, kinds)
	}
	for part := range slices.Chunk(requests, deletePart) {
		if err := s.deletePart(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// deletePart sends again what DynamoDB has left.
func (s *Store) deletePart(ctx context.Context, left []types.WriteRequest) error {
	for try := range deleteTries {
		if try > 0 {
			if err := call.Pause(ctx, s.clock, deletePause<<try); err != nil {
				return call.Fault(ctx, "deleting items", err, kinds)
			}
		}
		out, err := s.client().BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{s.table: left}, ReturnConsumedCapacity: capacity,
		})
		if err != nil {
			return call.Fault(ctx, "deleting items", err, kinds)
		}
		countWrite(ctx, out.ConsumedCapacity...)
		if left = out.UnprocessedItems[s.table]; len(left) == 0 {
			return nil
		}
	}
	return fault.New(fault.Throttled, "deleting items: %d are left", len(left))
}
