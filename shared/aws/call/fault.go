package call

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Kinds says what a service's error codes mean. They go before what is common
// to all services.
type Kinds map[string]fault.Kind

// Fault wraps the error of a call with what was tried and gives it a kind. What
// the table and the common rules do not know, missing permissions among it, is
// Internal. nil stays nil.
func Fault(ctx context.Context, what string, err error, kinds Kinds) error {
	if err == nil {
		return nil
	}
	return fault.New(kindOf(ctx, err, kinds), "%s: %w", what, err)
}

func kindOf(ctx context.Context, err error, kinds Kinds) fault.Kind {
	code := Code(err)
	kind, known := kinds[code]
	switch status := status(err); {
	case known:
		return kind
	case Throttled(err):
		return fault.Throttled
	case status >= http.StatusInternalServerError:
		return fault.Unavailable
	case code != "":
		return fault.Internal
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fault.Timeout
	case ctx.Err() != nil:
		return fault.Canceled
	case unanswered(err):
		return fault.Unavailable
	}
	return fault.Internal
}

// Code returns the service's name of an error, "" when no service answered.
func Code(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorCode()
	}
	return ""
}

// Throttled reports whether the service refused the call for there were too many:
// nothing has happened.
func Throttled(err error) bool {
	_, ok := retry.DefaultThrottleErrorCodes[Code(err)]
	return ok || status(err) == http.StatusTooManyRequests
}

// status is the HTTP status of the answer, 0 when there was none.
func status(err error) int {
	if e, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		return e.HTTPStatusCode()
	}
	return 0
}

// unanswered reports whether the call was, or may have been, sent in vain.
func unanswered(err error) bool {
	_, send := errors.AsType[*smithyhttp.RequestSendError](err)
	_, network := errors.AsType[net.Error](err)
	_, quota := errors.AsType[*aws.RequestCanceledError](err)
	return send || network || quota || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// Refused is the error of one part of a call that succeeded as a whole.
func Refused(what, code, message string, kinds Kinds) error {
	return Fault(context.Background(), what, &smithy.GenericAPIError{Code: code, Message: message}, kinds)
}
