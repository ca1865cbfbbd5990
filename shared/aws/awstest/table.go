package awstest

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Table makes a table as shared/aws/dynamo wants it and returns its name.
func Table(t testing.TB, cfg aws.Config) string {
	t.Helper()
	client := dynamodb.NewFromConfig(cfg)
	name := aws.String(Name("slipway"))
	var attributes []types.AttributeDefinition
	for _, a := range []string{"PK", "SK", "x1p", "x1s"} {
		attributes = append(attributes, types.AttributeDefinition{AttributeName: aws.String(a), AttributeType: types.ScalarAttributeTypeS})
	}
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: name, AttributeDefinitions: attributes, KeySchema: keys("PK", "SK"), BillingMode: types.BillingModePayPerRequest,
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("index1"), KeySchema: keys("x1p", "x1s"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewImage},
	})
	must(t, "making a table", err)
	cleanup(t, "a table", func(ctx context.Context) error {
		_, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: name})
		return err
	})
	await(t, "the table", func() bool {
		out, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: name})
		return err == nil && out.Table.TableStatus == types.TableStatusActive
	})
	return *name
}

func keys(hash, order string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: &hash, KeyType: types.KeyTypeHash},
		{AttributeName: &order, KeyType: types.KeyTypeRange},
	}
}
