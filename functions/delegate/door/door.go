// Package door is the delegates': sync, complete and logs, as package wire has
// them. What they mean is in package dispatch.
package door

import (
	"context"
	"net/http"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/wire"
)

// maxBody bounds a delegate's request, in bytes: outputs of 1 MB escaped as JSON,
// and the last lines of a log.
const maxBody = 8 << 20

// Dispatch is what the routes are handed to; *dispatch.Dispatch is one.
type Dispatch interface {
	Sync(ctx context.Context, account string, req wire.SyncRequest) (wire.SyncResponse, error)
	Complete(ctx context.Context, account string, req wire.CompleteRequest) (wire.CompleteResponse, error)
	Logs(ctx context.Context, account string, req wire.LogRequest) (wire.LogResponse, error)
}

// New returns the routes. ids names requests in errors.
func New(d Dispatch, ids core.IDs) http.Handler {
	return httpio.Mux(ids, httpio.Routes{
		"POST " + wire.RouteSync:     route(d.Sync),
		"POST " + wire.RouteComplete: route(d.Complete),
		"POST " + wire.RouteLogs:     route(d.Logs),
	})
}

// route hands a delegate's request to one method of Dispatch.
func route[Req, Resp any](call func(context.Context, string, Req) (Resp, error)) httpio.Handler {
	return func(r *http.Request) (httpio.Answer, error) {
		p := core.PrincipalOf(r.Context())
		if p.Kind != core.PrincipalDelegate {
			return httpio.Answer{}, fault.New(fault.Forbidden, "this route is for delegates: it takes a join token")
		}
		var req Req
		if err := httpio.JSON(r, maxBody, &req); err != nil {
			return httpio.Answer{}, err
		}
		resp, err := call(r.Context(), p.Account, req)
		return httpio.Answer{Body: resp}, err
	}
}
