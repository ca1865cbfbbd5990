package sfn

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"

	"github.com/slipway-cd/slipway/shared/aws/call"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func TestExecutionARN(t *testing.T) {
	const want = "arn:aws:states:us-east-1:123456789012:execution:stage:x"
	for _, machine := range []string{"stage", "stage:7"} {
		if got := executionARN("arn:aws:states:us-east-1:123456789012:stateMachine:"+machine, "x"); got != want {
			t.Errorf("%s: %s", machine, got)
		}
	}
}

func TestCauseOf(t *testing.T) {
	long := "x" + strings.Repeat("é", maxCause)
	for in, want := range map[string]string{"": "", "enough": "enough", long: long[:maxCause-1], long[:maxCause+2]: long[:maxCause-1]} {
		if got := causeOf(in); got != want {
			t.Errorf("%d bytes of %d, want %d", len(got), len(in), len(want))
		}
	}
}

// TestRefusals needs no endpoint: these never leave.
func TestRefusals(t *testing.T) {
	w := New(aws.Config{}, map[string]string{"m": "arn:aws:states:us-east-1:1:stateMachine:m"})
	ctx := t.Context()
	large := json.RawMessage(`"` + strings.Repeat("x", core.MaxPayloadBytes) + `"`)
	start := func(machine, name, input string) error { return w.Start(ctx, machine, name, json.RawMessage(input)) }
	for name, tc := range map[string]struct {
		err  error
		kind fault.Kind
	}{
		"no machine":    {start("other", "x", `{}`), fault.NotFound},
		"no name":       {start("m", "", `{}`), fault.Invalid},
		"81 characters": {start("m", strings.Repeat("n", 81), `{}`), fault.Invalid},
		"a slash":       {start("m", "a/b", `{}`), fault.Invalid},
		"no JSON":       {start("m", "x", `{`), fault.Invalid},
		"large input":   {w.Start(ctx, "m", "x", large), fault.TooLarge},
		"large output":  {w.Finish(ctx, "t", large), fault.TooLarge},
		"no token":      {w.Finish(ctx, "", json.RawMessage(`1`)), fault.Gone},
		"long token":    {w.Beat(ctx, strings.Repeat("t", 2049)), fault.Gone},
	} {
		if !fault.Is(tc.err, tc.kind) {
			t.Errorf("%s: %v", name, tc.err)
		}
	}
	if err := w.Stop(ctx, "other", "x", "unknown"); err != nil {
		t.Error(err)
	}
}

func TestKinds(t *testing.T) {
	for code, kind := range map[string]fault.Kind{
		"TaskTimedOut": fault.Gone, "InvalidToken": fault.Gone, "TaskDoesNotExist": fault.Gone,
		"ExecutionAlreadyExists": fault.AlreadyExists, "ThrottlingException": fault.Throttled,
		"KmsThrottlingException": fault.Throttled, "ExecutionLimitExceeded": fault.Throttled, "AccessDeniedException": fault.Internal,
	} {
		if err := call.Fault(t.Context(), "x", &smithy.GenericAPIError{Code: code}, kinds); !fault.Is(err, kind) {
			t.Errorf("%s: kind %d", code, fault.KindOf(err))
		}
	}
}
