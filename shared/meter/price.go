package meter

import "github.com/slipway-cd/slipway/shared/core"

// The prices that bills are made with: AWS's public list prices, on demand, without
// free tiers, looked up on the services' pricing pages. Other regions differ, up to
// half as much again.
const (
	PriceDate   = "2026-11-21"
	PriceRegion = "us-east-1"
)

// price is what AWS asks for per units of something.
type price struct {
	service, unit string
	dollars, per  float64
	of            func(core.Use) float64 // nil: not in a Use
}

func units(u core.Unit) func(core.Use) float64 {
	return func(x core.Use) float64 { return float64(x[u]) }
}

const gb = 1 << 30

// transition is aws.amazon.com/step-functions/pricing: standard workflows, a retry
// counts as one more.
var transition = price{"Step Functions", "transition", 0.025, 1e3, nil}

// prices, by what a bill shows first. From aws.amazon.com/SERVICE/pricing.
var prices = []price{
	{"DynamoDB", "write unit", 0.625, 1e6, func(u core.Use) float64 { return float64(u[core.WriteHalves]) / 2 }}, // on demand, since 2024-11
	{"DynamoDB", "read unit", 0.125, 1e6, func(u core.Use) float64 { return float64(u[core.ReadHalves]) / 2 }},
	{"API Gateway", "request", 3.50, 1e6, units(core.Requests)}, // REST, the first 333 million
	{"Lambda", "request", 0.20, 1e6, units(core.Invocations)},
	{"Lambda", "GB-second", 0.0000133334, 1, func(u core.Use) float64 { return float64(u[core.MemoryTime]) / 1024 / 1000 }}, // arm64
	{"CloudWatch Logs", "GB", 0.50, gb, units(core.LogBytes)},                                                               // ingestion
	{"X-Ray", "trace", 5.00, 1e6, func(u core.Use) float64 { return traced * float64(u[core.Invocations]) }},
	{"EventBridge", "event", 1.00, 1e6, units(core.Events)}, // custom, each 64 KB
	{"Scheduler", "invocation", 1.00, 1e6, units(core.Timers)},
	{"S3", "write", 0.005, 1e3, units(core.BlobWrites)}, // standard: PUT, COPY, POST, LIST
	{"S3", "read", 0.0004, 1e3, units(core.BlobReads)},
	{"Secrets Manager", "call", 0.05, 1e4, units(core.SecretCalls)},
	{"Data transfer", "GB", 0.09, gb, units(core.OutBytes)}, // to the internet, the first 10 TB
}

// traced is the share of invocations that X-Ray samples by default, each taken as
// a trace of its own, which is more than there are.
const traced = 0.05
