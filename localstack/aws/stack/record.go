package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/slipway-cd/slipway/shared/core"
)

// Redeliver invokes the relay with the stream records of all pending items of a
// run, as the stream does when it delivers a batch again. It returns how many.
func (s *Stack) Redeliver(ctx context.Context, account, run string) (int, error) {
	out, err := dynamodb.NewFromConfig(s.config).Query(ctx, &dynamodb.QueryInput{
		TableName: &s.Table, KeyConditionExpression: sdk.String("PK = :pk and begins_with(SK, :sk)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":pk": &types.AttributeValueMemberS{Value: core.RunKey(account, run).PK}, ":sk": &types.AttributeValueMemberS{Value: "T#"},
		},
	})
	if err != nil {
		return 0, err
	}
	var records []any
	for _, item := range out.Items {
		if image := imageOf(item); image["p"] != nil {
			records = append(records, map[string]any{"eventID": fmt.Sprintf("%032d", len(records)), "eventName": "INSERT", "eventSource": "aws:dynamodb",
				"dynamodb": map[string]any{"NewImage": image, "StreamViewType": "NEW_IMAGE"}})
		}
	}
	body, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		return 0, err
	}
	_, err = s.Invoke(ctx, "relay", body)
	return len(records), err
}

// imageOf is an item as the stream shows it.
func imageOf(item map[string]types.AttributeValue) map[string]any {
	image := map[string]any{}
	for name, v := range item {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			image[name] = map[string]any{"S": v.Value}
		case *types.AttributeValueMemberN:
			image[name] = map[string]any{"N": strings.TrimSpace(v.Value)}
		case *types.AttributeValueMemberB:
			image[name] = map[string]any{"B": v.Value} // base64, as JSON has bytes
		}
	}
	return image
}
