package meter

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// fixedPrice is what AWS asks for a resource a month while nothing uses it, in
// dollars, and how many of them every account has free, always.
type fixedPrice struct {
	dollars float64
	free    int
}

// fixedPrices are of us-east-1 at PriceDate. Resources at 0 are paid for when they
// are used, or never. What is not listed has to be looked up first.
var fixedPrices = map[string]fixedPrice{
	"AWS::SecretsManager::Secret": {dollars: 0.40},
	"AWS::KMS::Key":               {dollars: 1},
	"AWS::CloudWatch::Alarm":      {dollars: 0.10, free: 10},
	"AWS::CloudWatch::Dashboard":  {dollars: 3, free: 3},

	"AWS::ApiGateway::Account": {}, "AWS::ApiGateway::Authorizer": {}, "AWS::ApiGateway::BasePathMapping": {},
	"AWS::ApiGateway::Deployment": {}, "AWS::ApiGateway::DomainName": {}, "AWS::ApiGateway::GatewayResponse": {},
	"AWS::ApiGateway::Method": {}, "AWS::ApiGateway::Resource": {}, "AWS::ApiGateway::RestApi": {},
	"AWS::ApiGateway::Stage":               {},
	"AWS::CertificateManager::Certificate": {}, "AWS::Route53::RecordSet": {},
	"AWS::DynamoDB::Table":  {}, // requests; GB of data and of point-in-time recovery, none while empty
	"AWS::Events::EventBus": {}, "AWS::Events::Rule": {}, "AWS::IAM::Policy": {}, "AWS::IAM::Role": {},
	"AWS::Lambda::EventInvokeConfig": {}, "AWS::Lambda::EventSourceMapping": {}, "AWS::Lambda::Function": {},
	"AWS::Lambda::Permission": {}, "AWS::Logs::LogGroup": {}, "AWS::S3::Bucket": {}, "AWS::S3::BucketPolicy": {},
	"AWS::SNS::Subscription": {}, "AWS::SNS::Topic": {}, "AWS::SNS::TopicPolicy": {}, "AWS::SQS::Queue": {},
	"AWS::SQS::QueuePolicy": {}, "AWS::Scheduler::ScheduleGroup": {}, "AWS::StepFunctions::StateMachine": {},
	"AWS::XRay::SamplingRule": {}, "AWS::CDK::Metadata": {},
}

// FixedRow is what all resources of one type cost a month.
type FixedRow struct {
	Type        string
	Count, Free int
	Dollars     float64
}

// Fixed is what a deployed stack costs a month when nothing happens.
type Fixed struct {
	Rows    []FixedRow // those with a price
	Dollars float64
	// Invokers are resources that would invoke or poll something by themselves.
	Invokers []string
}

// resource is a CloudFormation resource.
type resource struct {
	Type       string
	Properties struct {
		ScheduleExpression  any
		BillingMode         any
		CacheClusterEnabled any
		EventSourceArn      any
	}
}

// NewFixed prices a CloudFormation template. fault.Unsupported when it has a type of
// resource whose price is not known here.
func NewFixed(template []byte) (Fixed, error) {
	var t struct{ Resources map[string]resource }
	if err := json.Unmarshal(template, &t); err != nil {
		return Fixed{}, fault.New(fault.Invalid, "the template is not JSON: %w", err)
	}
	var f Fixed
	count := map[string]int{}
	for _, id := range slices.Sorted(maps.Keys(t.Resources)) {
		r := t.Resources[id]
		if _, ok := fixedPrices[r.Type]; !ok && r.Type != "AWS::Scheduler::Schedule" {
			return f, fault.New(fault.Unsupported, "not supported yet: %s, a %s, has no price in shared/meter/fixed.go", id, r.Type)
		}
		if r.Type == "AWS::DynamoDB::Table" && r.Properties.BillingMode != "PAY_PER_REQUEST" {
			return f, fault.New(fault.Unsupported, "not supported yet: table %s with provisioned units", id)
		}
		if r.Properties.CacheClusterEnabled == true {
			return f, fault.New(fault.Unsupported, "not supported yet: stage %s with a cache", id)
		}
		if r.wakes() {
			f.Invokers = append(f.Invokers, id)
		}
		count[r.Type]++
	}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		p := fixedPrices[name]
		if p.dollars == 0 {
			continue
		}
		row := FixedRow{Type: name, Count: count[name], Free: min(p.free, count[name])}
		row.Dollars = p.dollars * float64(row.Count-row.Free)
		f.Rows, f.Dollars = append(f.Rows, row), f.Dollars+row.Dollars
	}
	return f, nil
}

// wakes reports whether the resource makes calls when nothing happens. What Lambda
// reads of a table's stream is free.
func (r resource) wakes() bool {
	switch r.Type {
	case "AWS::Scheduler::Schedule":
		return true
	case "AWS::Events::Rule":
		return r.Properties.ScheduleExpression != nil
	case "AWS::Lambda::EventSourceMapping":
		source, _ := json.Marshal(r.Properties.EventSourceArn)
		return !strings.Contains(string(source), "StreamArn")
	}
	return false
}

// MonthSeconds is an average month's.
const MonthSeconds = 365.25 * 24 * 3600 / 12
