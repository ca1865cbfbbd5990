package stack

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/infra/settings"
)

// unbounded actions may name every resource, and why.
var unbounded = map[string]string{
	"xray:PutTraceSegments":    "X-Ray has no resources for it",
	"xray:PutTelemetryRecords": "X-Ray has no resources for it",
	"xray:GetSamplingRules":    "X-Ray has no resources for it",
	"xray:GetSamplingTargets":  "X-Ray has no resources for it",
	"dynamodb:ListStreams":     "it has no resource",

	"logs:CreateLogDelivery":        "the delivery of logs has no resources",
	"logs:GetLogDelivery":           "the delivery of logs has no resources",
	"logs:UpdateLogDelivery":        "the delivery of logs has no resources",
	"logs:DeleteLogDelivery":        "the delivery of logs has no resources",
	"logs:ListLogDeliveries":        "the delivery of logs has no resources",
	"logs:PutResourcePolicy":        "the delivery of logs has no resources",
	"logs:DescribeResourcePolicies": "the delivery of logs has no resources",
	"logs:DescribeLogGroups":        "the delivery of logs has no resources",
}

// foreign resources may be named although they are not the stack's.
var foreign = regexp.MustCompile(`^arn:\$\{AWS::Partition\}:events:[^*]*:rule/StepFunctionsGetEventsForStepFunctionsExecutionRule$|^arn:aws:kms:[a-z0-9-]+:\d+:key/[\w-]+$`)

var permissionRules = []rule{
	{"no wildcards", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::IAM::Role") {
			for _, s := range statements(r) {
				for _, action := range texts(s["Action"]) {
					p.when(strings.Contains(action, "*"), "%s: %s", id, action)
					p.when(slices.Contains(texts(s["Resource"]), "*") && unbounded[action] == "", "%s may %s of anything", id, action)
				}
				p.when(s["NotAction"] != nil || s["NotResource"] != nil, "%s allows all but something", id)
			}
		}
		return p
	}, func(t template) {
		statements(t.Resources[named(t, "AWS::IAM::Role", "AdvanceRole")])[3]["Resource"] = "*"
	}},
	{"its own resources only", func(t template) []string {
		name := t.Outputs["Name"]["Value"].(string)
		var p problems
		for id, r := range t.all("AWS::IAM::Role") {
			for _, s := range statements(r) {
				for _, arn := range texts(s["Resource"]) {
					ours := strings.HasPrefix(arn, "${") || regexp.MustCompile(`[:/]`+regexp.QuoteMeta(name)+`(-|/|$|:)`).MatchString(arn)
					p.when(arn != "*" && !ours && !foreign.MatchString(arn), "%s may %v of %s", id, s["Action"], arn)
				}
			}
		}
		return p
	}, func(t template) {
		statements(t.Resources[named(t, "AWS::IAM::Role", "ApiRole")])[3]["Resource"] = "arn:${AWS::Partition}:states:${AWS::Region}:${AWS::AccountId}:stateMachine:*"
	}},
	{"no foreign policies", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::IAM::Role") {
			for _, arn := range texts(r.Properties["ManagedPolicyArns"]) {
				// The account's role for API Gateway's logs is CDK's, and has what AWS says it needs.
				p.when(!strings.HasPrefix(id, "RestApiCloudWatchRole") || !strings.HasSuffix(arn, "/AmazonAPIGatewayPushToCloudWatchLogs"), "%s has %s", id, arn)
			}
		}
		p.when(len(t.all("AWS::IAM::Policy")) > 0, "a construct has added a policy: %v", slices.Collect(maps.Keys(t.all("AWS::IAM::Policy"))))
		return p
	}, func(t template) {
		t.Resources[named(t, "AWS::IAM::Role", "ApiRole")].Properties["ManagedPolicyArns"] = []any{"arn:aws:iam::aws:policy/AdministratorAccess"}
	}},
	{"a role for each function", func(t template) []string {
		var p problems
		seen := map[string]string{}
		for id, r := range t.all("AWS::Lambda::Function") {
			role := strings.TrimSuffix(strings.TrimPrefix(r.at("Role"), "${"), ".Arn}")
			p.when(seen[role] != "", "%s and %s share a role", id, seen[role])
			seen[role] = id
			p.when(t.Resources[role].at("AssumeRolePolicyDocument", "Statement", "0", "Principal", "Service") != "lambda.amazonaws.com", "%s: who may be %s?", id, role)
		}
		p.when(len(seen) != len(settings.Functions), "%d functions", len(seen))
		return p
	}, func(t template) {
		fn := t.all("AWS::Lambda::Function")
		fn[named(t, "AWS::Lambda::Function", "Api")].Properties["Role"] = fn[named(t, "AWS::Lambda::Function", "Relay")].Properties["Role"]
	}},
	{"no wildcard principals", func(t template) []string {
		var p problems
		for id, r := range t.Resources {
			for _, key := range []string{"AssumeRolePolicyDocument", "PolicyDocument"} {
				for _, s := range list(get(r.Properties, key, "Statement")) {
					who := fmt.Sprint(get(s, "Principal"))
					p.when(get(s, "Effect") == "Allow" && (who == "*" || strings.Contains(who, ":*]")), "%s allows %s", id, who)
				}
			}
		}
		return p
	}, func(t template) {
		s := get(t.Resources[one(t, "AWS::SQS::QueuePolicy")].Properties, "PolicyDocument", "Statement", "0").(map[string]any)
		s["Effect"] = "Allow"
	}},
	{"roles of services are this account's", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::IAM::Role") {
			s := get(r.Properties, "AssumeRolePolicyDocument", "Statement", "0")
			switch fmt.Sprint(get(s, "Principal", "Service")) {
			case "lambda.amazonaws.com", "apigateway.amazonaws.com": // they take roles of their own account only
			default:
				p.when(get(s, "Condition", "StringEquals", "aws:SourceAccount") != "${AWS::AccountId}", "%s can be taken on for another account", id)
			}
		}
		return p
	}, func(t template) {
		delete(get(t.Resources[named(t, "AWS::IAM::Role", "ScheduleRole")].Properties, "AssumeRolePolicyDocument", "Statement", "0").(map[string]any), "Condition")
	}},
}

// uncalled actions are granted although no adapter makes a call of the name.
var uncalled = map[string]string{
	"s3:ListBucket":        "without it S3 calls forbidden what is absent",
	"dynamodb:ListStreams": "the event source mapping", "dynamodb:DescribeStream": "the event source mapping",
	"dynamodb:GetRecords": "the event source mapping", "dynamodb:GetShardIterator": "the event source mapping",
}

// ungranted calls are made by nothing that runs in a function.
var ungranted = map[string]string{
	"dynamodb:DescribeTable":      "Watch, which only stand-ins and tests use",
	"dynamodb:TransactWriteItems": "it takes the actions of its parts",
	"s3:DeleteObject":             "nothing deletes blobs but the bucket's lifecycle",
	"states:StopExecution":        "for a person who repairs",
}

// TestGrantsFollowTheCode holds what functions may do to the calls that the
// adapters make: nothing is missing, and nothing is left over.
func TestGrantsFollowTheCode(t *testing.T) {
	prefixes := map[string]string{"dynamo": "dynamodb", "sfn": "states", "bus": "events", "secrets": "secretsmanager", "schedule": "scheduler", "blob": "s3"}
	call := regexp.MustCompile(`\.client\(\)\.([A-Z]\w+)\(`)
	called := map[string]bool{}
	for pkg, service := range prefixes {
		files, _ := filepath.Glob(filepath.Join("..", "..", "shared", "aws", pkg, "*.go"))
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			body, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range call.FindAllSubmatch(body, -1) {
				called[service+":"+string(m[1])] = true
			}
		}
	}
	if len(called) < 15 {
		t.Fatalf("only %d calls were found: the test does not see the adapters", len(called))
	}
	granted := map[string]bool{}
	tpl := synth(t, nil)
	for _, f := range settings.Functions {
		for _, s := range statements(tpl.Resources[named(tpl, "AWS::IAM::Role", strings.ToUpper(f[:1])+f[1:]+"Role")]) {
			for _, a := range texts(s["Action"]) {
				granted[a] = true
			}
		}
	}
	for a := range called {
		if !granted[a] && ungranted[a] == "" {
			t.Errorf("an adapter calls %s, which no function may", a)
		}
	}
	for a := range granted {
		service, _, _ := strings.Cut(a, ":")
		if slices.Contains(slices.Collect(maps.Values(prefixes)), service) && !called[a] && uncalled[a] == "" {
			t.Errorf("functions may %s, which no adapter calls", a)
		}
	}
}
