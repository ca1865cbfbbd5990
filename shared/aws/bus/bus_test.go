package bus

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

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
