package dynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/slipway-cd/slipway/shared/aws/call"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Write implements core.Store. A try whose answer is lost ends in
// fault.Unavailable: sent again, the write would meet itself and be called a
// conflict. A transaction is sent again, as DynamoDB knows it by its token.
func (s *Store) Write(ctx context.Context, puts ...core.Put) error {
	if _, err := core.CheckWrite(puts); err != nil {
		return err
	}
	if len(puts) == 1 {
		return s.put(ctx, puts[0])
	}
	items := make([]types.TransactWriteItem, len(puts))
	for i, p := range puts {
		expression, values := condition(p.If)
		items[i].Put = &types.Put{
			TableName: &s.table, Item: encode(p.Item),
			ConditionExpression: expression, ExpressionAttributeValues: values,
		}
	}
	var doubt *call.Doubt
	out, err := s.client().TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items, ReturnConsumedCapacity: capacity},
		func(o *dynamodb.Options) { doubt = call.NewDoubt(o.Retryer, true); o.Retryer = doubt })
	if err == nil {
		countTransaction(ctx, out.ConsumedCapacity, puts)
	} else {
		countRefused(ctx, err, puts)
	}
	return transactionFault(ctx, err, doubt != nil && doubt.Any)
}

func (s *Store) put(ctx context.Context, p core.Put) error {
	expression, values := condition(p.If)
	out, err := s.client().PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.table, Item: encode(p.Item), ReturnConsumedCapacity: capacity,
		ConditionExpression: expression, ExpressionAttributeValues: values,
	}, func(o *dynamodb.Options) { o.Retryer = call.NewDoubt(o.Retryer, expression == nil) })
	if err == nil {
		countWrite(ctx, deref(out.ConsumedCapacity))
	} else {
		countRefused(ctx, err, []core.Put{p})
	}
	return putFault(ctx, err)
}

// condition is c as an expression; nil for always. An item always has a version,
// so that comparing it fails where there is none.
func condition(c core.Condition) (*string, map[string]types.AttributeValue) {
	if c.Absent() {
		e := "attribute_not_exists(" + attrPK + ")"
		return &e, nil
	}
	if v, ok := c.Version(); ok {
		e := attrVersion + " = :v"
		return &e, map[string]types.AttributeValue{":v": number(v)}
	}
	return nil, nil
}

func putFault(ctx context.Context, err error) error {
	if call.Code(err) == "ConditionalCheckFailedException" {
		return fault.New(fault.Conflict, "write: %w", &core.ConflictError{Failed: []int{0}})
	}
	return call.Fault(ctx, "writing an item", err, kinds)
}

// transactionFault reads why a transaction was canceled: a failed condition is
// final and goes before what may pass when it is tried again.
func transactionFault(ctx context.Context, err error, doubt bool) error {
	const what = "writing items"
	canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		err = call.Fault(ctx, what, err, kinds)
		if doubt && fault.Is(err, fault.Throttled) {
			return fault.New(fault.Unavailable, "a lost answer, then %w", err)
		}
		return err
	}
	var failed []int
	kind := fault.Internal
	for i, r := range canceled.CancellationReasons {
		switch code := deref(r.Code); code {
		case "ConditionalCheckFailed":
			failed = append(failed, i)
		case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded":
			kind = fault.Throttled
		case "ItemCollectionSizeLimitExceeded":
			kind = fault.TooLarge
		case "ValidationError":
			kind = fault.Invalid
		}
	}
	if failed != nil {
		return fault.New(fault.Conflict, "write: %w", &core.ConflictError{Failed: failed})
	}
	return fault.New(kind, "%s: %w", what, err)
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
