// Package door is the authorizer's: a token in, a principal out. It alone looks
// at credentials; every other door takes the principal from the context.
package door

import (
	"context"
	"net/http"
	"path"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

const (
	headerAs    = "X-Slipway-As"
	maxToken    = 4 << 10 // bytes of a token that are worth looking up
	delegatePre = "/slipway/v1/delegate/"
)

// Authorizer is safe for concurrent use.
type Authorizer struct {
	govern *govern.Govern
	first  *firstAdmin // nil where there is none
}

// New returns an Authorizer that knows the tokens govern knows.
func New(g *govern.Govern) *Authorizer { return &Authorizer{govern: g} }

// Request is a credential, and the user its owner wants to act as ("" for none).
type Request struct {
	Token string `json:"token"`
	As    string `json:"as,omitempty"`
}

// Authorize says who a credential belongs to: fault.Unauthenticated when nobody,
// fault.Forbidden when its owner may not act as that user, another kind when it
// could not be looked up.
func (a *Authorizer) Authorize(ctx context.Context, req Request) (core.Principal, error) {
	if len(req.Token) > maxToken {
		return core.Principal{}, fault.New(fault.Unauthenticated, "the token is not known or was revoked")
	}
	p, err := a.govern.Authenticate(ctx, req.Token, req.As)
	if fault.Is(err, fault.Unauthenticated) {
		if first, failed := a.first.is(ctx, req.Token); failed != nil {
			return core.Principal{}, failed
		} else if first {
			return a.govern.FirstAdmin(ctx)
		}
	}
	switch {
	case fault.Is(err, fault.NotFound) && req.As != "":
		return core.Principal{}, fault.New(fault.Forbidden, "acting as %q: %w", req.As, err)
	case fault.Is(err, fault.NotFound):
		return core.Principal{}, fault.New(fault.Unauthenticated, "the token's user is gone")
	}
	return p, err
}

// Principal is Authorize for a call of a path, as Middleware admits it.
func (a *Authorizer) Principal(ctx context.Context, token, as, path string) (core.Principal, error) {
	p, err := a.Authorize(ctx, Request{Token: token, As: as})
	if err == nil {
		err = admitted(p, path)
	}
	return p, err
}

// Middleware lets only requests with a good token through, with the principal in
// their context and without credentials. Delegates get to their own routes and no
// others; nobody else gets to those.
func (a *Authorizer) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := a.Principal(r.Context(), httpio.Token(r.Header), r.Header.Get(headerAs), r.URL.Path)
		if err != nil {
			httpio.WriteError(w, r, err)
			return
		}
		r = r.Clone(core.WithPrincipal(r.Context(), p))
		httpio.Strip(r.Header)
		next.ServeHTTP(w, r)
	})
}

func admitted(p core.Principal, called string) error {
	own := strings.HasPrefix(path.Clean(httpio.Local(called))+"/", delegatePre)
	switch {
	case own && p.Kind != core.PrincipalDelegate:
		return fault.New(fault.Forbidden, "this route is for delegates: it takes a join token")
	case !own && p.Kind != core.PrincipalUser:
		return fault.New(fault.Forbidden, "a join token is good for the routes of delegates only")
	}
	return nil
}
