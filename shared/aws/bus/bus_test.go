package bus

import (
	"encoding/json"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func TestLeft(t *testing.T) {
	sent := []types.PutEventsRequestEntry{{DetailType: aws.String("a")}, {DetailType: aws.String("b")}, {DetailType: aws.String("c")}}
	tests := map[string]struct {
		codes []string
		left  int
		kind  fault.Kind
	}{
		"all taken":             {[]string{"", "", ""}, 0, 0},
		"throttled":             {[]string{"", "ThrottlingException", ""}, 1, fault.Throttled},
		"an inner failure":      {[]string{"InternalFailure", "", ""}, 1, fault.Unavailable},
		"one is refused, final": {[]string{"ThrottlingException", "NotAuthorized", "ThrottlingException"}, 3, fault.Internal},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var results []types.PutEventsResultEntry
			for _, c := range tc.codes {
				r := types.PutEventsResultEntry{}
				if c != "" {
					r.ErrorCode = aws.String(c)
				}
				results = append(results, r)
			}
			again, why := left(sent, results)
			if len(again) != tc.left || (why != nil) != (tc.left > 0) || why != nil && !fault.Is(why, tc.kind) {
				t.Errorf("%d left, %v", len(again), why)
			}
		})
	}
}

func TestEvent(t *testing.T) {
	got, err := Event([]byte(`{"version":"0","id":"other","detail-type":"run.ended","source":"slipway","time":"2026-01-01T00:00:00Z",
		"resources":[],"detail":{"id":"e","time":1790000000123,"detail":{"a": [1, "<b>"]}}}`))
	want := core.BusEvent{ID: "e", Type: "run.ended", Time: 1_790_000_000_123, Detail: json.RawMessage(`{"a":[1,"<b>"]}`)}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	for name, bad := range map[string]string{
		"no JSON":      `{`,
		"another's":    `{"detail-type":"t","source":"aws.states","detail":{"id":"e","detail":{}}}`,
		"not our kind": `{"detail-type":"t","source":"slipway","detail":"text"}`,
		"no id":        `{"detail-type":"t","source":"slipway","detail":{"detail":{}}}`,
		"no type":      `{"source":"slipway","detail":{"id":"e","detail":{}}}`,
		"no detail":    `{"detail-type":"t","source":"slipway","detail":{"id":"e"}}`,
	} {
		if _, err := Event([]byte(bad)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
