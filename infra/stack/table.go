package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/jsii-runtime-go"
)

// Names that package shared/aws/dynamo knows the table by.
const (
	tableIndex   = "index1"
	tableExpiry  = "ttl"
	tablePending = "p" // there on items that the relay must see
)

// addTable makes the one table, or takes one that was restored. It bears the name that CloudFormation gives it, so
// that a restored one can take its place beside it.
func (s *stack) addTable() {
	if s.TableName != "" {
		s.table = awsdynamodb.Table_FromTableAttributes(s.Stack, jsii.String("Table"), &awsdynamodb.TableAttributes{
			TableName: &s.TableName, TableStreamArn: &s.TableStream, GlobalIndexes: jsii.Strings(tableIndex)})
		return
	}
	text := awsdynamodb.AttributeType_STRING
	attribute := func(name string) *awsdynamodb.Attribute {
		return &awsdynamodb.Attribute{Name: &name, Type: text}
	}
	props := &awsdynamodb.TableProps{
		PartitionKey:        attribute("PK"),
		SortKey:             attribute("SK"),
		BillingMode:         awsdynamodb.BillingMode_PAY_PER_REQUEST,
		Stream:              awsdynamodb.StreamViewType_NEW_IMAGE,
		TimeToLiveAttribute: jsii.String(tableExpiry),
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: jsii.Bool(true),
		},
		DeletionProtection: jsii.Bool(!s.DestroyData),
		RemovalPolicy:      s.kept(),
	}
	if s.key != nil {
		props.Encryption, props.EncryptionKey = awsdynamodb.TableEncryption_CUSTOMER_MANAGED, s.key
	}
	table := awsdynamodb.NewTable(s.Stack, jsii.String("Table"), props)
	table.AddGlobalSecondaryIndex(&awsdynamodb.GlobalSecondaryIndexProps{
		IndexName:      jsii.String(tableIndex),
		PartitionKey:   attribute("x1p"),
		SortKey:        attribute("x1s"),
		ProjectionType: awsdynamodb.ProjectionType_ALL,
	})
	s.table = table
}
