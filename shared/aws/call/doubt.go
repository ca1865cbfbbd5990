package call

import (
	"errors"
	"net"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Doubt is a retryer for one call whose effect must be known. It notes whether a
// try may have happened without our hearing of it; only a try that surely has not
// is sent again, or any when Resend says that the service knows a repeated call.
type Doubt struct {
	aws.RetryerV2
	Resend bool
	Any    bool // a try may have happened
}

// NewDoubt wraps the retryer of a client.
func NewDoubt(inner aws.Retryer, resend bool) *Doubt {
	v2, ok := inner.(aws.RetryerV2)
	if !ok {
		v2 = aws.NopRetryer{}
	}
	return &Doubt{RetryerV2: v2, Resend: resend}
}

// IsErrorRetryable implements aws.Retryer.
func (d *Doubt) IsErrorRetryable(err error) bool {
	if !Throttled(err) && !unsent(err) && (status(err) == 0 || status(err) >= 500) {
		d.Any = true
		if !d.Resend {
			return false
		}
	}
	return d.RetryerV2.IsErrorRetryable(err)
}

// unsent reports whether no connection came about.
func unsent(err error) bool {
	e, ok := errors.AsType[*net.OpError](err)
	return ok && e.Op == "dial"
}
