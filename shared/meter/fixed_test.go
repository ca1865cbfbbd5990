package meter

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIdleStack prices the stack as it is deployed by default for a month in which
// nothing happens: at most a dollar, and nothing in it wakes by itself.
func TestIdleStack(t *testing.T) {
	body, err := os.ReadFile(filepath.Join("..", "..", "infra", "stack", "testdata", "default.json"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFixed(body)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Rows {
		t.Logf("%-32s %d, of these %d always free: $%.2f a month", r.Type, r.Count, r.Free, r.Dollars)
	}
	t.Logf("an idle stack: $%.2f a month", f.Dollars)
	if f.Dollars > 1 {
		t.Errorf("$%.2f a month, at most $1 is allowed", f.Dollars)
	}
	if f.Dollars == 0 {
		t.Error("the template has nothing with a price; is it the stack's?")
	}
	if len(f.Invokers) > 0 {
		t.Errorf("an idle stack is woken by %v", f.Invokers)
	}
}

func TestFixed(t *testing.T) {
	template := func(resources string) []byte { return []byte(`{"Resources":{` + resources + `}}`) }
	alarms := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, `"a`+string(rune('a'+i))+`":{"Type":"AWS::CloudWatch::Alarm"}`)
		}
		return strings.Join(all, ",")
	}
	tests := []struct {
		name      string
		resources string
		dollars   float64
		wakes     int
		fails     string
	}{
		{"a secret and a key", `"s":{"Type":"AWS::SecretsManager::Secret"},"k":{"Type":"AWS::KMS::Key"}`, 1.40, 0, ""},
		{"ten alarms are free", alarms(10), 0, 0, ""},
		{"the others are not", alarms(12), 0.20, 0, ""},
		{"a dashboard is free", `"d":{"Type":"AWS::CloudWatch::Dashboard"}`, 0, 0, ""},
		{"a rule on events", `"r":{"Type":"AWS::Events::Rule","Properties":{"EventPattern":{}}}`, 0, 0, ""},
		{"a rule on a schedule", `"r":{"Type":"AWS::Events::Rule","Properties":{"ScheduleExpression":"rate(1 minute)"}}`, 0, 1, ""},
		{"a schedule", `"r":{"Type":"AWS::Scheduler::Schedule"}`, 0, 1, ""},
		{"a poller of a queue", `"m":{"Type":"AWS::Lambda::EventSourceMapping","Properties":{"EventSourceArn":{"Fn::GetAtt":["Q","Arn"]}}}`, 0, 1, ""},
		{"a reader of a stream", `"m":{"Type":"AWS::Lambda::EventSourceMapping","Properties":{"EventSourceArn":{"Fn::GetAtt":["T","StreamArn"]}}}`, 0, 0, ""},
		{"provisioned units", `"t":{"Type":"AWS::DynamoDB::Table","Properties":{"BillingMode":"PROVISIONED"}}`, 0, 0, "provisioned units"},
		{"a cache", `"s":{"Type":"AWS::ApiGateway::Stage","Properties":{"CacheClusterEnabled":true}}`, 0, 0, "with a cache"},
		{"something new", `"n":{"Type":"AWS::EC2::NatGateway"}`, 0, 0, "has no price"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			f, err := NewFixed(template(tc.resources))
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("error %v, want %q in it", err, tc.fails)
				}
				return
			}
			if err != nil || math.Abs(f.Dollars-tc.dollars) > 1e-9 || len(f.Invokers) != tc.wakes {
				t.Errorf("$%g, woken by %v, %v; want $%g and %d", f.Dollars, f.Invokers, err, tc.dollars, tc.wakes)
			}
		})
	}
}
