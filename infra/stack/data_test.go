package stack

import (
	"fmt"
	"slices"
	"strings"
)

// secure reports whether a policy refuses what does not come by TLS.
func secure(policies map[string]resource, key, of string) bool {
	for _, r := range policies {
		if !slices.Contains(texts(r.Properties[key]), "${"+of+"}") {
			continue
		}
		for _, s := range list(get(r.Properties, "PolicyDocument", "Statement")) {
			if get(s, "Effect") == "Deny" && get(s, "Condition", "Bool", "aws:SecureTransport") == "false" {
				return true
			}
		}
	}
	return false
}

var dataRules = []rule{
	{"buckets", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::S3::Bucket") {
			for _, key := range []string{"BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"} {
				p.when(r.at("PublicAccessBlockConfiguration", key) != "true", "%s: %s", id, key)
			}
			p.when(r.at("BucketEncryption", "ServerSideEncryptionConfiguration", "0", "ServerSideEncryptionByDefault", "SSEAlgorithm") == "", "%s is not encrypted", id)
			p.when(r.at("AccessControl") != "", "%s has an ACL", id)
			p.when(!secure(t.all("AWS::S3::BucketPolicy"), "Bucket", id), "%s can be reached without TLS", id)
			p.when(r.at("LifecycleConfiguration", "Rules", "0", "AbortIncompleteMultipartUpload", "DaysAfterInitiation") != "1", "%s keeps abandoned uploads", id)
		}
		return p
	}, func(t template) { t.Resources[one(t, "AWS::S3::BucketPolicy")].Properties["Bucket"] = "another" }},
	{"queues", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::SQS::Queue") {
			p.when(r.at("SqsManagedSseEnabled") != "true" && r.at("KmsMasterKeyId") == "", "%s is not encrypted", id)
			p.when(r.at("MessageRetentionPeriod") != "1.2096e+06" && r.at("MessageRetentionPeriod") != "1209600", "%s forgets after %s s", id, r.at("MessageRetentionPeriod"))
			p.when(!secure(t.all("AWS::SQS::QueuePolicy"), "Queues", id), "%s can be reached without TLS", id)
		}
		return p
	}, func(t template) { delete(t.Resources[one(t, "AWS::SQS::Queue")].Properties, "SqsManagedSseEnabled") }},
	{"topics", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::SNS::Topic") {
			p.when(!secure(t.all("AWS::SNS::TopicPolicy"), "Topics", id), "%s can be reached without TLS", id)
			p.when(keyed(t) && r.at("KmsMasterKeyId") == "", "%s is not encrypted", id)
		}
		return p
	}, func(t template) { t.Resources["T"] = resource{Type: "AWS::SNS::Topic"} }},
	{"tables", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::DynamoDB::Table") {
			p.when(r.at("PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled") != "true", "%s cannot be restored", id)
			p.when(r.at("BillingMode") != "PAY_PER_REQUEST", "%s costs while nothing happens", id)
			p.when(r.at("TimeToLiveSpecification", "AttributeName") != tableExpiry, "%s keeps what has expired", id)
			p.when(r.at("StreamSpecification", "StreamViewType") != "NEW_IMAGE", "%s has no stream for the relay", id)
			// Without a specification DynamoDB encrypts with a key that AWS owns.
			p.when(keyed(t) && r.at("SSESpecification", "KMSMasterKeyId") == "", "%s is not encrypted with the customer's key", id)
		}
		return p
	}, func(t template) {
		delete(t.Resources[one(t, "AWS::DynamoDB::Table")].Properties, "PointInTimeRecoverySpecification")
	}},
	{"data stays unless told otherwise", func(t template) []string {
		var p problems
		for _, kind := range []string{"AWS::DynamoDB::Table", "AWS::S3::Bucket"} {
			for id, r := range t.all(kind) {
				protected := r.at("DeletionProtectionEnabled") != "false"
				want := "Retain"
				if !protected || t.Outputs["Name"]["Value"] == everything["name"] {
					want = "Delete"
				}
				p.when(r.DeletionPolicy != want, "%s: %s", id, r.DeletionPolicy)
			}
		}
		return p
	}, func(t template) {
		id := one(t, "AWS::S3::Bucket")
		r := t.Resources[id]
		r.DeletionPolicy = "Delete"
		t.Resources[id] = r
	}},
	{"logs are forgotten", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::Logs::LogGroup") {
			p.when(r.at("RetentionInDays") == "", "%s is kept for ever", id)
			p.when(keyed(t) && r.at("KmsKeyId") == "", "%s is not encrypted with the customer's key", id)
		}
		return p
	}, func(t template) {
		delete(t.Resources[one(t, "AWS::Logs::LogGroup")].Properties, "RetentionInDays")
	}},
	{"tags", func(t template) []string {
		var p problems
		for id, r := range t.Resources {
			if untaggable[r.Type] {
				continue
			}
			tags := fmt.Sprint(r.Properties["Tags"])
			p.when(!strings.Contains(tags, "slipway:stack") || !strings.Contains(tags, "slipway:version"), "%s, a %s, has the tags %s", id, r.Type, tags)
		}
		return p
	}, func(t template) { delete(t.Resources[one(t, "AWS::Lambda::Function")].Properties, "Tags") }},
	{"names begin with the stack's", func(t template) []string {
		name := t.Outputs["Name"]["Value"].(string)
		var p problems
		for id, r := range t.Resources {
			for _, key := range []string{"FunctionName", "QueueName", "TopicName", "StateMachineName", "AlarmName", "DashboardName", "RuleName", "TableName", "BucketName", "LogGroupName"} {
				value := r.at(key)
				if strings.HasPrefix(value, "${") || value == "" { // of another resource, or CloudFormation's choice
					continue
				}
				last := value[strings.LastIndex(value, "/")+1:]
				p.when(last != name && !strings.HasPrefix(last, name+"-"), "%s has the %s %s", id, key, value)
			}
			p.when(r.at("RoleName") != "", "%s: a named role cannot be in two regions", id)
		}
		return p
	}, func(t template) { t.Resources[one(t, "AWS::SQS::Queue")].Properties["QueueName"] = "dead" }},
}

// keyed reports whether the stack has a key of the customer's.
func keyed(t template) bool {
	for _, r := range t.all("AWS::Lambda::Function") {
		if r.at("Environment", "Variables", "SLIPWAY_KMS_KEY") != "" {
			return true
		}
	}
	return false
}

// untaggable resources have no tags in CloudFormation.
var untaggable = map[string]bool{
	"AWS::ApiGateway::Account": true, "AWS::ApiGateway::Authorizer": true, "AWS::ApiGateway::BasePathMapping": true,
	"AWS::ApiGateway::Deployment": true, "AWS::ApiGateway::GatewayResponse": true, "AWS::ApiGateway::Method": true,
	"AWS::ApiGateway::Resource": true, "AWS::CloudWatch::Dashboard": true, "AWS::Lambda::EventInvokeConfig": true,
	"AWS::Lambda::Permission": true, "AWS::Route53::RecordSet": true, "AWS::S3::BucketPolicy": true,
	"AWS::SNS::Subscription": true, "AWS::SNS::TopicPolicy": true, "AWS::SQS::QueuePolicy": true,
}
