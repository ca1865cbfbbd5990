package dynamo

import (
	"errors"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func canceled(codes ...string) error {
	e := &types.TransactionCanceledException{}
	for _, c := range codes {
		e.CancellationReasons = append(e.CancellationReasons, types.CancellationReason{Code: aws.String(c)})
	}
	return e
}

func TestTransactionFault(t *testing.T) {
	throttled := &smithy.GenericAPIError{Code: "ThrottlingException"}
	tests := map[string]struct {
		err    error
		doubt  bool
		kind   fault.Kind
		failed []int
	}{
		"conditions":                {canceled("None", "ConditionalCheckFailed", "None", "ConditionalCheckFailed"), false, fault.Conflict, []int{1, 3}},
		"a condition and a meeting": {canceled("TransactionConflict", "ConditionalCheckFailed"), false, fault.Conflict, []int{1}},
		"a meeting":                 {canceled("None", "TransactionConflict"), false, fault.Throttled, nil},
		"throttled inside":          {canceled("ThrottlingError", "None"), false, fault.Throttled, nil},
		"throttled":                 {throttled, false, fault.Throttled, nil},
		"throttled after a loss":    {throttled, true, fault.Unavailable, nil},
		"under way":                 {&smithy.GenericAPIError{Code: "TransactionInProgressException"}, false, fault.Unavailable, nil},
		"no table":                  {&smithy.GenericAPIError{Code: "ResourceNotFoundException"}, false, fault.Internal, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := transactionFault(t.Context(), tc.err, tc.doubt)
			if !fault.Is(err, tc.kind) {
				t.Errorf("kind %d of %v, want %d", fault.KindOf(err), err, tc.kind)
			}
			conflict, ok := errors.AsType[*core.ConflictError](err)
			if ok != (tc.failed != nil) || ok && !slices.Equal(conflict.Failed, tc.failed) {
				t.Errorf("%v names %+v, want %v", err, conflict, tc.failed)
			}
		})
	}
	if err := transactionFault(t.Context(), nil, false); err != nil {
		t.Error(err)
	}
}

func TestCursor(t *testing.T) {
	q := core.Query{PK: "p", Index: true, SKPrefix: "s"}
	last := encode(core.Item{Key: core.Key{PK: "a\x00", SK: "ü"}, Index: core.Key{PK: "p", SK: "s/1"}})
	cursor, err := cursorOf(q, last)
	if err != nil {
		t.Fatal(err)
	}
	q.After = cursor
	r, err := rangeOf(q)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]attribute{"PK": {text: "a\x00"}, "SK": {text: "ü"}, "x1p": {text: "p"}, "x1s": {text: "s/1"}}
	if diff := cmp.Diff(want, plain(r.start), cmp.AllowUnexported(attribute{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, bad := range []string{"?", "", "WyJhIl0"} {
		q.After = indexCursor + bad
		if _, err := rangeOf(q); !fault.Is(err, fault.Invalid) {
			t.Errorf("cursor %q: %v", bad, err)
		}
	}
}
